// Translates constraints into a graph, splits them into conjuncts, and applies those of one parameter.
#include "search/space/constraint_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "search/expression/expression_program.h"

namespace warptune::search {

ConstraintProblem::ConstraintProblem(const std::vector<Parameter>& parameters,
                                     const std::vector<Constraint>& constraints, const NamedValues& constants)
    : parameters_(parameters), constraints_(constraints), constants_(constants) {
  std::size_t values = 0;
  for (const Parameter& parameter : parameters) values += parameter.values.size();
  values_.reserve(values);
  first_value_.reserve(parameters.size());
  domains_.reserve(parameters.size());
  for (const Parameter& parameter : parameters) {
    first_value_.push_back(static_cast<std::uint32_t>(values_.size()));
    for (const Value& value : parameter.values) values_.push_back(Scalar::borrow(value));
    domains_.emplace_back(parameter.values.size());
    std::iota(domains_.back().begin(), domains_.back().end(), 0);
  }
  parse();
  fold();
}

// A domain that shrinks to one value is a constant from then on, which may make further constraints unary.
void ConstraintProblem::fold() {
  do translate();
  while (!impossible_ && apply_unary());
}

void ConstraintProblem::parse() {
  expressions_.reserve(constraints_.size());
  for (const Constraint& constraint : constraints_)
    expressions_.push_back(constraint.predicate ? Expression::constant(true) : Expression::parse(constraint.text));
}

NodeId ConstraintProblem::resolve(const std::string& name, const std::string& text) {
  for (std::uint32_t p = 0; p < parameters_.size(); ++p) {
    if (parameters_[p].name != name) continue;
    return domains_[p].size() == 1 ? graph_.constant(value(p, domains_[p][0])) : graph_.variable(p);
  }
  if (const Value* constant = find_value(constants_, name)) return graph_.constant(Scalar::borrow(*constant));
  throw std::invalid_argument(
      fmt::format("constraint '{}' uses the name '{}', which is neither a parameter nor a constant", text, name));
}

NodeId ConstraintProblem::translate(std::size_t index) {
  const Constraint& constraint = constraints_[index];
  const auto resolve_name = [&](const std::string& name) { return resolve(name, constraint.text); };
  if (!constraint.predicate) return graph_.add(expressions_[index].program(), resolve_name);
  std::vector<NodeId> operands;
  for (const std::string& name : constraint.names) operands.push_back(resolve_name(name));
  return graph_.predicate(constraint.predicate, operands);
}

void ConstraintProblem::translate() {
  graph_ = {};
  roots_.clear();
  roots_.reserve(2 * constraints_.size());
  for (std::uint32_t c = 0; c < constraints_.size(); ++c) split(translate(c), c);
}

// Both sides of a conjunction can be checked on their own, each as early as it can.
void ConstraintProblem::split(NodeId node, std::uint32_t constraint) {
  const Node parts = graph_[node];
  if (parts.kind == Node::Kind::both) {
    split(parts.a, constraint);
    split(parts.b, constraint);
  } else if (!graph_.is_constant(node)) {
    roots_.push_back({node, constraint, parameters_of(node)});
  } else if (!Graph::holds(graph_.slots()[node])) {
    impossible_ = true;
  }
}

std::vector<std::uint32_t> ConstraintProblem::parameters_of(NodeId node) const {
  std::vector<std::uint32_t> found;
  for (NodeId id : graph_.below(node))
    if (graph_[id].kind == Node::Kind::variable) found.push_back(graph_[id].a);
  std::ranges::sort(found);
  return found;
}

// Applies the conjuncts of one parameter. Returns whether a parameter became single-valued that other constraints still
// see as open.
bool ConstraintProblem::apply_unary() {
  bool folded = false;
  std::vector<Root> wider;
  wider.reserve(roots_.size());
  for (Root& root : roots_) {
    if (root.parameters.size() != 1) {
      wider.push_back(std::move(root));
      continue;
    }
    filter(root.node, root.parameters[0]);
    folded |= domains_[root.parameters[0]].size() == 1;
  }
  roots_ = std::move(wider);
  return folded && !impossible_;
}

void ConstraintProblem::filter(NodeId root, std::uint32_t parameter) {
  std::vector<Computation> steps;
  const NodeId variable = graph_.variable(parameter);
  for (NodeId id : graph_.below(root))
    if (id != variable) steps.push_back({graph_[id], id, id == root});
  std::vector<Scalar> slots = graph_.slots();
  std::erase_if(domains_[parameter], [&](std::uint32_t choice) {
    slots[variable] = value(parameter, choice);
    // A parameter that is its own constraint has no step.
    return !graph_.run(steps, slots.data()) || !Graph::holds(slots[root]);
  });
  impossible_ |= domains_[parameter].empty();
}

void ConstraintProblem::narrow(std::size_t parameter, Domain domain) {
  domains_[parameter] = std::move(domain);
  impossible_ |= domains_[parameter].empty();
}

std::size_t ConstraintProblem::bytes() const {
  std::size_t bytes = values_.capacity() * sizeof(Scalar) + graph_.bytes() + roots_.capacity() * sizeof(Root);
  for (const Domain& domain : domains_) bytes += domain.capacity() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace warptune::search
