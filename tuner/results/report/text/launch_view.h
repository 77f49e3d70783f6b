// Shows what a trial launches, how it fills the device and how near it comes to the roofs, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/kernel/json_values.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/results/explain/explanation.h"

namespace warptune::tuner {

// Returns a launch with its residency.
Json json_of(const LaunchView& launch);
// Returns the same of all of a trial's launches; `limits` are its device's.
Json launches_json(const search::Trial& trial, const search::NamedValues& limits);
// Returns null where no work is stated.
Json json_of(const search::Work& work);
// Returns null without an attainment.
Json json_of(const std::optional<Attainment>& attainment);

// Returns "32 x 32 blocks of 256 threads, 128 registers per thread, 32 KiB of shared memory per block".
std::string use_text(const search::LaunchUse& launch);
// Returns "occupancy"; on a host, where there is none, "blocks".
std::string residency_name(const search::NamedValues& limits);
// Returns "25 %: registers limit a multiprocessor to 2 blocks; 3.9 waves, the last 88 % full"; of a host "one at a time
// on each of 8 cores; 3.9 waves, the last 88 % full".
std::string residency_text(const LaunchView& launch, const search::NamedValues& limits);
// Returns "83 % of FP32 arithmetic (49.8 of 60.1 TFLOP/s), 21 % of memory bandwidth (0.88 of 4.20 TB/s)", nearest
// first.
std::string attainment_text(const Attainment& attainment, const std::vector<db::Roof>& roofs);
// Returns "4.20 TB/s", "60.1 TFLOP/s".
std::string rate_text(const std::string& roof, double rate);

// Returns what is said of a winner beneath its time: "Occupancy" (of a host "Blocks") and "Roofs", each with a
// sentence. There is nothing for what is not known, and a hint where only the roofs are missing.
std::vector<std::pair<std::string, std::string>> standing_lines(const TrialView& trial, const search::Work& work,
                                                                const search::NamedValues& limits,
                                                                const std::vector<db::Roof>& roofs);

// Returns a line for each launch, equal ones in a row counted: "saxpy: grid 157, block 64, no dynamic shared memory",
// "3 × step: grid 16 x 16, block 32 x 8, 4096 bytes of dynamic shared memory". `scope` is as for make_plan, whose
// errors this throws. It is empty for a program's own launches, which only its functions know.
std::string launches_text(const KernelTemplate& kernel, const search::NamedValues& scope);

}  // namespace warptune::tuner
