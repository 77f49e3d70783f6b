// Which of some candidates is fastest, measured round by round side by side: pure statistics, no device.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace warptune::tuner {

// The middle of paired differences with an interval that holds it with probability 1 − alpha: Hodges and Lehmann's
// estimate with the interval that inverts Wilcoxon's signed-rank test, exact for any symmetric distribution (Hollander
// and Wolfe, "Nonparametric Statistical Methods", section 3.3). Infinite bounds if so few differences allow none.
struct Shift {
  double estimate = 0;
  double low = 0;
  double high = 0;
};
Shift signed_rank_shift(std::span<const double> differences, double alpha);

// Eliminates candidates that are slower than the best of them. Each round measures every remaining candidate once, in
// any order; what counts are the logarithms of times relative to the leader's of the same round, so that drift cancels
// and outliers weigh as ranks. The chance that any of the candidates is called slower than an equal one is at most
// 5 %: times of equal candidates differ symmetrically, and alpha is shared (Bonferroni) by all pairs, for the leader is
// chosen by the same data, and by all looks. A candidate called slower is also slower by more than `margin` as
// estimated; two that are closer than that count as equal.
class Elimination {
 public:
  static constexpr double margin = 0.005;

  explicit Elimination(std::size_t candidates);

  // Least rounds before anything can be said, and most that are worth it.
  std::size_t first_look() const { return first_look_; }
  std::size_t most_rounds() const { return 3 * first_look_; }

  // Candidates still measured, by number.
  const std::vector<std::size_t>& remaining() const { return remaining_; }
  // One positive time for each remaining candidate, in that order.
  void add_round(std::span<const double> times);
  // A candidate that could not be measured.
  void drop(std::size_t candidate);
  // Nothing more to be learned: one is left, all that are left are equal, or all rounds are done.
  bool decided() const { return decided_; }

  // The fastest; 0 before the first round.
  std::size_t leader() const;
  // How much slower than the leader, as a share of its time, over the rounds that both were in.
  Shift slower_by(std::size_t candidate) const;
  bool eliminated(std::size_t candidate) const;
  // Its times, round by round.
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
