// Chooses between the figures of the search and of the finals, and computes ratios with their errors.
#include "db/settled.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "db/objective_value.h"
#include "db/objectives.h"

namespace warptune::db {

namespace {

// Returns the figures of the search's own measurement.
Settled measured_alone(const search::Trial& trial) {
  Settled figures;
  if (!trial.objectives.empty()) figures.objective = trial.objectives.front();
  figures.metrics = trial.metrics;
  if (!trial.measurement) return figures;
  figures.objective_error = figures.time_error = trial.measurement->relative_error;
  figures.time_ms = trial.measurement->median_ms;
  return figures;
}

void take_finals(const WinnerFinalist& finalist, Settled& figures) {
  figures.finals = true;
  figures.objective = finalist.objective;
  figures.objective_error = finalist.relative_error;
  // What the finals did not measure, such as an energy, stays the search's.
  for (const auto& [name, value] : finalist.metrics) figures.metrics[name] = value;
  if (!finalist.time_ms) return;
  figures.time_ms = finalist.time_ms;
  figures.time_error = finalist.time_error.value_or(0);
}

// Returns how many standard deviations a normal variable exceeds with this probability, which is at most 1/2.
double deviations_beyond(double probability) {
  double low = 0, high = 40;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::numbers::sqrt2) / 2 > probability ? low : high) = middle;
  }
  return low;
}

// Returns the factor by which a 95 % interval widens, so that the best of so many is outside of its own interval with a
// probability of 5 % at most (Bonferroni).
double widening(std::int64_t chosen_from) {
  constexpr double tail = 0.025;
  const auto tried = static_cast<double>(std::max<std::int64_t>(chosen_from, 1));
  return deviations_beyond(tail / tried) / deviations_beyond(tail);
}

bool is_finalist(const Winner& winner, TrialId trial) {
  return std::ranges::find(winner.finalists, trial, &WinnerFinalist::trial) != winner.finalists.end();
}

}  // namespace

Settled settled(const std::optional<Winner>& winner, TrialId id, const search::Trial& trial) {
  Settled figures = measured_alone(trial);
  if (!winner) return figures;
  const auto finalist = std::ranges::find(winner->finalists, id, &WinnerFinalist::trial);
  if (finalist != winner->finalists.end()) take_finals(*finalist, figures);
  return figures;
}

Settled settled(const std::optional<Winner>& winner, const StoredTrial& trial) {
  return settled(winner, trial.id, trial.trial);
}

std::vector<double> settled_objectives(const SessionRecord& session, const std::optional<Winner>& winner, TrialId id,
                                       const search::Trial& trial) {
  if (!trial.correct()) return {};
  std::vector<double> values = trial.objectives;
  const Settled figures = settled(winner, id, trial);
  if (!figures.finals) return values;
  const std::vector<std::string> names = objective_names(session.objective);
  for (std::size_t i = 0; i < std::min(values.size(), names.size()); ++i) {
    const auto metric = figures.metrics.find(names[i]);
    if (i == 0)
      values[i] = figures.objective;
    else if (names[i] == "time")
      values[i] = figures.time_ms.value_or(values[i]);
    else if (metric != figures.metrics.end())
      values[i] = objective_value(metric->second, session, i);
  }
  return values;
}

std::string first_objective(const std::string& objectives) {
  return objectives.substr(0, objectives.find(','));
}

double sum_of_errors(double a, double b) {
  const double first = known_error(a).value_or(known_error(b).value_or(0));
  return first + known_error(b).value_or(first);
}

double ratio_error(double a, double b) {
  return a > 0 && b > 0 ? std::hypot(a, b) : std::numeric_limits<double>::infinity();
}

std::optional<double> speed_up(const Winner& winner) {
  if (winner.time_ms && winner.default_time_ms && *winner.time_ms > 0) return *winner.default_time_ms / *winner.time_ms;
  return gain(winner);
}

bool separable_from_default(const Winner& winner) {
  if (!winner.default_trial || *winner.default_trial == winner.trial) return true;
  if (std::ranges::find(winner.ties, *winner.default_trial) != winner.ties.end()) return false;
  if (is_finalist(winner, winner.trial) && is_finalist(winner, *winner.default_trial)) return true;
  if (!winner.time_ms || !winner.default_time_ms) return true;
  const double faster = *winner.default_time_ms / *winner.time_ms;
  // The errors are those of the times. They say nothing about an objective that is no rate or time.
  constexpr double rounding = 1e-6;
  const bool is_of_time = std::abs(gain(winner).value_or(faster) / faster - 1) < rounding;
  if (!is_of_time || faster < 1) return true;
  const double error = winner.time_error.value_or(0), default_error = winner.default_time_error.value_or(0);
  if (error <= 0 || default_error <= 0) return true;  // a recording does not tell them
  const double beyond = ratio_error(error, default_error) * widening(winner.chosen_from);
  return std::log(faster) > beyond;
}

bool is_of_search_alone(const Winner& winner) {
  if (!winner.default_trial || *winner.default_trial == winner.trial) return false;
  const bool measured = winner.time_error.value_or(0) > 0 && winner.default_time_error.value_or(0) > 0;
  return measured && !(is_finalist(winner, winner.trial) && is_finalist(winner, *winner.default_trial));
}

std::optional<double> gain(const Winner& winner) {
  if (!winner.default_objective) return std::nullopt;
  return gain(winner.objective, *winner.default_objective);
}

std::optional<double> gain(double objective, double default_objective) {
  // Objectives are minimised, so one that is maximised is kept negated.
  const double above = objective < 0 ? objective : default_objective;
  const double below = objective < 0 ? default_objective : objective;
  if (above == 0 || below == 0 || above / below < 0) return std::nullopt;
  return above / below;
}

}  // namespace warptune::db
