#pragma once

#include <string>

#include "search/search_space.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/metrics/metrics.h"
#include "tuner/report/table.h"
#include "tuner/session.h"

namespace warptune {

// The best `count` correct trials, best first: rank, time, metrics, share of the best, configuration.
Table top_table(const SessionResult& result, const SearchSpace& space, const KernelTemplate& kernel, std::size_t count);

// How often each way of failing occurred, with one message as an example.
Table failure_table(const SessionResult& result, const SearchSpace& space);

// The end of a tuning session for people: winner, default, speed-up, the best five, what failed and why.
std::string session_report(const SessionResult& result, const SearchSpace& space, const KernelTemplate& kernel);

// One trial in a line: "0.812 ms, 169.3 GFLOP/s".
std::string figures(const Trial& trial, const KernelTemplate& kernel);

// "0.812 ms", "3.1 s", "17.2 µs".
std::string duration_text(double milliseconds);

}  // namespace warptune
