#include "db/objective_value.h"

#include <cmath>

#include "db/objectives.h"

namespace warptune::db {

std::optional<bool> is_maximised(const std::string& objectives, const search::Trial& trial, std::size_t i) {
  const std::vector<std::string> names = objective_names(objectives);
  if (i >= names.size() || i >= trial.objectives.size()) return std::nullopt;
  const auto metric = trial.metrics.find(names[i]);
  const double stored = trial.objectives[i];
  if (metric == trial.metrics.end() || metric->second == 0 || stored == 0 || !std::isfinite(stored))
    return std::nullopt;
  return (stored < 0) != (metric->second < 0);
}

bool is_maximised(const std::string& objectives, std::span<const StoredTrial> trials) {
  for (const StoredTrial& stored : trials)
    if (const auto told = is_maximised(objectives, stored.trial)) return *told;
  // Recordings may lack the metric; what they hold negated was.
  for (const StoredTrial& stored : trials)
    if (!stored.trial.objectives.empty() && stored.trial.objectives.front() < 0) return true;
  return false;
}

double objective_value(double stored, const std::string& objectives, const search::Trial& trial, std::size_t i) {
  return objective_value(stored, is_maximised(objectives, trial, i).value_or(stored < 0));
}

std::vector<double> objective_values(std::vector<double> stored, const std::string& objectives,
                                     const search::Trial& trial) {
  for (std::size_t i = 0; i < stored.size(); ++i) stored[i] = objective_value(stored[i], objectives, trial, i);
  return stored;
}

}  // namespace warptune::db
