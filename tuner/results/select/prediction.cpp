// Leaves each size out in turn, and predicts it from the others by all weights that are tried.
#include "tuner/results/select/prediction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace warptune::tuner {

namespace {

using Weights = std::vector<int>;

// Returns the weights to try. Equal ones come first, and hold unless others are better. With more dimensions each
// weight has fewer values.
std::vector<Weights> possible_weights(std::size_t dimensions) {
  constexpr std::size_t most = 300;
  std::vector<Weights> all = {Weights(dimensions, 1)};
  if (dimensions == 0) return all;
  for (const int largest : {3, 2})
    for (const int least : {0, 1}) {
      const auto values = static_cast<double>(largest - least + 1);
      const double count = std::pow(values, static_cast<double>(dimensions));
      if (all.size() > 1 || count > most) continue;
      for (std::size_t number = 0; number < static_cast<std::size_t>(count); ++number) {
        Weights weights;
        for (std::size_t rest = number; weights.size() < dimensions; rest /= static_cast<std::size_t>(values))
          weights.push_back(least + static_cast<int>(rest % static_cast<std::size_t>(values)));
        if (std::ranges::max(weights) > 0) all.push_back(std::move(weights));
      }
    }
  return all;
}

double logarithm_of(const search::Value* value) {
  return value && !std::holds_alternative<std::string>(*value) ? std::log2(std::max(1.0, search::to_double(*value)))
                                                               : 0;
}

// Describes one size of a group as others predict it: what the nearest one's configuration costs there, and what that
// of the second nearest does, for when the nearest is left out, too.
struct Predicted {
  std::size_t from = 0;
  std::optional<double> regret, regret_without;
};

class LeavingOut {
 public:
  explicit LeavingOut(const std::vector<ServedSizes>& groups) : groups_(groups) {
    for (const ServedSizes& group : groups)
      for (const search::NamedValues& size : group.sizes)
        for (const auto& [name, value] : size)
          if (std::ranges::find(names_, name) == names_.end()) names_.push_back(name);
    for (const ServedSizes& group : groups) {
      auto& rows = logarithms_.emplace_back();
      for (const search::NamedValues& size : group.sizes) {
        auto& row = rows.emplace_back();
        for (const std::string& name : names_) row.push_back(logarithm_of(search::find_value(size, name)));
      }
    }
  }

  const std::vector<std::string>& names() const { return names_; }

  std::vector<std::vector<Predicted>> predict(const Weights& weights) const {
    std::vector<std::vector<Predicted>> all;
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      auto& sizes = all.emplace_back();
      for (std::size_t size = 0; size < groups_[group].sizes.size(); ++size)
        sizes.push_back(predicted(group, size, weights));
    }
    return all;
  }

 private:
  double distance(std::size_t group, std::size_t a, std::size_t b, const Weights& weights) const {
    double sum = 0;
    for (std::size_t d = 0; d < weights.size(); ++d)
      sum += weights[d] * std::abs(logarithms_[group][a][d] - logarithms_[group][b][d]);
    return sum;
  }

  Predicted predicted(std::size_t group, std::size_t size, const Weights& weights) const {
    const ServedSizes& served = groups_[group];
    double near = std::numeric_limits<double>::infinity(), second = near;
    Predicted result{size, {}, {}};
    for (std::size_t from = 0; from < served.sizes.size(); ++from) {
      if (from == size) continue;
      const auto& slowdown = served.slowdown[served.serving[from]][size];
      if (slowdown && !std::isfinite(*slowdown)) continue;
      const auto regret = slowdown ? std::optional(*slowdown - 1) : std::nullopt;
      const double apart = distance(group, from, size, weights);
      if (apart < near) {
        result.regret_without = result.regret;
        result.regret = regret;
        result.from = from;
        second = near;
        near = apart;
      } else if (apart < second) {
        result.regret_without = regret;
        second = apart;
      }
    }
    return result;
  }

  const std::vector<ServedSizes>& groups_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::vector<double>>> logarithms_;
};

