// Counts trials, decides when a budget is spent, and writes limits in words.
#include "search/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace warptune::search {

namespace {

std::string duration_text(double seconds) {
  if (seconds >= 3600 && std::fmod(seconds, 3600) == 0) return fmt::format("{:g} h", seconds / 3600);
  if (seconds >= 60 && std::fmod(seconds, 60) == 0) return fmt::format("{:g} min", seconds / 60);
  return fmt::format("{:g} s", seconds);
}

std::string trials_text(std::size_t trials) {
  return fmt::format("{} trial{}", trials, trials == 1 ? "" : "s");
}

}  // namespace

std::string to_text(const BudgetLimits& limits) {
  std::string text;
  const auto add = [&text](const std::string& limit) { text += (text.empty() ? "" : ", or ") + limit; };
  if (limits.trials) add(trials_text(*limits.trials));
  if (limits.seconds) add(duration_text(*limits.seconds));
  if (limits.stagnation) add(trials_text(*limits.stagnation) + " without an improvement");
  if (limits.target) add(fmt::format("a target of {:g}", *limits.target));
  if (limits.min_expected_improvement)
    add(fmt::format("when less than {:g} % improvement is expected", *limits.min_expected_improvement * 100));
  return text.empty() ? "no limit" : text;
}

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
    return *limits_.trials == 1 ? "the one trial is done"
                                : "all " + std::to_string(*limits_.trials) + " trials are done";
  if (limits_.seconds && elapsed_s >= *limits_.seconds) return time_is_up;
  if (limits_.target && best_ && *best_ <= *limits_.target) return "the target is reached";
  if (limits_.stagnation && since_improvement_ >= *limits_.stagnation)
    return "no improvement in " + std::to_string(*limits_.stagnation) + " trials";
  if (limits_.min_expected_improvement && expected_improvement &&
      *expected_improvement < *limits_.min_expected_improvement)
    return "no configuration is expected to be much better";
  return std::nullopt;
}

}  // namespace warptune::search
