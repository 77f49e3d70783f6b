// Turns the objectives of observations into the numbers that models learn.
#pragma once

#include <optional>
#include <vector>

#include "search/models/history.h"

namespace warptune::search {

// A Target says what models learn: one standardised number for each correct observation, of which smaller is better.
// Times enter as logarithms, so that a factor counts the same for kernels of microseconds and of seconds.
//
// With a bend, differences count less the farther both times are from the best: a logarithm that lies x above the best
// becomes b · log(1 + x / b) above it. Times are skewed: one configuration 50 times slower than the best would leave no
// room to tell apart those within a tenth of it, which is what the search is about. Close to the best nothing changes,
// so that what is presumed and what improvement is expected keep their units there.
class Target {
 public:
  // `weights` has one weight for each objective. They make one number of several objectives by Knowles' augmented
  // Tchebycheff sum (2006). If there are none, the first objective alone counts. `bend` is b in standard deviations of
  // the logarithms. If it is 0 there is no bend, and neither is there for several objectives and those of both signs.
  Target(const History& history, const std::vector<double>& weights, double bend = 0);

  // Returns the number that models learn of a correct observation.
  double of(const Observation& observation) const;
  // Returns the least value met.
  double best() const { return best_; }
  void include(const Observation& observation);
  // Returns the standard deviation of what is standardised. These are logarithms (bent, if there is a bend), unless the
  // objectives have both signs.
  double scale() const { return scale_; }
  bool logarithmic() const { return logarithmic_; }

 private:
  // Computes the mean, the deviation and the best of what `learnt` says now. An expected deviation of 0 counts nothing.
  void standardise(const std::vector<const Observation*>& correct, double expected_deviation);
  double learnt(const Observation& observation) const;
  double raw(const Observation& observation) const;
  double single(double objective, std::size_t index) const;

  std::vector<double> weights_, low_, high_;  // ranges by objective
  double bend_ = 0, least_ = 0;               // in the units of `raw`; where the bend begins
  bool logarithmic_ = false;
  bool negative_ = false;
  double centre_ = 0, scale_ = 1, best_ = 0;
};

}  // namespace warptune::search
