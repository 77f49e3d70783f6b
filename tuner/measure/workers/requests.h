// What is asked of a new worker and what it may answer, and how patient the program is with it.
#pragma once

#include <filesystem>

#include "tuner/measure/workers/codec.h"
#include "tuner/measure/workers/setup.h"
#include "tuner/measure/workers/slot.h"

namespace warptune::tuner::workers {

json to_json(const Setup& setup);
Setup setup_from(const json& value);

// An exception of a set-up as a message, and back: throws the kind of error that the worker threw
// (search/error.h). Paths are told without `root`.
json refusal(const std::exception& error, const std::filesystem::path& root);
bool is_refusal(const json& answer);
[[noreturn]] void throw_refusal(const json& answer);

// `yield`: it steps back for whoever measures. Workers have no compile time-out of their own.
json prepare_request(const Setup& setup, const DeviceInfo& device, bool yield);

// For a set-up: opening the device, compiling and running a reference, all of them slow at worst.
double setup_limit_s(const Setup& setup);

// How many workers may end over one job, and how many in a row before they are ready. A SIGKILL is nothing that a
// kernel or a compiler does to itself: somebody, or the system that ran out of memory, did it, so that counts for less.
int most_deaths(const End& end);
int most_failed_starts(const End& end);

}  // namespace warptune::tuner::workers
