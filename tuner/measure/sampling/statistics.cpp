// Computes the intervals from binomial probabilities, and from Student's t for a handful of samples.
#include "tuner/measure/sampling/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace warptune::tuner {

namespace {

// Returns the largest k with P(Binomial(n, 1/2) < k) <= 2.5 %, or 0 if there is none. The order statistics k and n+1-k
// (1-based) then enclose the median with at least 95 %.
std::size_t interval_rank(std::size_t n) {
  double probability = std::pow(0.5, static_cast<double>(n));  // the probability of exactly i successes
  double cumulative = 0;
  std::size_t rank = 0;
  for (std::size_t i = 0; i < n / 2; ++i) {
    cumulative += probability;
    if (cumulative > 0.025) break;
    rank = i + 1;
    probability *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  return rank;
}

// The quantiles of Student's t at 97.5 % for 1 to 4 degrees of freedom.
constexpr std::array<double, 4> student{12.706, 4.303, 3.182, 2.776};
constexpr std::size_t least_for_ranks = 6;  // 2 · 2^-6 < 5 %

// Returns half the width of Student's interval. A handful of samples gives no distribution-free interval, and their
// range alone would promise too much (that of three samples covers the median 3 times in 4).
double student_half_width(std::span<const double> samples) {
  const auto n = static_cast<double>(samples.size());
  const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / n;
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  return student[samples.size() - 2] * std::sqrt(squares / (n - 1) / n);
}

}  // namespace

double median(std::vector<double> samples) {
  if (samples.empty()) throw std::invalid_argument("the median of no samples");
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  if (samples.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(samples.begin(), middle)) / 2;
}

Interval median_interval(std::span<const double> samples) {
  if (samples.empty()) throw std::invalid_argument("the median of no samples");
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  // 2^-n underflows beyond a thousand samples; nobody takes that many, and the outer ranks stay valid bounds.
  const std::size_t rank = std::max<std::size_t>(1, interval_rank(sorted.size()));
  return {sorted[rank - 1], sorted[sorted.size() - rank]};
}

double relative_error(std::span<const double> samples) {
  const double middle = median({samples.begin(), samples.end()});
  const Interval interval = median_interval(samples);
  if (middle == 0 || samples.size() < 2) return std::numeric_limits<double>::infinity();
  double half_width = (interval.high - interval.low) / 2;
  if (samples.size() < least_for_ranks) half_width = std::max(half_width, student_half_width(samples));
  return half_width / middle;
}

}  // namespace warptune::tuner