struct Sum {
  double of = 0;
  std::size_t count = 0;
  double mean() const { return count > 0 ? of / static_cast<double>(count) : std::numeric_limits<double>::infinity(); }
  void add(const std::optional<double>& value) {
    if (value) of += *value, ++count;
  }
};

using Prediction = std::vector<std::vector<Predicted>>;

// Returns the regret of all sizes, or of all but one, which then predicts no other size either.
Sum regret_of(const Prediction& prediction, std::optional<std::pair<std::size_t, std::size_t>> without = {}) {
  Sum sum;
  for (std::size_t group = 0; group < prediction.size(); ++group)
    for (std::size_t size = 0; size < prediction[group].size(); ++size) {
      const Predicted& one = prediction[group][size];
      const bool here = without && without->first == group;
      if (here && without->second == size) continue;
      sum.add(here && one.from == without->second ? one.regret_without : one.regret);
    }
  return sum;
}

// Returns the number of the best prediction. Any but the first must be better by more than chance would make it, and
// must have figures for as many sizes.
std::size_t best_of(const std::vector<Prediction>& predictions,
                    std::optional<std::pair<std::size_t, std::size_t>> without = {}) {
  constexpr double notable = 0.001;
  std::size_t best = 0;
  Sum least = regret_of(predictions.front(), without);
  const Sum equal = least;
  for (std::size_t i = 1; i < predictions.size(); ++i) {
    const Sum sum = regret_of(predictions[i], without);
    if (sum.count < equal.count || sum.mean() >= std::min(least.mean(), equal.mean() - notable)) continue;
    least = sum;
    best = i;
  }
  return best;
}

}  // namespace

ServedSizes served_by_winners(const MeasuredSizes& measured) {
  ServedSizes served;
  std::vector<std::size_t> kept;
  for (std::size_t size = 0; size < measured.sizes.size(); ++size) {
    if (!measured.sizes[size].winner) continue;
    kept.push_back(size);
    served.sizes.push_back(measured.sizes[size].session.key.problem_size);
    served.serving.push_back(*measured.sizes[size].winner);
  }
  for (const auto& objectives : measured.objectives) {
    auto& row = served.slowdown.emplace_back();
    for (const std::size_t size : kept)
      row.push_back(objectives[size] ? std::optional(slowdown(*objectives[size], measured.sizes[size].best))
                                     : std::nullopt);
  }
  return served;
}

std::optional<SizeRule> learn_size_rule(const std::vector<ServedSizes>& groups) {
  const LeavingOut leaving_out(groups);
  const std::vector<Weights> weights = possible_weights(leaving_out.names().size());
  std::vector<Prediction> predictions;
  for (const Weights& one : weights) predictions.push_back(leaving_out.predict(one));
  SizeRule rule;
  Sum sum;
  for (std::size_t group = 0; group < groups.size(); ++group)
    for (std::size_t size = 0; size < groups[group].sizes.size(); ++size) {
      const auto& regret = predictions[best_of(predictions, std::pair(group, size))][group][size].regret;
      sum.add(regret);
      if (regret) rule.worst_regret = std::max(rule.worst_regret, *regret);
    }
  if (sum.count < fewest_left_out) return std::nullopt;
  rule.left_out = sum.count;
  rule.mean_regret = sum.mean();
  const Weights& chosen = weights[best_of(predictions)];
  for (std::size_t d = 0; d < chosen.size(); ++d) rule.weights[leaving_out.names()[d]] = chosen[d];
  return rule;
}

std::size_t nearest_size(const std::vector<search::NamedValues>& sizes, const search::NamedValues& wanted,
                         const std::optional<SizeRule>& rule) {
  const auto weights = rule ? rule->weights : std::map<std::string, int>{};
  const auto key = [&](const search::NamedValues& size) {
    return std::pair(size_distance(size, wanted) > 1, size_distance(size, wanted, weights));
  };
  return static_cast<std::size_t>(std::ranges::min_element(sizes, {}, key) - sizes.begin());
}

}  // namespace warptune::tuner
