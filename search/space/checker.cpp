#include "search/space/checker.h"

#include <algorithm>

#include "search/space/plan.h"

namespace warptune {

Checker::Checker(const Problem& problem) : problem_(problem), variable_of_(problem.domains().size()) {
  const Graph& graph = problem.graph();
  const std::vector<NodeId> nodes = Scope{{}, problem.roots()}.nodes(graph);
  std::vector<bool> is_root(graph.size());
  for (const Root& root : problem.roots()) is_root[root.node] = true;
  for (NodeId id : nodes) {
    if (graph[id].kind == Node::Kind::variable) {
      variables_.emplace_back(graph[id].a, id);
      variable_of_[graph[id].a] = id;
    } else {
      steps_.push_back({graph[id], id, is_root[id]});
    }
  }
  std::vector<bool> depends(graph.size());
  for (std::uint32_t p = 0; p < variable_of_.size(); ++p) {
    first_.push_back(static_cast<std::uint32_t>(touching_.size()));
    for (NodeId id : nodes) depends[id] = graph[id].kind == Node::Kind::variable && graph[id].a == p;
    for (const Step& step : steps_) {
      bool affected = false;
      graph.for_operands(step.node, [&](NodeId operand) { affected |= depends[operand]; });
      depends[step.target] = affected;
      if (affected) touching_.push_back(step);
    }
  }
  first_.push_back(static_cast<std::uint32_t>(touching_.size()));
}

std::vector<Scalar> Checker::start(const std::uint32_t* choices) const {
  std::vector<Scalar> slots = problem_.graph().slots();
  for (const auto& [parameter, node] : variables_) slots[node] = problem_.value(parameter, choices[parameter]);
  return slots;
}

bool Checker::holds(const std::uint32_t* choices) const {
  std::vector<Scalar> slots = start(choices);
  return problem_.graph().run(steps_, slots.data());
}

std::size_t Checker::bytes() const {
  return (steps_.capacity() + touching_.capacity()) * sizeof(Step) + variables_.capacity() * sizeof(variables_[0]) +
         (variable_of_.capacity() + first_.capacity()) * sizeof(std::uint32_t);
}

Checker::Variation::Variation(const Checker& checker, const std::uint32_t* choices)
    : checker_(checker), base_(checker.start(choices)) {
  for (const Step& step : checker.steps_) {
    base_[step.target] = checker.problem_.graph().compute(step.node, base_.data());
    if (step.check && !Graph::holds(base_[step.target])) violated_.push_back(step.target);
  }
  slots_ = base_;
}

bool Checker::Variation::may_vary(std::uint32_t parameter) const {
  const std::span<const Step> steps = checker_.touching(parameter);
  return std::ranges::all_of(violated_, [&](NodeId root) {
    return std::ranges::any_of(steps, [root](const Step& step) { return step.target == root; });
  });
}

bool Checker::Variation::holds_with(std::uint32_t parameter, std::uint32_t choice) {
  const std::span<const Step> steps = checker_.touching(parameter);
  if (steps.empty()) return true;
  slots_[checker_.variable_of_[parameter]] = checker_.problem_.value(parameter, choice);
  return checker_.problem_.graph().run(steps, slots_.data());
}

void Checker::Variation::restore(std::uint32_t parameter) {
  const std::span<const Step> steps = checker_.touching(parameter);
  if (steps.empty()) return;
  const NodeId variable = checker_.variable_of_[parameter];
  slots_[variable] = base_[variable];
  for (const Step& step : steps) slots_[step.target] = base_[step.target];
}

}  // namespace warptune
