// Checks whole configurations step by step, and variations of one column by column.
#include "search/space/checker.h"

#include <algorithm>
#include <numeric>

#include "search/space/plan.h"

namespace warptune::search {

Checker::Checker(const ConstraintProblem& problem, const std::vector<std::vector<std::uint32_t>>& domains)
    : problem_(problem), variable_of_(problem.domains().size(), SearchPlan::no_node) {
  const Graph& graph = problem.graph();
  const std::vector<NodeId> nodes = Scope{{}, problem.roots()}.nodes(graph);
  std::vector<bool> is_root(graph.size());
  for (const Root& root : problem.roots()) is_root[root.node] = true;
  steps_.reserve(nodes.size());
  for (NodeId id : nodes) {
    if (graph[id].kind == Node::Kind::variable) {
      variables_.emplace_back(graph[id].a, id);
      variable_of_[graph[id].a] = id;
    } else {
      steps_.push_back({graph[id], id, is_root[id]});
    }
  }
  touching_.reserve(3 * steps_.size());
  std::vector<std::uint32_t> column_of(graph.size(), VaryingStep::fixed);
  for (std::uint32_t p = 0; p < problem.domains().size(); ++p) find_touching(p, column_of);
  first_.push_back(static_cast<std::uint32_t>(touching_.size()));
  blocks_.resize(domains.size());
  for (std::uint32_t p = 0; p < domains.size(); ++p)
    if (domains[p].size() >= Blocks::least_values && !touching(p).empty())
      blocks_[p].emplace(problem.values(p), domains[p]);
}

// `column_of` is all `fixed` before and after.
void Checker::find_touching(std::uint32_t parameter, std::vector<std::uint32_t>& column_of) {
  const Graph& graph = problem_.graph();
  first_.push_back(static_cast<std::uint32_t>(touching_.size()));
  const NodeId variable = variable_of_[parameter];
  if (variable == SearchPlan::no_node) return;
  column_of[variable] = 0;
  for (const Computation& step : steps_) {
    bool varies = false;
    graph.for_operands(step.node, [&](NodeId operand) { varies |= column_of[operand] != VaryingStep::fixed; });
    if (!varies) continue;
    const Node& node = step.node;
    const bool predicate = node.kind == Node::Kind::predicate;  // whose a, b and c are no nodes
    const std::size_t known = predicate                         ? 0
                              : node.kind == Node::Kind::unary  ? 1
                              : node.kind == Node::Kind::choice ? 3
                                                                : 2;
    VaryingStep varying{step, {VaryingStep::fixed, VaryingStep::fixed, VaryingStep::fixed}};
    const NodeId operands[] = {node.a, node.b, node.c};
    for (std::size_t i = 0; i < known; ++i) varying.column[i] = column_of[operands[i]];
    touching_.push_back(varying);
    column_of[step.target] = static_cast<std::uint32_t>(touching_.size() - first_.back());
  }
  column_of[variable] = VaryingStep::fixed;
  for (std::size_t i = first_.back(); i < touching_.size(); ++i)
    column_of[touching_[i].step.target] = VaryingStep::fixed;
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
  std::size_t blocks = 0;
  for (const auto& one : blocks_) blocks += one ? one->bytes() : 0;
  return blocks + steps_.capacity() * sizeof(Computation) + touching_.capacity() * sizeof(VaryingStep) +
         variables_.capacity() * sizeof(variables_[0]) + first_.capacity() * sizeof(std::uint32_t);
}

Checker::Variation::Variation(const Checker& checker, const std::uint32_t* choices)
    : checker_(checker), base_(checker.start(choices)) {
  for (const Computation& step : checker.steps_) {
    base_[step.target] = checker.problem_.graph().compute(step.node, base_.data());
    if (step.check && !Graph::holds(base_[step.target])) violated_.push_back(step.target);
  }
}

// Changing a parameter can only repair what depends on it.
bool Checker::Variation::may_vary(std::uint32_t parameter) const {
  const std::span<const VaryingStep> steps = checker_.touching(parameter);
  return std::ranges::all_of(violated_, [&](NodeId root) {
    return std::ranges::any_of(steps, [root](const VaryingStep& varying) { return varying.step.target == root; });
  });
}

Checker::Variation::Operand Checker::Variation::operand(NodeId node, std::uint32_t column) const {
  if (column == VaryingStep::fixed) return {base_.data() + node, 0};
  return {columns_ + column * count_, 1};
}

template <class Compute>
void Checker::Variation::for_alive(bool check, Scalar* out, Compute compute) {
  if (!check) {
    for (std::uint32_t i : alive_) out[i] = compute(i);
    return;
  }
  // The loop has no branch, because whether a value passes is hard to predict.
  std::size_t kept = 0;
  std::uint32_t* alive = alive_.data();
  for (std::uint32_t i : alive_) {
    const Scalar value = compute(i);
    out[i] = value;
    alive[kept] = i;
    kept += Graph::holds(value);
  }
  alive_.resize(kept);
}

void Checker::Variation::run_binary(Op op, const VaryingStep& varying, Scalar* out) {
  const bool check = varying.step.check;
  const Operand a = operand(varying.step.node.a, varying.column[0]);
  const Operand b = operand(varying.step.node.b, varying.column[1]);
  // The operation is a constant in each of these loops.
  switch (op) {
    case Op::add:
      return for_alive(check, out, [a, b](std::size_t i) { return apply_fast(Op::add, a[i], b[i]); });
    case Op::multiply:
      return for_alive(check, out, [a, b](std::size_t i) { return apply_fast(Op::multiply, a[i], b[i]); });
    case Op::modulo:
      return for_alive(check, out, [a, b](std::size_t i) { return apply_fast(Op::modulo, a[i], b[i]); });
    case Op::equal:
      return for_alive(check, out, [a, b](std::size_t i) { return apply_fast(Op::equal, a[i], b[i]); });
    case Op::less:
      return for_alive(check, out, [a, b](std::size_t i) { return apply_fast(Op::less, a[i], b[i]); });
    case Op::less_equal:
      return for_alive(check, out, [a, b](std::size_t i) { return apply_fast(Op::less_equal, a[i], b[i]); });
    default:
      return for_alive(check, out, [a, b, op](std::size_t i) { return apply_fast(op, a[i], b[i]); });
  }
}

void Checker::Variation::run(const VaryingStep& varying, NodeId variable, Scalar* out) {
  const Node& node = varying.step.node;
  if (node.kind == Node::Kind::binary) return run_binary(node.op, varying, out);
  if (node.kind == Node::Kind::predicate) {
    // The operands of a predicate are parameters, of which one varies.
    const Scalar before = base_[variable];
    for_alive(varying.step.check, out, [&](std::size_t i) {
      base_[variable] = columns_[i];
      return checker_.problem_.graph().compute(node, base_.data());
    });
    base_[variable] = before;
    return;
  }
  const bool check = varying.step.check;
  const Operand a = operand(node.a, varying.column[0]);
  if (node.kind == Node::Kind::unary) return for_alive(check, out, [&](std::size_t i) { return apply(node.op, a[i]); });
  const Operand b = operand(node.b, varying.column[1]);
  if (node.kind == Node::Kind::any)
    return for_alive(check, out, [a, b](std::size_t i) { return a[i].is_fault() || a[i].truth() ? a[i] : b[i]; });
  if (node.kind == Node::Kind::both)
    return for_alive(check, out, [a, b](std::size_t i) { return a[i].is_fault() || !a[i].truth() ? a[i] : b[i]; });
  const Operand c = operand(node.c, varying.column[2]);
  Node local = node;
  local.a = 0, local.b = 1, local.c = 2;
  for_alive(check, out, [&](std::size_t i) {
    const Scalar operands[] = {a[i], b[i], c[i]};
    return checker_.problem_.graph().compute(local, operands);
  });
}

bool Checker::Variation::rules_out(std::span<const VaryingStep> steps, const Bounds& block) {
  bounds_.resize(steps.size() + 1);
  bounds_[0] = block;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const VaryingStep& varying = steps[s];
    const Node& node = varying.step.node;
    if (node.kind == Node::Kind::predicate) {
      bounds_[s + 1] = {};
      continue;
    }
    const auto operand = [&](std::size_t i, NodeId id) {
      return varying.column[i] == VaryingStep::fixed ? Bounds::of(base_[id]) : bounds_[varying.column[i]];
    };
    bounds_[s + 1] = bounds_of(node, operand(0, node.a), operand(1, node.b), operand(2, node.c));
    if (varying.step.check && bounds_[s + 1].always_false()) return true;
  }
  return false;
}

