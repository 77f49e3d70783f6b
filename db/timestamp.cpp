// Formats times in UTC, rounded down to milliseconds.
#include "db/timestamp.h"

#include <fmt/chrono.h>

namespace warptune::db {

std::string iso8601(std::chrono::system_clock::time_point time) {
  const auto milliseconds = std::chrono::floor<std::chrono::milliseconds>(time);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(milliseconds);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)),
                     (milliseconds - seconds).count());
}

}  // namespace warptune::db
