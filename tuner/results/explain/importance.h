// Tells which parameters decide a configuration's cost, by a model of the session's trials that is asked only if it
// predicts trials that it has not seen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/results/explain/evidence.h"

namespace warptune::tuner {

struct Importance {
  std::string parameter;
  // This is how much less of held-back trials' variance the model would explain if it did not know this parameter's
  // values: 0.4 of 0.9 is a lot, 0 is nothing that it knows of. It is half of what the model loses when the values are
  // shuffled (Breiman 2001), because a wrong value errs by twice the variance that none would leave. It is at most all
  // that the model explains. Parameters that go together share it.
  double loss = 0;
};

struct ImportanceReport {
  std::size_t trials = 0;  // correct ones that the model was made of
  // These are of held-back trials (five-fold cross-validation): the share of the variance of the logarithm of the cost
  // that is explained, and the median error of a predicted cost, 0.05 being 5 %.
  double explained = 0;
  double median_error = 0;
  std::vector<Importance> parameters;  // most important first; empty where the model is too poor to be asked
};

inline constexpr std::size_t least_trials_for_importance = 40;
inline constexpr double least_explained = 0.5;

// Fits a random forest to at most 1000 of the correct trials, drawn by the seed, and asks it which parameters matter.
ImportanceReport importance(const Evidence& evidence, std::uint64_t seed = 1);

}  // namespace warptune::tuner
