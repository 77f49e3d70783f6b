// Chooses the order of a component's parameters by an estimate of what building its diagram costs.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "search/space/plan.h"

namespace warptune::search {

namespace {

// A CostModel estimates the cost of building a diagram in some order. The number of states after a level is at most
// what the level before allows times the domain, thinned by the checks, and at most the product of how many values each
// live node can take; both are estimated in logarithms.
class CostModel {
 public:
  CostModel(const ConstraintProblem& problem, const Scope& scope);

  // Returns the cost of an order. It gives up once the cost exceeds `bound`.
  double cost(const std::vector<std::uint32_t>& order, double bound);

 private:
  struct Item {
    std::uint32_t position;             // of a variable within the scope; else unused
    std::vector<std::uint32_t> inputs;  // items
    double log_values;                  // how many values it can take
    double log_pass;                    // of a root: the share that it is expected to let through
    bool is_variable;
  };

  double log_values(const Node& node, const std::vector<std::uint32_t>& inputs, const ConstraintProblem& problem) const;

  std::vector<Item> items_;
  std::vector<double> log_domain_;  // by position within the scope
  // This is scratch memory of `cost`, which is kept to spare allocations: `cost` runs hundreds of times.
  std::vector<std::uint32_t> level_of_position_;
  std::vector<std::uint32_t> level_;
  std::vector<std::uint32_t> last_use_;
  std::vector<double> live_;
  std::vector<double> pass_;
  std::vector<double> steps_;
};

bool compares(Op op) {
  return op == Op::equal || op == Op::not_equal || op == Op::less || op == Op::less_equal || op == Op::either ||
         op == Op::logical_not || op == Op::is_pow2;
}

double CostModel::log_values(const Node& node, const std::vector<std::uint32_t>& inputs,
                             const ConstraintProblem& problem) const {
  if (node.kind == Node::Kind::variable) return std::log(static_cast<double>(problem.domains()[node.a].size()));
  const bool yes_or_no = node.kind == Node::Kind::predicate ||
                         ((node.kind == Node::Kind::unary || node.kind == Node::Kind::binary) && compares(node.op));
  if (yes_or_no) return std::log(2.0);
  double sum = 0;
  for (std::uint32_t input : inputs) sum += items_[input].log_values;
  // Products and sums of two open operands coincide often: 4 * 8 = 2 * 16.
  return inputs.size() > 1 ? 0.8 * sum : sum;
}

CostModel::CostModel(const ConstraintProblem& problem, const Scope& scope) {
  const Graph& graph = problem.graph();
  std::vector<std::uint32_t> item_of(graph.size());
  for (NodeId id : scope.nodes(graph)) {
    Item item{0, {}, 0, 0, graph[id].kind == Node::Kind::variable};
    if (item.is_variable)
      item.position = static_cast<std::uint32_t>(std::ranges::lower_bound(scope.parameters, graph[id].a) -
                                                 scope.parameters.begin());
    graph.for_operands(graph[id], [&](NodeId operand) {
      if (!graph.is_constant(operand)) item.inputs.push_back(item_of[operand]);
    });
    item.log_values = log_values(graph[id], item.inputs, problem);
    item_of[id] = static_cast<std::uint32_t>(items_.size());
    items_.push_back(std::move(item));
  }
  for (const Root& root : scope.roots)
    items_[item_of[root.node]].log_pass = std::log(graph[root.node].op == Op::equal ? 0.3 : 0.6);
  for (std::uint32_t parameter : scope.parameters)
    log_domain_.push_back(std::log(static_cast<double>(problem.domains()[parameter].size())));
}

double CostModel::cost(const std::vector<std::uint32_t>& order, double bound) {
  const std::size_t levels = order.size();
  level_of_position_.resize(levels);
  for (std::uint32_t l = 0; l < levels; ++l) level_of_position_[order[l]] = l;
  level_.assign(items_.size(), 0);
  last_use_.assign(items_.size(), 0);
  live_.assign(levels + 1, 0);
  pass_.assign(levels, 0);
  steps_.assign(levels, 1);
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    std::uint32_t level = item.is_variable ? level_of_position_[item.position] : 0;
    for (std::uint32_t input : item.inputs) level = std::max(level, level_[input]);
    for (std::uint32_t input : item.inputs) last_use_[input] = std::max(last_use_[input], level);
    level_[i] = level;
    pass_[level] += item.log_pass;
    steps_[level] += item.is_variable ? 0 : 1;
  }
  // The values of a node count from where it becomes live until its last use. Their logarithm is added and taken off
  // there, and then summed along the levels.
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (last_use_[i] <= level_[i]) continue;
    live_[level_[i]] += items_[i].log_values;
    live_[last_use_[i]] -= items_[i].log_values;
  }
  double total = 0;
  double log_states = 0;
  double log_live = 0;
  for (std::size_t l = 0; l < levels && total < bound; ++l) {
    const double log_visits = log_states + log_domain_[order[l]];
    log_live += live_[l];
    log_states = std::min(log_visits + pass_[l], log_live);
    // A state costs a look-up beside the steps that lead to it.
    total += std::exp(log_visits) * (steps_[l] + 5 * std::exp(pass_[l]));
  }
  return total;
}

// A component of fewer combinations is searched sooner than a better order is found.
constexpr double few_orders = 4096;

// Moves one parameter at a time to where it is best, until nothing improves.
void improve(CostModel& model, std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> moved;
  double best = model.cost(order, std::numeric_limits<double>::infinity());
  // Each round costs n^3; many parameters get fewer rounds.
  for (std::size_t rounds = std::max<std::size_t>(1, 40 / order.size()); rounds > 0; --rounds) {
    const double before = best;
    for (std::size_t from = 0; from < order.size(); ++from) {
      for (std::size_t to = 0; to < order.size(); ++to) {
        if (from == to) continue;
        moved = order;
        moved.erase(moved.begin() + static_cast<std::ptrdiff_t>(from));
        moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(to), order[from]);
        const double cost = model.cost(moved, best);
        if (cost >= best) continue;
        best = cost;
        order = moved;
      }
    }
    if (best > 0.999 * before) return;
  }
}

}  // namespace

std::vector<std::uint32_t> choose_order(const ConstraintProblem& problem, const Scope& scope) {
  // The order holds positions within the scope, small domains first.
  std::vector<std::uint32_t> order(scope.parameters.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(
      order, {}, [&](std::uint32_t position) { return problem.domains()[scope.parameters[position]].size(); });
  double combinations = 1;
  for (std::uint32_t parameter : scope.parameters)
    combinations *= static_cast<double>(problem.domains()[parameter].size());
  if (order.size() > 2 && combinations > few_orders) {
    CostModel model(problem, scope);
    improve(model, order);
  }
  for (std::uint32_t& item : order) item = scope.parameters[item];
  return order;
}

}  // namespace warptune::search
