// Counts trials by value, and builds the front of time and accuracy.
#include "tuner/results/explain/coverage.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "db/settled.h"
#include "search/expression/by_value.h"

namespace warptune::tuner {

namespace {

constexpr std::size_t least_for_doubling = 20, least_tries = 3;
// Another order of additions changes an error by a little, which is no gain in accuracy.
constexpr double better_by = 0.9;

template <class Choose>
std::vector<search::Value> chosen(const std::vector<ValueCount>& values, Choose choose) {
  std::vector<search::Value> result;
  for (const ValueCount& one : values)
    if (choose(one)) result.push_back(one.value);
  return result;
}

ParameterCoverage coverage_of(const Domain& domain, const std::vector<db::StoredTrial>& trials) {
  ParameterCoverage one{domain.parameter, {}};
  search::ByValue<ValueCount> counts;
  for (const db::StoredTrial& trial : trials) {
    const search::Value* value = search::find_value(trial.values, domain.parameter);
    if (!value) continue;
    ValueCount& count = counts[*value];
    ++count.trials;
    count.correct += trial.trial.correct();
  }
  for (const search::Value& value : domain.values) {
    const ValueCount* count = counts.find(value);
    one.values.push_back(count ? *count : ValueCount{});
    one.values.back().value = value;
  }
  return one;
}

std::vector<AccuracyFront::Point> points(const Evidence& evidence, const std::string& metric) {
  std::vector<AccuracyFront::Point> result;
  for (const db::StoredTrial& trial : evidence.trials) {
    const auto error = trial.trial.metrics.find(metric);
    if (!trial.trial.correct() || error == trial.trial.metrics.end() || !std::isfinite(error->second)) continue;
    const db::Settled settled = db::settled(evidence.winner, trial);
    if (settled.time_ms) result.push_back({trial.id, *settled.time_ms, error->second});
  }
  std::ranges::stable_sort(result, {}, &AccuracyFront::Point::time_ms);
  return result;
}

}  // namespace

SearchProgress progress(const Evidence& evidence) {
  SearchProgress result;
  result.trials = evidence.trials.size();
  double best = std::numeric_limits<double>::infinity(), half = best;
  for (std::size_t i = 0; i < evidence.trials.size(); ++i) {
    if (i == evidence.trials.size() / 2) half = best;
    result.correct += evidence.trials[i].trial.correct();
    const auto cost = log_cost(evidence.trials[i]);
    if (!cost || *cost >= best) continue;
    best = *cost;
    result.best_after = i + 1;
  }
  if (result.trials >= least_for_doubling && std::isfinite(half)) result.last_doubling = std::expm1(half - best);
  return result;
}

std::vector<search::Value> ParameterCoverage::untried() const {
  return chosen(values, [](const ValueCount& one) { return one.trials == 0; });
}

std::vector<search::Value> ParameterCoverage::never_correct() const {
  return chosen(values, [](const ValueCount& one) { return one.trials >= least_tries && one.correct == 0; });
}

std::vector<ParameterCoverage> coverage(const Evidence& evidence) {
  std::vector<ParameterCoverage> result;
  for (const Domain& domain : domains_of(evidence))
    if (domain.values.size() > 1) result.push_back(coverage_of(domain, evidence.trials));
  return result;
}

std::optional<Exclusions> exclusions(const Evidence& evidence) {
  if (!evidence.space) return std::nullopt;
  Exclusions result{evidence.space->cartesian_text(), search::to_text(evidence.space->size()), {}};
  const auto all = static_cast<double>(evidence.space->cartesian_size());
  for (const search::KillCount& kill : evidence.space->kill_counts())
    if (kill.alone && *kill.alone > 0 && all > 0)
      result.constraints.push_back({kill.constraint, static_cast<double>(*kill.alone) / all});
  std::ranges::stable_sort(result.constraints, std::ranges::greater{}, &Exclusions::One::share);
  return result;
}

std::optional<AccuracyFront> accuracy(const Evidence& evidence) {
  for (const char* metric : {"rms_error", "max_error"}) {
    AccuracyFront result{metric, {}};
    for (const AccuracyFront::Point& point : points(evidence, metric))
      if (result.front.empty() || point.error < better_by * result.front.back().error) result.front.push_back(point);
    if (result.front.size() > 1) return result;
  }
  return std::nullopt;
}

}  // namespace warptune::tuner
