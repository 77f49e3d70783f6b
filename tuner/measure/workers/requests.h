// Defines what is sent to a new worker: its set-up and the requests for it, its refusals, and how patient the program
// is with it.
#pragma once

#include <filesystem>

#include "tuner/kernel/files/session_files.h"
#include "tuner/measure/device_evaluator.h"
#include "tuner/measure/workers/codec.h"
#include "tuner/measure/workers/slot.h"

namespace warptune::tuner::workers {

// What a worker must know before its first job: one kernel template for one problem size, and how to compile and
// measure it.
struct Setup {
  TemplatePlace place;
  search::NamedValues constants;  // sizes and device limits
  EvaluatorOptions options;
};

json to_json(const Setup& setup);
Setup setup_from(const json& value);

// Convert an exception of a set-up to a message and back. `throw_refusal` throws the kind of error that the worker
// threw (search/error.h). Paths are given without `root`.
json refusal(const std::exception& error, const std::filesystem::path& root);
bool is_refusal(const json& answer);
[[noreturn]] void throw_refusal(const json& answer);

// Returns the request to prepare. With `yield` the worker lowers its priority in favour of those that measure. Workers
// have no compile time-out of their own.
json prepare_request(const Setup& setup, const DeviceInfo& device, bool yield);

// Returns the time limit of a set-up: opening the device, compiling and running a reference, all of which may be slow.
double setup_limit_s(const Setup& setup);

// Return how many workers may end over one job, and how many in a row before they are ready. A kernel or a compiler
// does not send itself a SIGKILL. Somebody, or the system that ran out of memory, did it, so more of these are allowed.
int most_deaths(const End& end);
int most_failed_starts(const End& end);

}  // namespace warptune::tuner::workers
