// Computes the ranks, the costs, the grid of times and random search's baseline of a recorded space.
#include "search/compare/scored_space.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "search/compare/pchip.h"
#include "search/compare/statistics.h"

namespace warptune::search::compare {

namespace {

void check(const std::vector<ScoredConfiguration>& configurations, const Cutoff& cutoff) {
  double total = 0;
  for (const auto& [objective, cost_s] : configurations) {
    if (objective && !std::isfinite(*objective)) throw std::invalid_argument("an objective is not a finite number");
    if (!std::isfinite(cost_s) || cost_s < 0) throw std::invalid_argument("a cost is not a finite number of seconds");
    total += cost_s;
  }
  if (total <= 0) throw std::invalid_argument("no evaluation costs any time, so there is nothing to compare over");
  if (!(cutoff.start >= 0 && cutoff.start < cutoff.end && cutoff.end <= 1) || cutoff.resolution < 2)
    throw std::invalid_argument("a cutoff must have 0 <= start < end <= 1 and at least two times");
}

std::vector<double> linear_range(double from, double to, std::size_t n) {
  std::vector<double> range(n);
  for (std::size_t i = 0; i < n; ++i)
    range[i] = from + (to - from) * static_cast<double>(i) / static_cast<double>(n - 1);
  range.back() = to;
  return range;
}

}  // namespace

ScoredSpace::ScoredSpace(std::vector<ScoredConfiguration> configurations, const Cutoff& cutoff)
    : configurations_(std::move(configurations)) {
  check(configurations_, cutoff);
  for (const auto& configuration : configurations_)
    if (configuration.objective) objectives_.push_back(*configuration.objective);
  if (objectives_.empty()) throw std::invalid_argument("no configuration has an objective: nothing to search for");
  std::sort(objectives_.begin(), objectives_.end());
  median_objective_ = median_of_sorted(objectives_);
  for (const auto& configuration : configurations_) {
    if (!configuration.objective) {
      ranks_.push_back(no_rank);
      continue;
    }
    const auto place = std::lower_bound(objectives_.begin(), objectives_.end(), *configuration.objective);
    ranks_.push_back(static_cast<Rank>(place - objectives_.begin()));
  }
  set_costs();
  set_grid(cutoff);
  set_baseline();
}

void ScoredSpace::set_costs() {
  std::vector<double> costs;
  double valid_sum = 0, failed_sum = 0;
  for (const auto& [objective, cost_s] : configurations_) {
    costs.push_back(cost_s);
    (objective ? valid_sum : failed_sum) += cost_s;
  }
  median_cost_s_ = median(std::move(costs));
  const auto valid = static_cast<double>(objectives_.size());
  // The failed sum over the number of all configurations is share_failed * mean(failed).
  mean_cost_s_ = valid_sum / valid + failed_sum / static_cast<double>(configurations_.size());
}

double ScoredSpace::evaluations_to(double fraction) const {
  const double target = optimum() + (median_objective_ - optimum()) * (1 - fraction);
  const auto n = static_cast<std::ptrdiff_t>(objectives_.size());
  // This is the index of the first objective that is good enough, in the descending list.
  auto index = n - (std::upper_bound(objectives_.begin(), objectives_.end(), target) - objectives_.begin());
  // Rounding can put the target a hair below the optimum.
  index = std::min(index, n - 1);
  const double reached = objectives_[static_cast<std::size_t>(n - 1 - index)];
  if (fraction != 1 && reached == optimum() && index > 0) --index;
  return std::ceil(static_cast<double>(index) / static_cast<double>(n + 1 - index));
}

void ScoredSpace::set_grid(const Cutoff& cutoff) {
  double from = evaluations_to(cutoff.start);
  double to = evaluations_to(cutoff.end);
  if (to - from < 2) {  // too short a stretch to tell strategies apart
    to += from == 0 ? 2 : 1;
    from = std::max(from - 1, 0.0);
  }
  // A median cost of 0 (most configurations refused at once) would make a grid of no length.
  const double unit_s = median_cost_s_ > 0 ? median_cost_s_ : mean_cost_s_;
  grid_s_ = linear_range(from * unit_s, to * unit_s, cutoff.resolution);
}

double ScoredSpace::random_search_evaluations(double time_s) const {
  return std::nearbyint(std::max(time_s / mean_cost_s_, 1.0));
}

double ScoredSpace::random_search_best(double evaluations) const {
  const auto n = static_cast<double>(objectives_.size());
  const double index = std::min(n - 1, std::nearbyint(evaluations * (n + 1) / (evaluations + 1)));
  return objectives_[objectives_.size() - 1 - static_cast<std::size_t>(index)];
}

void ScoredSpace::set_baseline() {
  std::vector<double> evaluations, best;
  for (double time_s : grid_s_) {
    const double m = random_search_evaluations(time_s);
    if (!evaluations.empty() && evaluations.back() == m) continue;
    evaluations.push_back(m);
    best.push_back(random_search_best(m));
  }
  if (evaluations.size() < 2) {
    baseline_.assign(grid_s_.size(), best.front());
    return;
  }
  const auto smooth = linear_range(evaluations.front(), evaluations.back(), grid_s_.size());
  baseline_ = MonotoneCubic(std::move(evaluations), std::move(best)).at_ascending(smooth);
}

double ScoredSpace::score(const std::vector<double>& curve_ranks) const {
  const auto worst = static_cast<double>(objectives_.size() - 1);
  double sum = 0;
  std::size_t informative = 0;
  for (std::size_t i = 0; i < baseline_.size(); ++i) {
    const double room = baseline_[i] - optimum();
    if (room <= 0) continue;
    const double rank = std::clamp(std::nearbyint(curve_ranks[i]), 0.0, worst);
    sum += (baseline_[i] - objectives_[static_cast<std::size_t>(rank)]) / room;
    ++informative;
  }
  return informative == 0 ? 0 : sum / static_cast<double>(informative);
}

}  // namespace warptune::search::compare
