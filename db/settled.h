// Computes the settled figures of a trial, which every report, export, check and choice shows and compares. The search
// measured a trial alone, and its best is best by luck too; where the finals measured it again beside the others, their
// figures count. All functions are pure. The store fills a winner's own settled times in when it is set (winners.cpp).
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/records.h"

namespace warptune::db {

struct Settled {
  double objective = 0;           // minimised: negative for a metric that is maximised
  double objective_error = 0;     // relative: 0.01 is ±1 %
  std::optional<double> time_ms;  // nothing if no time is known, as of some recordings
  double time_error = 0;          // relative, of the time
  std::map<std::string, double> metrics;
  bool finals = false;  // measured in the finals
};

// Returns the settled figures of a correct trial with objectives. `winner` is its session's, if there is one.
Settled settled(const std::optional<Winner>& winner, TrialId id, const search::Trial& trial);
Settled settled(const std::optional<Winner>& winner, const StoredTrial& trial);

// Returns the values of all that the session minimises ("time,joules"), in the order of its objectives; nothing for a
// trial that has none. What the finals did not measure, such as an energy, is the search's.
std::vector<double> settled_objectives(const SessionRecord& session, const std::optional<Winner>& winner, TrialId id,
                                       const search::Trial& trial);
// Returns "time" of "time,joules": the objective that decides who wins.
std::string first_objective(const std::string& objectives);

// Returns a relative error if it is known. It is not known if it is infinite, as after one round of finals, or 0, as in
// recordings, since no measurement is without an error.
inline std::optional<double> known_error(double relative_error) {
  return std::isfinite(relative_error) && relative_error > 0 ? std::optional(relative_error) : std::nullopt;
}

// Returns the sum of two figures' errors, as far as they are known. An error that is not known excuses no difference by
// itself, and the other stands for it.
double sum_of_errors(double a, double b);

// Returns half the width of the 95 % interval of the logarithm of a ratio of two costs with these relative errors.
// Costs that differ by less are not separable. The result is infinite where an error is not known. An error of 0, as in
// recordings, counts as not known, since no measurement is without an error.
double ratio_error(double a, double b);

// Returns how many times as fast as the default the winner is: the ratio of their settled times, or of their objectives
// where a time is not known. Returns nothing without a default.
std::optional<double> speed_up(const Winner& winner);

// Returns whether the winner is faster than the default configuration, and not only luckier: in the finals they did not
// tie, or without finals the ratio of their times is beyond its error. The best of many trials is mostly a lucky one,
// so all trials share one chance of error, as in the finals. A figure of a single sample has no error that a ratio
// could be beyond. Returns true where there is nothing to go by.
bool separable_from_default(const Winner& winner);

// Returns whether winner and default were measured at different times of a search and never side by side. Their errors
// then know nothing of a load that came and went in between.
bool is_of_search_alone(const Winner& winner);

// Returns how many times as good as the default the winner is by the objective. It is the speed-up where the objective
// is the time.
std::optional<double> gain(const Winner& winner);
// Returns the same for any two objectives; nothing if their signs differ or one is 0.
std::optional<double> gain(double objective, double default_objective);

}  // namespace warptune::db
