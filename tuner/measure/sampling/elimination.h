// Finds the fastest of some candidates that are measured side by side, round by round. The code is pure statistics and
// uses no device.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace warptune::tuner {

// A location estimate of paired differences, with an interval that holds the true value with probability 1 − alpha. The
// estimate is Hodges and Lehmann's. The interval inverts Wilcoxon's signed-rank test and is exact for any symmetric
// distribution (Hollander and Wolfe, "Nonparametric Statistical Methods", section 3.3). The bounds are infinite if
// there are too few differences for this alpha.
struct Shift {
  double estimate = 0;
  double low = 0;
  double high = 0;
};
Shift signed_rank_shift(std::span<const double> differences, double alpha);

// Eliminates candidates that are slower than the best of them. Each round measures every remaining candidate once, in
// any order. The statistics use the logarithms of times relative to the leader's of the same round, so that drift
// cancels and outliers weigh as ranks only. The chance that any of the candidates is called slower than an equal one is
// at most 5 %. This holds because times of equal candidates differ symmetrically, and because alpha is shared
// (Bonferroni) by all looks and by all pairs, as the same data choose the leader. A candidate is called slower only if
// it is estimated to be slower by more than `margin`; two that are closer than that count as equal.
class Elimination {
 public:
  static constexpr double margin = 0.005;

  explicit Elimination(std::size_t candidates);

  // `first_look` is the least number of rounds after which anything can be said; `most_rounds` is the most that are
  // worth their time.
  std::size_t first_look() const { return first_look_; }
  std::size_t most_rounds() const { return 3 * first_look_; }

  // Returns the numbers of the candidates that are still measured.
  const std::vector<std::size_t>& remaining() const { return remaining_; }
  // Adds a round: one positive time for each remaining candidate, in the order of `remaining`.
  void add_round(std::span<const double> times);
  // Removes a candidate that could not be measured.
  void drop(std::size_t candidate);
  // Returns whether more rounds would teach nothing: one candidate is left, all that are left are equal, or all rounds
  // are done.
  bool decided() const { return decided_; }

  // Returns the number of the fastest candidate; 0 before the first round.
  std::size_t leader() const;
  // Returns how much slower the candidate is than the leader, as a share of the leader's time, over the rounds that
  // both took part in.
  Shift slower_by(std::size_t candidate) const;
  bool eliminated(std::size_t candidate) const;
  // Returns the candidate's times, round by round.
  std::vector<double> times(std::size_t candidate) const;
  std::size_t rounds() const { return rounds_; }

 private:
  bool is_look() const;
  void look();
  Shift shift_to(std::size_t candidate, std::size_t leader) const;

  double alpha_;
  std::size_t first_look_;
  std::size_t rounds_ = 0;
  std::vector<std::vector<double>> logs_;
  std::vector<std::size_t> remaining_;
  bool decided_ = false;
};

}  // namespace warptune::tuner
