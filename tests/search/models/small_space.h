#pragma once

#include <string>

#include "search/models/history.h"

namespace warptune::search {

inline Parameter numbers(const std::string& name, std::vector<std::int64_t> values) {
  Parameter parameter{name, {}};
  for (std::int64_t value : values) parameter.values.emplace_back(value);
  return parameter;
}

inline Parameter range(const std::string& name, std::int64_t n) {
  Parameter parameter{name, {}};
  for (std::int64_t i = 0; i < n; ++i) parameter.values.emplace_back(i);
  return parameter;
}

// A trial with these objectives; without any, a failure.
inline Trial trial_of(const Configuration& configuration, std::vector<double> objectives) {
  Trial trial{.configuration = configuration};
  if (objectives.empty()) trial.outcome = Outcome::launch_error;
  trial.objectives = std::move(objectives);
  return trial;
}

}  // namespace warptune::search
