#include "search/budget.h"

#include <algorithm>
#include <limits>

namespace warptune::search {

void Budget::count(const Trial& trial) {
  ++trials_;
  ++since_improvement_;
  if (!trial.correct() || trial.objectives.empty()) return;
  if (best_ && trial.objectives.front() >= *best_) return;
  best_ = trial.objectives.front();
  since_improvement_ = 0;
}

void Budget::remember(const Trial& trial) {
  if (trial.correct() && !trial.objectives.empty())
    best_ = best_ ? std::min(*best_, trial.objectives.front()) : trial.objectives.front();
}

std::size_t Budget::remaining(std::size_t in_flight) const {
  if (!limits_.trials) return std::numeric_limits<std::size_t>::max();
  const std::size_t used = trials_ + in_flight;
  return used >= *limits_.trials ? 0 : *limits_.trials - used;
}

std::optional<std::string> Budget::spent(double elapsed_s, std::optional<double> expected_improvement) const {
  if (limits_.trials && trials_ >= *limits_.trials)
    return "all " + std::to_string(*limits_.trials) + " trials are done";
  if (limits_.seconds && elapsed_s >= *limits_.seconds) return "the time is up";
  if (limits_.target && best_ && *best_ <= *limits_.target) return "the target is reached";
  if (limits_.stagnation && since_improvement_ >= *limits_.stagnation)
    return "no improvement in " + std::to_string(*limits_.stagnation) + " trials";
  if (limits_.min_expected_improvement && expected_improvement &&
      *expected_improvement < *limits_.min_expected_improvement)
    return "no configuration is expected to be much better";
  return std::nullopt;
}

}  // namespace warptune::search
