// Quotas as people read and write them.
#pragma once

#include <optional>
#include <string>

#include "db/quota.h"
#include "tuner/results/report/text/table.h"

namespace warptune::tuner::cli {

// Of devices: "40 s", "2.5 min", "10 h", "12300 h".
std::string device_time_text(double seconds);
Cell device_time_cell(double seconds);

// "10 h a week".
std::string quota_text(const db::Quota& quota);

// Why nothing of this user's is given out: "over the quota of 10 h a week until 2026-11-30 14:00Z". Nothing if it
// is.
std::optional<std::string> why_held_back(const db::WorkUser& user);

}  // namespace warptune::tuner::cli
