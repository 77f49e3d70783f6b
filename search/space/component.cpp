// Builds components within the limits, and draws from them.
#include "search/space/component.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "search/space/diagram.h"

namespace warptune::search {

namespace {

// The constraints to leave out first come last: those that tie the most parameters together.
Scope widest_last(Scope scope) {
  std::ranges::stable_sort(scope.roots, {}, [](const Root& root) { return root.parameters.size(); });
  return scope;
}

std::vector<Computation> checking_steps(const Graph& graph, std::span<const Root> roots) {
  std::vector<NodeId> tops;
  for (const Root& root : roots) tops.push_back(root.node);
  std::vector<Computation> steps;
  // Variables stay among the steps: `accepts` reads them to know what to fill in.
  for (NodeId id : graph.below(tops)) steps.push_back({graph[id], id, std::ranges::find(tops, id) != tops.end()});
  return steps;
}

}  // namespace

Count below(Rng& rng, Count bound) {
  constexpr Count word = std::numeric_limits<std::uint64_t>::max();
  if (bound <= word) return rng.below(static_cast<std::uint64_t>(bound));
  // Draws as many bits as the bound has until they are below it: fewer than two draws on average.
  const int spare = __builtin_clzll(static_cast<std::uint64_t>(bound >> 64));
  for (;;) {
    const Count high = rng.next() >> spare;
    const Count draw = high << 64 | rng.next();
    if (draw < bound) return draw;
  }
}

std::optional<Component> Component::attempt(const ConstraintProblem& problem, const Scope& scope,
                                            std::size_t max_nodes) {
  const std::vector<std::uint32_t> order = choose_order(problem, scope);
  std::optional<Diagram> diagram = build_diagram(problem, make_plan(problem, scope, order), max_nodes);
  if (!diagram) return std::nullopt;
  return Component(order, std::move(*diagram));
}

Component Component::build(const ConstraintProblem& problem, const Scope& scope, const SpaceLimits& limits) {
  if (std::optional<Component> exact = attempt(problem, scope, limits.max_nodes)) {
    exact->flatten_if_smaller();
    return std::move(*exact);
  }
  const Scope sorted = widest_last(scope);
  // Halves the range of how many constraints can stay. A superset may be rough, so attempts get a smaller budget.
  std::size_t kept = 0;
  std::size_t too_many = sorted.roots.size();
  std::optional<Component> best = attempt(problem, {scope.parameters, {}}, std::numeric_limits<std::uint32_t>::max());
  if (!best)
    throw std::overflow_error(fmt::format(
        "cannot count the search space: {} parameters tied together by constraints have more than 2^128 combinations",
        scope.parameters.size()));
  while (too_many - kept > 1) {
    const std::size_t middle = (kept + too_many) / 2;
    const auto end = sorted.roots.begin() + static_cast<std::ptrdiff_t>(middle);
    if (auto found = attempt(problem, {scope.parameters, {sorted.roots.begin(), end}}, limits.max_nodes / 4)) {
      best = std::move(found);
      kept = middle;
    } else {
      too_many = middle;
    }
  }
  best->left_out_ = checking_steps(problem.graph(), std::span(sorted.roots).subspan(kept));
  return std::move(*best);
}

void Component::flatten_if_smaller() {
  const Diagram& diagram = std::get<Diagram>(choices_);
  // Where there is next to nothing to save, building rows would cost more than they can give back.
  if (diagram.bytes() < 16'384) return;
  const std::size_t width = parameters_.size();
  if (diagram.count() * (width * sizeof(std::uint32_t)) >= diagram.bytes()) return;
  const auto rows = static_cast<std::size_t>(diagram.count());
  std::vector<std::uint32_t> layers(width);
  for (std::uint32_t l = 0; l < width; ++l) layers[l] = l;
  std::vector<std::uint32_t> cells(rows * width);
  for (std::size_t i = 0; i < rows; ++i) diagram.at(i, layers.data(), cells.data() + i * width);
  choices_ = RowTable(width, std::move(cells));
}

Count Component::count() const {
  if (const auto* diagram = std::get_if<Diagram>(&choices_)) return diagram->count();
  return std::get<RowTable>(choices_).size();
}

void Component::at(Count rank, std::uint32_t* choices) const {
  if (const auto* diagram = std::get_if<Diagram>(&choices_)) return diagram->at(rank, parameters_.data(), choices);
  const RowTable::Row row = std::get<RowTable>(choices_)[static_cast<std::size_t>(rank)];
  for (std::size_t i = 0; i < row.size(); ++i) choices[parameters_[i]] = row[i];
}

std::optional<Count> Component::rank_of(const std::uint32_t* choices) const {
  if (const auto* diagram = std::get_if<Diagram>(&choices_)) return diagram->rank_of(parameters_.data(), choices);
  std::vector<std::uint32_t> row(parameters_.size());
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = choices[parameters_[i]];
  if (const auto index = std::get<RowTable>(choices_).find(row)) return *index;
  return std::nullopt;
}

bool Component::accepts(const ConstraintProblem& problem, std::vector<Scalar>& slots,
                        const std::uint32_t* choices) const {
  for (const Computation& step : left_out_) {
    const bool variable = step.node.kind == Node::Kind::variable;
    slots[step.target] =
        variable ? problem.value(step.node.a, choices[step.node.a]) : problem.graph().compute(step.node, slots.data());
    if (step.check && !Graph::holds(slots[step.target])) return false;
  }
  return true;
}

bool Component::sample(Rng& rng, const ConstraintProblem* problem, std::uint32_t* choices, std::size_t& draws) const {
  if (exact()) {
    draw(rng, choices);
    return true;
  }
  std::vector<Scalar> slots = problem->graph().slots();
  for (; draws > 0; --draws) {
    draw(rng, choices);
    if (accepts(*problem, slots, choices)) return true;
  }
  return false;
}

std::vector<std::vector<std::uint32_t>> Component::used() const {
  return std::visit([](const auto& choices) { return choices.used(); }, choices_);
}

std::size_t Component::bytes() const {
  return std::visit([](const auto& choices) { return choices.bytes(); }, choices_);
}

}  // namespace warptune::search
