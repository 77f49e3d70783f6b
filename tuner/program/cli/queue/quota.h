// Writes quotas and device time as people read them.
#pragma once

#include <optional>
#include <string>

#include "db/quota.h"
#include "tuner/results/report/text/table.h"

namespace warptune::tuner::cli {

// Return device time as text: "40 s", "2.5 min", "10 h", "12300 h".
std::string device_time_text(double seconds);
Cell device_time_cell(double seconds);

// Returns "10 h a week".
std::string quota_text(const db::Quota& quota);

// Returns why no work of this user is given out: "over the quota of 10 h a week until 2026-11-30 14:00Z". Returns
// nothing if work is given out.
std::optional<std::string> why_held_back(const db::WorkUser& user);

}  // namespace warptune::tuner::cli
