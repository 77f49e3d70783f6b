// Computes signed-rank intervals by counting the subsets of ranks, and compares candidates with the leader in three
// looks.
#include "tuner/measure/sampling/elimination.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/measure/sampling/statistics.h"

namespace warptune::tuner {

namespace {

constexpr double error_rate = 0.05;
constexpr std::size_t looks = 3;

double alpha_of(std::size_t candidates) {
  const double pairs = std::max(1.0, static_cast<double>(candidates * (candidates - 1)) / 2);
  return error_rate / pairs / static_cast<double>(looks);
}

// Returns the least number of rounds that can reach significance: all differences have the same sign with probability
// 2^-n on either side.
std::size_t least_rounds(double alpha) {
  return static_cast<std::size_t>(std::ceil(std::log2(2 / alpha)));
}

// Returns how many of the smallest (and of the largest) of n (n + 1) / 2 sorted averages lie outside the interval. That
// is the number of values t = 0, 1 … with P(T <= t) <= tail, where T is the sum of a random subset of 1 … n.
std::size_t outside(std::size_t n, double tail) {
  std::vector<double> ways(n * (n + 1) / 2 + 1, 0.0);  // number of subsets by their sum, divided by 2^n
  ways[0] = std::pow(0.5, static_cast<double>(n));
  for (std::size_t rank = 1; rank <= n; ++rank)
    for (std::size_t sum = ways.size(); sum-- > rank;) ways[sum] += ways[sum - rank];
  double cumulative = 0;
  std::size_t count = 0;
  for (const double probability : ways) {
    cumulative += probability;
    if (cumulative > tail) break;
    ++count;
  }
  return count;
}

}  // namespace

Shift signed_rank_shift(std::span<const double> differences, double alpha) {
  const std::size_t n = differences.size();
  std::vector<double> averages;
  averages.reserve(n * (n + 1) / 2);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j) averages.push_back((differences[i] + differences[j]) / 2);
  std::ranges::sort(averages);
  const std::size_t cut = outside(n, alpha / 2);
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (cut == 0) return {averages.empty() ? 0 : median(averages), -infinite, infinite};
  return {median(averages), averages[cut - 1], averages[averages.size() - cut]};
}

Elimination::Elimination(std::size_t candidates)
    : alpha_(alpha_of(candidates)), first_look_(least_rounds(alpha_)), logs_(candidates) {
  for (std::size_t i = 0; i < candidates; ++i) remaining_.push_back(i);
  decided_ = candidates < 2;
}

void Elimination::add_round(std::span<const double> times) {
  for (std::size_t i = 0; i < remaining_.size(); ++i) logs_[remaining_[i]].push_back(std::log(times[i]));
  ++rounds_;
  if (is_look()) look();
}

void Elimination::drop(std::size_t candidate) {
  std::erase(remaining_, candidate);
  decided_ = decided_ || remaining_.size() < 2;
}

std::size_t Elimination::leader() const {
  if (rounds_ == 0 || remaining_.empty()) return 0;
  return *std::ranges::min_element(remaining_, {}, [this](std::size_t i) { return median(logs_[i]); });
}

Shift Elimination::slower_by(std::size_t candidate) const {
  const Shift shift = shift_to(candidate, leader());
  return {std::expm1(shift.estimate), std::expm1(shift.low), std::expm1(shift.high)};
}

bool Elimination::eliminated(std::size_t candidate) const {
  return std::ranges::find(remaining_, candidate) == remaining_.end();
}

std::vector<double> Elimination::times(std::size_t candidate) const {
  std::vector<double> result;
  for (const double log : logs_[candidate]) result.push_back(std::exp(log));
  return result;
}

// There are three looks: after the fewest rounds that can convince if all agree, after three fifths more rounds than
// that, and after three times as many.
bool Elimination::is_look() const {
  return rounds_ == first_look_ || rounds_ == (8 * first_look_ + 4) / 5 || rounds_ == most_rounds();
}

void Elimination::look() {
  const std::size_t first = leader();
  std::vector<std::size_t> kept;
  bool all_equal = true;
  for (const std::size_t candidate : remaining_) {
    const Shift shift = candidate == first ? Shift{} : shift_to(candidate, first);
    if (shift.low > 0 && shift.estimate > std::log1p(margin)) continue;
    kept.push_back(candidate);
    all_equal = all_equal && shift.high < std::log1p(margin);
  }
  remaining_ = std::move(kept);
  decided_ = remaining_.size() < 2 || all_equal || rounds_ >= most_rounds();
}

Shift Elimination::shift_to(std::size_t candidate, std::size_t leader) const {
  std::vector<double> differences;
  const std::size_t common = std::min(logs_[candidate].size(), logs_[leader].size());
  for (std::size_t round = 0; round < common; ++round)
    differences.push_back(logs_[candidate][round] - logs_[leader][round]);
  return signed_rank_shift(differences, alpha_);
}

}  // namespace warptune::tuner
