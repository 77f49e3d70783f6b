// When a session ends. A class of its own, and not a line in the session's loop, because replays and comparisons stop
// by the same rules.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "search/trial.h"

namespace warptune::search {

// When a session stops; empty fields do not. All that are given count: the first to be reached ends the session.
struct BudgetLimits {
  std::optional<double> seconds = std::nullopt;
  std::optional<std::size_t> trials = std::nullopt;
  std::optional<std::size_t> stagnation = std::nullopt;  // trials in a row without an improvement
  // The primary objective, in its own unit, is this good or better: this or less, or this or more if it is maximised.
  // A session searches for the negative of a maximised objective, and compares it with the negative of the target.
  std::optional<double> target = std::nullopt;
  // The strategy expects less than this of any configuration, relative to the best (Strategy::expected_improvement).
  std::optional<double> min_expected_improvement = std::nullopt;

  bool empty() const { return !seconds && !trials && !stagnation && !target && !min_expected_improvement; }
};

// What `Budget::spent` says when the seconds are used up.
inline constexpr char time_is_up[] = "the time is up";

// "5 trials, or 60 s": what ends a session, in words; "no limit" of none. A target is told without its unit.
std::string to_text(const BudgetLimits& limits);

// Counts trials against limits. Has no clock: the caller says what time it is. For one thread at a time.
class Budget {
 public:
  explicit Budget(BudgetLimits limits) : limits_(limits) {}

  const BudgetLimits& limits() const { return limits_; }
  void count(const Trial& trial);
  // A trial of an earlier run: uses nothing up, but a target may be reached by it, and it is what must be improved on.
  void remember(const Trial& trial);

  // Trials that may still be started with `in_flight` under way.
  std::size_t remaining(std::size_t in_flight) const;

  // Why to stop now, in words for the report; nothing to go on. What the strategy expects counts if it can say.
  std::optional<std::string> spent(double elapsed_s, std::optional<double> expected_improvement = {}) const;

 private:
  BudgetLimits limits_;
  std::size_t trials_ = 0;
  std::size_t since_improvement_ = 0;
  std::optional<double> best_;
};

}  // namespace warptune::search
