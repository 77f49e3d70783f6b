// Numbers the configurations of all sessions, and chooses among them by greedy choice, swaps, and branch and bound over
// the configurations that none dominates.
#include "tuner/results/select/selection.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <tuple>

#include "db/settled.h"

namespace warptune::tuner {

namespace {

constexpr double unreachable = std::numeric_limits<double>::infinity();
using Costs = std::vector<double>;

// Holds what a choice is judged by, the most important first.
struct Score {
  double missed = 0;  // sum over the sizes of what it is slower than the default
  double worst = 0;
  double mean = 0;

  friend auto operator<=>(const Score&, const Score&) = default;
};

Score score(const Costs& costs, const Costs& default_costs) {
  Score result;
  for (std::size_t size = 0; size < costs.size(); ++size) {
    if (costs[size] > default_costs[size]) result.missed += costs[size] - default_costs[size];
    result.worst = std::max(result.worst, costs[size]);
    result.mean += costs[size] / static_cast<double>(costs.size());
  }
  return result;
}

Costs best_of(Costs costs, const Costs& other) {
  for (std::size_t size = 0; size < costs.size(); ++size) costs[size] = std::min(costs[size], other[size]);
  return costs;
}

bool dominates(const Costs& a, const Costs& b) {
  for (std::size_t size = 0; size < a.size(); ++size)
    if (a[size] > b[size]) return false;
  return true;
}

// Returns the configurations without those that another one matches or beats everywhere: some best choice has none of
// them.
std::vector<std::size_t> undominated(const SelectionProblem& problem) {
  std::vector<std::size_t> kept;
  const auto& slowdown = problem.slowdown;
  for (std::size_t c = 0; c < slowdown.size(); ++c) {
    const bool beaten = std::ranges::any_of(kept, [&](std::size_t k) { return dominates(slowdown[k], slowdown[c]); });
    if (beaten) continue;
    std::erase_if(kept, [&](std::size_t k) { return dominates(slowdown[c], slowdown[k]); });
    kept.push_back(c);
  }
  return kept;
}

class Search {
 public:
  Search(const SelectionProblem& problem, std::size_t k, std::size_t max_nodes)
      : default_costs_(problem.default_slowdown), nodes_left_(max_nodes) {
    numbers_ = undominated(problem);
    k_ = std::min(k, numbers_.size());
    for (const std::size_t number : numbers_) costs_.push_back(problem.slowdown[number]);
    nothing_.assign(default_costs_.size(), unreachable);
  }

  void run() {
    greedy();
    while (swap()) {
    }
    // suffix_[i] is what the candidates from i on could reach at best, for the bound.
    suffix_.assign(costs_.size() + 1, nothing_);
    for (std::size_t i = costs_.size(); i-- > 0;) suffix_[i] = best_of(suffix_[i + 1], costs_[i]);
    std::vector<std::size_t> chosen;
    branch(0, nothing_, chosen);
  }

  std::vector<std::size_t> chosen() const {
    std::vector<std::size_t> numbers;
    for (const std::size_t index : best_) numbers.push_back(numbers_[index]);
    std::ranges::sort(numbers);
    return numbers;
  }
  bool exact() const { return nodes_left_ > 0; }

 private:
  Costs costs_of(const std::vector<std::size_t>& chosen) const {
    Costs costs = nothing_;
    for (const std::size_t index : chosen) costs = best_of(std::move(costs), costs_[index]);
    return costs;
  }

  // Where no configuration serves a size yet, scores are unreachable and equal; the number of such sizes decides first.
  static std::size_t unserved(const Costs& costs) {
    return static_cast<std::size_t>(std::ranges::count(costs, unreachable));
  }
  std::tuple<std::size_t, Score> rank(const Costs& costs) const {
    return {unserved(costs), score(costs, default_costs_)};
  }

  void greedy() {
    Costs costs = nothing_;
    while (best_.size() < k_) {
      std::size_t next = 0;
      for (std::size_t i = 1; i < costs_.size(); ++i)
        if (rank(best_of(costs, costs_[i])) < rank(best_of(costs, costs_[next]))) next = i;
      best_.push_back(next);
      costs = best_of(std::move(costs), costs_[next]);
    }
    best_rank_ = rank(costs);
  }

  // Makes the first exchange of one chosen for another that helps. Returns false if none does.
  bool swap() {
    for (std::size_t out = 0; out < best_.size(); ++out)
      for (std::size_t in = 0; in < costs_.size(); ++in) {
        std::vector<std::size_t> changed = best_;
        changed[out] = in;
        if (take(changed, costs_of(changed))) return true;
      }
    return false;
  }

  bool take(const std::vector<std::size_t>& chosen, const Costs& costs) {
    const auto candidate = rank(costs);
    if (!(candidate < best_rank_)) return false;
    best_rank_ = candidate;
    best_ = chosen;
    return true;
  }

  void branch(std::size_t first, const Costs& costs, std::vector<std::size_t>& chosen) {
    if (nodes_left_ == 0) return;
    --nodes_left_;
    take(chosen, costs);
    if (chosen.size() == k_) return;
    for (std::size_t i = first; i < costs_.size(); ++i) {
      // If all that is left makes the choice no better, no part of it does.
      if (!(rank(best_of(costs, suffix_[i])) < best_rank_)) return;
      chosen.push_back(i);
      branch(i + 1, best_of(costs, costs_[i]), chosen);
      chosen.pop_back();
    }
  }

  const Costs& default_costs_;
  std::size_t nodes_left_;
  std::size_t k_ = 0;
  std::vector<std::size_t> numbers_;  // of the candidates, in the problem
  std::vector<Costs> costs_;          // of the candidates
  std::vector<Costs> suffix_;
  Costs nothing_;
  std::vector<std::size_t> best_;
  std::tuple<std::size_t, Score> best_rank_;
};

void require_sense(const SelectionProblem& problem, std::size_t k) {
  if (k == 0) throw std::invalid_argument("cannot select 0 kernels; ask for one or more");
  if (problem.slowdown.empty() || problem.default_slowdown.empty())
    throw std::invalid_argument("cannot select among no configurations or for no sizes");
  for (const Costs& costs : problem.slowdown)
    if (costs.size() != problem.default_slowdown.size())
      throw std::invalid_argument("every configuration needs a figure for every size");
}

}  // namespace

Selection select_kernels(const SelectionProblem& problem, std::size_t k, std::size_t max_nodes) {
  require_sense(problem, k);
  Search search(problem, k, max_nodes);
  search.run();
  Selection selection;
  selection.chosen = search.chosen();
  selection.exact = search.exact();
  const std::size_t sizes = problem.default_slowdown.size();
  for (std::size_t size = 0; size < sizes; ++size) {
    const std::size_t serving =
        *std::ranges::min_element(selection.chosen, {}, [&](std::size_t c) { return problem.slowdown[c][size]; });
    const double slowdown = problem.slowdown[serving][size];
    selection.at.push_back(serving);
    selection.worst_regret = std::max(selection.worst_regret, slowdown - 1);
    selection.mean_regret += (slowdown - 1) / static_cast<double>(sizes);
    selection.above_default = selection.above_default || slowdown > problem.default_slowdown[size];
  }
  // Kernels that serve no size are not needed.
  std::erase_if(selection.chosen, [&](std::size_t c) { return !std::ranges::count(selection.at, c); });
  return selection;
}

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
