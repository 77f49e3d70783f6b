// Tunes a kernel template from a program, as `warptune tune` does from a command line. For kernels that exist only in
// the program there is Tuner (tuner.h).
//
//   warptune::TuneRequest request;
//   request.manifest = "templates/gemm";
//   request.sizes = {{"M", 512}, {"N", 512}, {"K", 512}};
//   request.budget.seconds = 60;
//   const warptune::TunerResult result = warptune::tune(request, {.store = "tuned.db"});
//
// tune_sizes() does so for many problem sizes at once, and work() takes submitted sessions from a store on a server.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/library/api/names.h"
#include "tuner/library/api/tuner_result.h"
#include "tuner/session/queue/work.h"
#include "tuner/session/request.h"

namespace warptune {

using tuner::TakenWork;
using tuner::TuneRequest;
using tuner::WorkObserver;
using tuner::WorkRequest;

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

// A TunedSize is what one problem of many came to.
struct TunedSize {
  search::NamedValues problem;              // sizes and variants, all of them
  std::optional<search::NamedValues> best;  // the winner's configuration; nothing if there is none
  double best_ms = 0;                       // settled median of one run of all launches, ms; 0 without a winner
  std::optional<double> default_ms;         // the same of the default configuration, if it was correct
  db::SessionId session = 0;                // in the store; 0: the budget ended before its turn
  std::size_t trials = 0;                   // of this call
  double seconds = 0;                       // that they took, without those of compilers at work beside them
};

struct SizesResult {
  std::vector<TunedSize> sizes;  // in the order of the problems
  bool interrupted = false;      // by `stop`
};

// Tunes a template for many problems, as `warptune tune --sizes`: each has a session of its own, and all share the
// request's budget. One model searches all of them where it may: with workers, a budget of time or trials alone, the
// strategy `auto` and one variant; else each is searched by itself, in slices of the budget. A problem is its sizes
// (positive integers) and variants by name; what it leaves out is the template's. The request's own `sizes` are not
// used, and its variants are for all problems. The context's observer hears of every session in turn. Throws as tune()
// does, and Error of the kind `request` for a problem that the template does not have or that is there twice, for a
// recording, and for no problem at all. What was measured until then is in the store. May be called from several
// threads, as tune().
SizesResult tune_sizes(const TuneRequest& request, const std::vector<search::NamedValues>& problems,
                       const TuneContext& context = {});

// Takes sessions that were submitted to a store on a server (`warptune submit`), one after the other, and tunes them on
// this machine, as `warptune work`. Each session is a process of the program that the request names, so it ends with
// this process and costs nothing else if it crashes. Returns when the queue is empty, if the request drains it, when it
// has been so for `idle_exit_s`, or once `stop` is set: then the current session ends within `grace_s`, and its work is
// given back. Returns what was taken, in order. Throws Error of the kinds `store` (also for a file, which has no queue)
// and `no_device`, and std::invalid_argument for a setting that has no name; what was done until then stands in the
// store, and was told to the observer. May be called from any thread, but only once at a time in a process, and the
// process must not ignore SIGCHLD. The thread must last as long as the call.
std::vector<TakenWork> work(const WorkRequest& request, WorkObserver* observer = nullptr,
                            const std::atomic<bool>* stop = nullptr);

}  // namespace warptune