std::size_t Checker::Variation::find_valid(std::uint32_t parameter, std::span<const std::uint32_t> domain,
                                           std::vector<std::uint32_t>& valid) {
  valid.clear();
  if (!may_vary(parameter)) return 1;
  const auto& blocks = checker_.blocks_[parameter];
  if (!blocks) {
    test(parameter, domain, valid);
    return domain.size();
  }
  std::vector<std::uint32_t> left;
  const auto steps = checker_.touching(parameter);
  const std::size_t looks =
      blocks->search([&](const Bounds& block) { return rules_out(steps, block); },
                     [&](std::size_t first, std::size_t last) {
                       left.insert(left.end(), domain.begin() + static_cast<std::ptrdiff_t>(first),
                                   domain.begin() + static_cast<std::ptrdiff_t>(last));
                     });
  test(parameter, left, valid);
  return looks + left.size();
}

void Checker::Variation::test(std::uint32_t parameter, std::span<const std::uint32_t> choices,
                              std::vector<std::uint32_t>& valid) {
  const std::span<const VaryingStep> steps = checker_.touching(parameter);
  count_ = choices.size();
  const std::size_t cells = (steps.size() + 1) * count_;
  if (cells > std::max(small_columns_.size(), large_columns_.size())) {
    large_columns_.resize(cells);
    columns_ = large_columns_.data();
  }
  const Scalar* values = checker_.problem_.values(parameter);
  for (std::size_t i = 0; i < count_; ++i) columns_[i] = values[choices[i]];
  alive_.resize(count_);
  std::iota(alive_.begin(), alive_.end(), 0);
  for (std::size_t s = 0; s < steps.size() && !alive_.empty(); ++s) {
    run(steps[s], checker_.variable_of_[parameter], columns_ + (s + 1) * count_);
  }
  for (std::uint32_t i : alive_) valid.push_back(choices[i]);
}

}  // namespace warptune::search
