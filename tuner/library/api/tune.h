// Tunes a kernel template from a program, as `warptune tune` does from a command line. For kernels that exist only in
// the program there is Tuner (tuner.h).
//
//   warptune::TuneRequest request;
//   request.manifest = "templates/gemm";
//   request.sizes = {{"M", 512}, {"N", 512}, {"K", 512}};
//   request.budget.seconds = 60;
//   const warptune::TunerResult result = warptune::tune(request, {.store = "tuned.db"});
#pragma once

#include <atomic>
#include <filesystem>

#include "tuner/library/api/names.h"
#include "tuner/library/api/tuner_result.h"
#include "tuner/session/request.h"

namespace warptune {

using tuner::TuneRequest;

// A TuneContext is what a program hands in beside the request. What it points to must outlive the call.
struct TuneContext {
  std::filesystem::path store = ":memory:";  // where trials are kept, and resumed from
  tuner::SessionObserver* observer = nullptr;
  const std::atomic<bool>* stop = nullptr;  // set from anywhere; tuning then ends with what it has
};

// Tunes until the budget is spent. Throws Error, whose text says what was attempted and what to do next and whose kind
// says whose matter it is: a template that does not load, sizes or a space that cannot be tuned, a device that is not
// there, a store that cannot be written. May be called from several threads at once, with stores of their own or one in
// a file.
TunerResult tune(const TuneRequest& request, const TuneContext& context = {});

}  // namespace warptune
