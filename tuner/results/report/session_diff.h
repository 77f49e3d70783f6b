// Compares two sessions: their settings, their winners and the trials that both have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/records.h"
#include "tuner/results/report/text/table.h"

namespace warptune::tuner {

// Holds a session with what is compared of it.
struct ComparedSession {
  db::SessionRecord session;
  std::optional<db::Winner> winner;
  std::vector<db::StoredTrial> trials;
};

// Returns rows (aspect, item, first, second, ratio) of what differs: the parts of the setting, the winner's objective
// and the parameters in which the winners differ, and the trials that both have. Of these trials it says how many there
// are, which have another outcome, the median ratio of their times, and which sped up and which slowed down most.
// Ratios are second over first.
Table session_diff(const ComparedSession& first, const ComparedSession& second);

// Says that times are of different problem sizes; empty if they are of the same.
std::string size_note(const ComparedSession& first, const ComparedSession& second);

}  // namespace warptune::tuner
