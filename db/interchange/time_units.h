// Knows units of time by the names that other tools' files give them.
#pragma once

#include <optional>
#include <string_view>

namespace warptune::db {

// Returns how many milliseconds one unit is: "ms", "milliseconds", "Microseconds", "µs", "s" and their like, in any
// case, and "miliseconds", as the autotuning methodology's files spell it. Returns nothing for a unit of something
// else.
std::optional<double> milliseconds_in(std::string_view unit);

// Returns whether a measurement of this name is a time even where no unit is said: "time", "TotalDuration", "runtime".
bool names_a_time(std::string_view measurement);

}  // namespace warptune::db
