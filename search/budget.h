// Decides when a session ends. This is a class of its own, and not a line in the session's loop, because replays and
// comparisons stop by the same rules.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "search/trial.h"

namespace warptune::search {

// BudgetLimits says when a session stops. Empty fields set no limit. The first limit to be reached ends the session.
struct BudgetLimits {
  std::optional<double> seconds = std::nullopt;
  std::optional<std::size_t> trials = std::nullopt;
  std::optional<std::size_t> stagnation = std::nullopt;  // trials in a row without an improvement
  // The session ends when the primary objective reaches this value, which is in the objective's own unit: when it is
  // this or less, or this or more if the objective is maximised. A session minimises the negative of a maximised
  // objective, and compares it with the negative of the target.
  std::optional<double> target = std::nullopt;
  // The session ends when the strategy expects less improvement than this of any configuration, relative to the best
  // (Strategy::expected_improvement).
  std::optional<double> min_expected_improvement = std::nullopt;

  bool empty() const { return !seconds && !trials && !stagnation && !target && !min_expected_improvement; }
};

// `Budget::spent` returns this text when the seconds are used up.
inline constexpr char time_is_up[] = "the time is up";

// Returns what ends a session, in words such as "5 trials, or 60 s", or "no limit" if nothing does. A target is written
// without its unit.
std::string to_text(const BudgetLimits& limits);

// Counts trials against limits. A Budget has no clock: the caller says how much time has passed. Only one thread at a
// time may use it.
class Budget {
 public:
  explicit Budget(BudgetLimits limits) : limits_(limits) {}

  const BudgetLimits& limits() const { return limits_; }
  void count(const Trial& trial);
  // Takes a trial of an earlier run into account. It uses nothing up, but it may reach the target, and it is what new
  // trials must improve on.
  void remember(const Trial& trial);

  // Returns how many trials may still be started while `in_flight` are under way.
  std::size_t remaining(std::size_t in_flight) const;

  // Returns why to stop now, in words for the report, or nothing if the session may go on. `expected_improvement` is
  // empty if the strategy cannot tell it, and then does not count.
  std::optional<std::string> spent(double elapsed_s, std::optional<double> expected_improvement = {}) const;

 private:
  BudgetLimits limits_;
  std::size_t trials_ = 0;
  std::size_t since_improvement_ = 0;
  std::optional<double> best_;
};

}  // namespace warptune::search
