// The settled figures of a trial: what every report, export, check and choice shows and compares. The search measured a
// trial alone, and its best is best by luck too; where the finals measured it again beside the others, their figures
// count. Pure functions; the store fills a winner's own settled times in when it is set (winners.cpp).
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

// Of a correct trial with objectives; `winner` is its session's, if there is one.
Settled settled(const std::optional<Winner>& winner, TrialId id, const search::Trial& trial);
Settled settled(const std::optional<Winner>& winner, const StoredTrial& trial);

// All that the session minimises ("time,joules"), in the order of its objectives; nothing of a trial that has none.
// What the finals did not measure, as an energy, is the search's.
std::vector<double> settled_objectives(const SessionRecord& session, const std::optional<Winner>& winner, TrialId id,
                                       const search::Trial& trial);
// "time" of "time,joules": the one that decides who wins.
std::string first_objective(const std::string& objectives);

// A relative error, if it is known: it is infinite after one round of finals, and 0 in recordings, for no measurement
// is without.
inline std::optional<double> known_error(double relative_error) {
  return std::isfinite(relative_error) && relative_error > 0 ? std::optional(relative_error) : std::nullopt;
}

// Of two figures' errors, as far as they are known: one that is not known excuses no difference by itself, and the
// other stands for it.
double sum_of_errors(double a, double b);

// Half the width of the 95 % interval of the logarithm of a ratio of two costs with these relative errors: what differs
// by less is not separable. Infinite where an error is not known, as 0 is in recordings, for no measurement is without.
double ratio_error(double a, double b);

// How many times as fast as the default the winner is: the ratio of their settled times, or of their objectives where a
// time is not known. Nothing without a default.
std::optional<double> speed_up(const Winner& winner);

// Whether the winner is faster than the default configuration, and not only luckier: in the finals they did not tie,
// or without finals the ratio of their times is beyond its error. The best of many trials is lucky in most of them, so
// their chance of error is shared by all, as in the finals. What one sample told, has no error that anything is beyond.
// True where there is nothing to go by.
bool separable_from_default(const Winner& winner);

// Whether winner and default were measured at different times of a search and never held against each other: their
// errors know nothing of a load that came and went in between.
bool is_of_search_alone(const Winner& winner);

// How many times as good by the objective; the same as the speed-up where that is the time.
std::optional<double> gain(const Winner& winner);
// The same of any two objectives.
std::optional<double> gain(double objective, double default_objective);

}  // namespace warptune::db
