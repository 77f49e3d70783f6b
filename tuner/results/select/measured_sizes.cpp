// Numbers the configurations of all sessions, and collects their settled objectives.
#include "tuner/results/select/measured_sizes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "db/settled.h"

namespace warptune::tuner {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// Returns a trial's settled objective. Nothing counts as better than the winner: a trial that the search measured once
// and the finals left out was only luckier.
double objective_of(const std::optional<db::Winner>& winner, const db::StoredTrial& stored) {
  const bool rated = stored.trial.correct() && !stored.trial.objectives.empty();
  if (!rated) return infinite;
  const double objective = db::settled(winner, stored).objective;
  return winner ? std::max(objective, winner->objective) : objective;
}

std::vector<std::size_t> best_at(const MeasuredSizes& measured, std::size_t size, std::size_t top) {
  std::vector<std::size_t> numbers;
  for (std::size_t c = 0; c < measured.configurations.size(); ++c)
    if (measured.objectives[c][size].value_or(infinite) < infinite) numbers.push_back(c);
  std::ranges::stable_sort(numbers, {}, [&](std::size_t c) { return *measured.objectives[c][size]; });
  numbers.resize(std::min(top, numbers.size()));
  return numbers;
}

}  // namespace

// The best of negative objectives is the furthest from zero.
double slowdown(double objective, double best) {
  if (objective == infinite) return infinite;
  if (best < 0) return objective < 0 ? std::max(1.0, best / objective) : infinite;
  return best > 0 ? std::max(1.0, objective / best) : 1;
}

MeasuredSizes measured_sizes(const std::vector<StoredSize>& sizes, const search::NamedValues& default_values) {
  MeasuredSizes measured;
  std::map<std::string, std::size_t> numbers;
  for (std::size_t size = 0; size < sizes.size(); ++size) {
    MeasuredSize entry{sizes[size].session, infinite, std::nullopt, std::nullopt};
    if (sizes[size].winner) entry.default_objective = sizes[size].winner->default_objective;
    for (const db::StoredTrial& stored : sizes[size].trials) {
      const auto [known, added] = numbers.emplace(search::to_text(stored.values), numbers.size());
      if (added) {
        measured.configurations.push_back(stored.values);
        measured.objectives.emplace_back(sizes.size());
      }
      const double objective = objective_of(sizes[size].winner, stored);
      measured.objectives[known->second][size] = objective;
      entry.best = std::min(entry.best, objective);
      if (sizes[size].winner && sizes[size].winner->trial == stored.id) entry.winner = known->second;
      if (stored.values == default_values && objective < infinite) entry.default_objective = objective;
    }
    if (sizes[size].winner) entry.best = std::min(entry.best, sizes[size].winner->objective);
    measured.sizes.push_back(std::move(entry));
  }
  return measured;
}

std::vector<MissingFigures> missing_figures(const MeasuredSizes& measured, std::size_t top,
                                            const search::NamedValues& default_values) {
  std::set<std::size_t> wanted;
  for (std::size_t size = 0; size < measured.sizes.size(); ++size)
    for (const std::size_t c : best_at(measured, size, top)) wanted.insert(c);
  for (std::size_t c = 0; c < measured.configurations.size(); ++c)
    if (measured.configurations[c] == default_values) wanted.insert(c);
  std::vector<MissingFigures> missing;
  for (const std::size_t c : wanted) {
    MissingFigures figures{c, {}};
    for (std::size_t size = 0; size < measured.sizes.size(); ++size)
      if (!measured.objectives[c][size]) figures.sizes.push_back(size);
    if (!figures.sizes.empty()) missing.push_back(std::move(figures));
  }
  return missing;
}

ComparableConfigurations comparable(const MeasuredSizes& measured) {
  ComparableConfigurations result;
  for (const MeasuredSize& size : measured.sizes)
    result.problem.default_slowdown.push_back(size.default_objective ? slowdown(*size.default_objective, size.best)
                                                                     : infinite);
  // Of configurations that are equally slow the first is chosen. So winners, whose figures were settled by finals, come
  // first.
  std::vector<std::size_t> order(measured.configurations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_partition(order.begin(), order.end(), [&](std::size_t c) {
    return std::ranges::any_of(measured.sizes, [&](const MeasuredSize& size) { return size.winner == c; });
  });
  for (const std::size_t c : order) {
    std::vector<double> row;
    for (std::size_t size = 0; size < measured.sizes.size(); ++size)
      if (const auto& objective = measured.objectives[c][size])
        row.push_back(slowdown(*objective, measured.sizes[size].best));
    if (row.size() < measured.sizes.size()) {
      ++result.incomplete;
      continue;
    }
    result.problem.slowdown.push_back(std::move(row));
    result.numbers.push_back(c);
  }
  return result;
}

}  // namespace warptune::tuner
