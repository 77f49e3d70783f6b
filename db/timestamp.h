// Writes times as the store keeps them: UTC, ISO 8601 with milliseconds, so that text order is time order.
#pragma once

#include <chrono>
#include <string>

namespace warptune::db {

// Returns a time as "2026-03-14T15:09:26.535Z".
std::string iso8601(std::chrono::system_clock::time_point time);

}  // namespace warptune::db
