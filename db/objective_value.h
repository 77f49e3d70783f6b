// What users know a stored objective as. Objectives are stored to be minimised, so a metric that is maximised is stored
// negated. The sign alone tells nothing: a metric may be negative itself. No session says which of its metrics are
// maximised, but its trials do, for they hold the metrics beside the objectives. Rejected: a column for it, which
// sessions of earlier versions would lack. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/records.h"

namespace warptune::db {

// Whether objective number `i` of "GFLOP/s,joules" is a metric that is maximised; nothing where the trial does not
// tell: it has no such metric, as of the time, or its value is 0 or infinite.
std::optional<bool> is_maximised(const std::string& objectives, const search::Trial& trial, std::size_t i = 0);
// By the first trial that tells; else whether one is negative.
bool is_maximised(const std::string& objectives, std::span<const StoredTrial> trials);

inline double objective_value(double stored, bool maximised) {
  return maximised ? 0 - stored : stored;
}
// Of an objective that this trial was rated by, or a later measurement of it. If the trial does not tell the sense,
// what is negative is taken for a metric that is maximised.
double objective_value(double stored, const std::string& objectives, const search::Trial& trial, std::size_t i = 0);
// All of a trial's, as settled_objectives (settled.h) gives them.
std::vector<double> objective_values(std::vector<double> stored, const std::string& objectives,
                                     const search::Trial& trial);

}  // namespace warptune::db
