// Converts stored objectives to the values that users know. Objectives are stored to be minimised, so a metric that is
// maximised is stored negated; the session says which are (SessionRecord::maximised). Rejected: reading it off the
// signs. A metric may be negative itself, and a session without trials has no signs. All functions are pure, since
// interchange formats use them too, which know no store.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "db/objectives.h"
#include "db/records.h"

namespace warptune::db {

// Returns whether more is better of objective number `i`. The objectives of a session of "GFLOP/s,joules" have the
// numbers 0 and 1.
inline bool is_maximised(const SessionRecord& session, std::size_t i = 0) {
  if (session.maximised.empty()) return false;
  const std::vector<std::string> names = objective_names(session.objective);
  return i < names.size() && std::ranges::count(objective_names(session.maximised), names[i]) > 0;
}

inline double objective_value(double stored, bool maximised) {
  return maximised ? 0 - stored : stored;
}
inline double objective_value(double stored, const SessionRecord& session, std::size_t i = 0) {
  return objective_value(stored, is_maximised(session, i));
}
// Converts all objectives of a trial, as settled_objectives (settled.h) gives them.
inline std::vector<double> objective_values(std::vector<double> stored, const SessionRecord& session) {
  for (std::size_t i = 0; i < stored.size(); ++i) stored[i] = objective_value(stored[i], session, i);
  return stored;
}

}  // namespace warptune::db
