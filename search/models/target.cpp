// Standardises the objectives of observations, and bends them far from the best.
#include "search/models/target.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warptune::search {

namespace {

// These are a guess at the standard deviation of log times, and how many observations it counts for.
constexpr double expected_scale = 0.5, expected_weight = 1;

}  // namespace

Target::Target(const History& history, const std::vector<double>& weights, double bend) : weights_(weights) {
  bool positive = true, negative = true;
  std::vector<const Observation*> correct;
  for (const Observation& observation : history.all())
    if (observation.state == Observation::State::correct) correct.push_back(&observation);
  for (const Observation* observation : correct)
    positive &= observation->objectives.front() > 0, negative &= observation->objectives.front() < 0;
  logarithmic_ = positive || negative;
  negative_ = !positive && negative;
  if (correct.empty()) return;

  for (std::size_t i = 0; i < weights_.size(); ++i) {
    low_.push_back(std::numeric_limits<double>::infinity());
    high_.push_back(-std::numeric_limits<double>::infinity());
    for (const Observation* observation : correct)
      if (i < observation->objectives.size()) {
        low_.back() = std::min(low_.back(), observation->objectives[i]);
        high_.back() = std::max(high_.back(), observation->objectives[i]);
      }
  }
  standardise(correct, logarithmic_ && weights_.empty() ? expected_scale : 0);
  if (!(bend > 0) || !logarithmic_ || !weights_.empty()) return;
  least_ = best_ * scale_ + centre_;
  bend_ = bend * scale_;
  standardise(correct, expected_scale);
}

void Target::standardise(const std::vector<const Observation*>& correct, double expected_deviation) {
  double sum = 0, squares = 0, least = std::numeric_limits<double>::infinity();
  const auto n = static_cast<double>(correct.size());
  for (const Observation* observation : correct) {
    const double value = learnt(*observation);
    least = std::min(least, value);
    sum += value;
  }
  centre_ = sum / n;
  for (const Observation* observation : correct) squares += std::pow(learnt(*observation) - centre_, 2);
  const double weight = expected_deviation > 0 ? expected_weight : 0;
  scale_ = std::sqrt((weight * expected_deviation * expected_deviation + squares) / (weight + n));
  if (!(scale_ > 0) || !std::isfinite(scale_)) scale_ = 1;
  best_ = (least - centre_) / scale_;
}

double Target::single(double objective, std::size_t index) const {
  if (!weights_.empty()) {
    const double range = high_[index] - low_[index];
    return range > 0 ? (objective - low_[index]) / range : 0;
  }
  if (!logarithmic_) return objective;
  return negative_ ? -std::log(-objective) : std::log(objective);
}

double Target::raw(const Observation& observation) const {
  if (weights_.empty()) return single(observation.objectives.front(), 0);
  constexpr double augmentation = 0.05;
  double largest = 0, sum = 0;
  for (std::size_t i = 0; i < std::min(weights_.size(), observation.objectives.size()); ++i) {
    const double part = weights_[i] * single(observation.objectives[i], i);
    largest = std::max(largest, part);
    sum += part;
  }
  return largest + augmentation * sum;
}

double Target::learnt(const Observation& observation) const {
  const double value = raw(observation);
  if (!(bend_ > 0) || value <= least_) return value;
  return least_ + bend_ * std::log1p((value - least_) / bend_);
}

void Target::include(const Observation& observation) {
  if (observation.state == Observation::State::correct) best_ = std::min(best_, of(observation));
}

double Target::of(const Observation& observation) const {
  return (learnt(observation) - centre_) / scale_;
}

}  // namespace warptune::search
