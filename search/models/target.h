#pragma once

#include <optional>
#include <vector>

#include "search/models/history.h"

namespace warptune::search {

// What models learn: one number a correct observation, smaller is better, standardised. Times enter as logarithms, so
// that a factor counts the same for kernels of microseconds and of seconds.
class Target {
 public:
  // `weights`, one an objective, make one number of several by Knowles' augmented Tchebycheff sum (2006); empty: the
  // first objective alone.
  Target(const History& history, const std::vector<double>& weights);

  // Of a correct observation.
  double of(const Observation& observation) const;
  // The least value met.
  double best() const { return best_; }
  void meet(const Observation& observation);
  // Standard deviation of what is standardised: logarithms, unless the objectives have both signs.
  double scale() const { return scale_; }
  bool logarithmic() const { return logarithmic_; }

 private:
  double raw(const Observation& observation) const;
  double single(double objective, std::size_t index) const;

  std::vector<double> weights_, low_, high_;  // ranges by objective
  bool logarithmic_ = false;
  bool negative_ = false;
  double centre_ = 0, scale_ = 1, best_ = 0;
};

}  // namespace warptune::search
