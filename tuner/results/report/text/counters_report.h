// Reports what hardware counters counted of a run, for people and for programs.
#pragma once

#include <string>

#include "tuner/results/report/text/document.h"
#include "tuner/results/report/text/table.h"

namespace warptune::tuner {

// Returns a row for each counter of all launches together, then of each launch: launch (empty: all of them), kernel,
// counter, value, unit.
Table counter_table(const search::Counters& counters);

// Returns a text for people, in lines of `width` characters: the counters with their meanings, a line for each launch
// if there are several, what the device lacks, or why nothing was counted.
std::string counters_text(const search::Counters& counters, std::size_t width = 0);

// Says which part of the device was busiest, and whether that is what a run waits for: "The L2 cache was busiest, at 94
// % of the peak: that is what it is bound by." It is empty if nobody counted that.
std::string busiest_text(const search::Counters& counters);

// Returns null without counters.
Json counters_json(const std::optional<search::Counters>& counters);

// Returns a counter with its unit, in three digits: "1.21 MB", "83.0 %", "16.8 M".
std::string counter_value_text(const std::string& counter, double value);

}  // namespace warptune::tuner
