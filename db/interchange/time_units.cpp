// Looks up units and measurements by their names in lower case.
#include "db/interchange/time_units.h"

#include <algorithm>
#include <array>
#include <string>

#include "search/plain_text.h"

namespace warptune::db {

namespace {

struct TimeUnit {
  std::string_view name;
  double milliseconds;
};

// Microseconds have both characters that are printed as a micro sign, and the letter that stands for it.
constexpr std::array<TimeUnit, 24> time_units{{
    {"s", 1e3},        {"sec", 1e3},       {"secs", 1e3},         {"second", 1e3},        {"seconds", 1e3},
    {"ms", 1},         {"msec", 1},        {"msecs", 1},          {"millisecond", 1},     {"milliseconds", 1},
    {"milisecond", 1}, {"miliseconds", 1}, {"us", 1e-3},          {"usec", 1e-3},         {"usecs", 1e-3},
    {"\u00b5s", 1e-3}, {"\u03bcs", 1e-3},  {"microsecond", 1e-3}, {"microseconds", 1e-3}, {"ns", 1e-6},
    {"nsec", 1e-6},    {"nsecs", 1e-6},    {"nanosecond", 1e-6},  {"nanoseconds", 1e-6},
}};

}  // namespace

std::optional<double> milliseconds_in(std::string_view unit) {
  const std::string name = search::lower_case(std::string(unit));
  const auto found =
      std::find_if(time_units.begin(), time_units.end(), [&](const TimeUnit& known) { return known.name == name; });
  return found == time_units.end() ? std::nullopt : std::optional(found->milliseconds);
}

bool names_a_time(std::string_view measurement) {
  const std::string name = search::lower_case(std::string(measurement));
  return name == "time" || name == "runtime" || name.ends_with("duration");
}

}  // namespace warptune::db
