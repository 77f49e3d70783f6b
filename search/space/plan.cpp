// Finds the components of a problem, and the levels at which nodes are computed and live.
#include "search/space/plan.h"

#include <algorithm>
#include <numeric>

namespace warptune::search {

namespace {

class DisjointSets {
 public:
  explicit DisjointSets(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0); }

  std::uint32_t find(std::uint32_t item) {
    while (parent_[item] != item) item = parent_[item] = parent_[parent_[item]];
    return item;
  }
  // Joins two sets; the smaller of their representatives represents both.
  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

// A node's level is that of its last parameter; constants have none and count as level 0.
std::vector<std::uint32_t> find_levels(const ConstraintProblem& problem, std::span<const NodeId> nodes,
                                       const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> position(problem.domains().size());
  for (std::uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  std::vector<std::uint32_t> level_of(problem.graph().size());
  for (NodeId id : nodes) {
    const Node& node = problem.graph()[id];
    if (node.kind == Node::Kind::variable) level_of[id] = position[node.a];
    problem.graph().for_operands(node,
                                 [&](NodeId operand) { level_of[id] = std::max(level_of[id], level_of[operand]); });
  }
  return level_of;
}

void find_live(const Graph& graph, std::span<const NodeId> nodes, const std::vector<std::uint32_t>& level_of,
               SearchPlan& plan) {
  std::vector<std::uint32_t> last_use(graph.size());
  for (NodeId id : nodes)
    graph.for_operands(graph[id],
                       [&](NodeId operand) { last_use[operand] = std::max(last_use[operand], level_of[id]); });
  for (NodeId id : nodes)
    for (std::uint32_t level = level_of[id]; level < last_use[id]; ++level) plan.levels[level].live.push_back(id);
  const std::vector<NodeId> nothing;
  for (std::size_t l = 0; l < plan.levels.size(); ++l) {
    SearchPlan::Level& level = plan.levels[l];
    // Live lists are ascending, as the nodes are.
    const std::vector<NodeId>& before = l == 0 ? nothing : plan.levels[l - 1].live;
    level.merges =
        !std::ranges::includes(level.live, before) || !std::ranges::binary_search(level.live, level.variable);
  }
}

}  // namespace

std::vector<Scope> find_components(const ConstraintProblem& problem) {
  const std::size_t count = problem.domains().size();
  DisjointSets sets(count);
  for (const Root& root : problem.roots())
    for (std::uint32_t parameter : root.parameters) sets.join(root.parameters[0], parameter);
  std::vector<Scope> components;
  std::vector<std::size_t> component_of(count);
  for (std::uint32_t p = 0; p < count; ++p) {
    if (problem.domains()[p].size() == 1) continue;
    const std::uint32_t first = sets.find(p);
    if (first == p) {
      component_of[p] = components.size();
      components.emplace_back();
    }
    components[component_of[first]].parameters.push_back(p);
  }
  for (const Root& root : problem.roots())
    components[component_of[sets.find(root.parameters[0])]].roots.push_back(root);
  return components;
}

std::vector<NodeId> Scope::nodes(const Graph& graph) const {
  std::vector<NodeId> tops;
  for (const Root& root : roots) tops.push_back(root.node);
  return graph.below(tops);
}

SearchPlan make_plan(const ConstraintProblem& problem, const Scope& scope, const std::vector<std::uint32_t>& order) {
  const Graph& graph = problem.graph();
  const std::vector<NodeId> nodes = scope.nodes(graph);
  const std::vector<std::uint32_t> level_of = find_levels(problem, nodes, order);
  std::vector<NodeId> variables(problem.domains().size(), SearchPlan::no_node);
  for (NodeId id : nodes)
    if (graph[id].kind == Node::Kind::variable) variables[graph[id].a] = id;

  SearchPlan plan;
  plan.steps.reserve(nodes.size());
  plan.levels.reserve(order.size());
  std::vector<bool> is_root(graph.size());
  for (const Root& root : scope.roots) is_root[root.node] = true;
  for (std::uint32_t l = 0; l < order.size(); ++l) {
    const auto first = static_cast<std::uint32_t>(plan.steps.size());
    for (NodeId id : nodes)
      if (level_of[id] == l && graph[id].kind != Node::Kind::variable)
        plan.steps.push_back({graph[id], id, is_root[id]});
    const auto last = static_cast<std::uint32_t>(plan.steps.size());
    plan.levels.push_back({order[l], variables[order[l]], first, last, {}, true});
  }
  find_live(graph, nodes, level_of, plan);
  return plan;
}

}  // namespace warptune::search
