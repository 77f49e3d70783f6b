// Represents the constraints of a space as one graph of computations in which equal subexpressions appear once. This
// header is private to search/.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "search/expression/expression_program.h"
#include "search/scalar.h"
#include "search/space/search_space.h"

namespace warptune::search {

using NodeId = std::uint32_t;

// A Node is one computation. Operands have smaller ids than their users, so ascending order is an order of evaluation.
struct Node {
  enum class Kind : std::uint8_t {
    constant,
    variable,   // a: the parameter's index
    unary,      // op(a)
    binary,     // op(a, b)
    both,       // a and b
    any,        // a or b
    choice,     // b if a else c
    predicate,  // the C++ predicate a on the operands [b, b + c)
  };

  Kind kind = Kind::constant;
  Op op = Op::add;
  NodeId a = 0;
  NodeId b = 0;
  NodeId c = 0;

  friend bool operator==(const Node&, const Node&) = default;
};

// A Root is a conjunct that every valid configuration makes true, and names the constraint it is part of.
struct Root {
  NodeId node;
  std::uint32_t constraint;
  std::vector<std::uint32_t> parameters;  // that it depends on, ascending
};

// A Computation is an operation whose result goes to slot `target`; with `check` it must also be true.
struct Computation {
  Node node;
  NodeId target;
  bool check;
};

class Graph {
 public:
  // A Resolve returns the node that a name in an expression stands for.
  using Resolve = std::function<NodeId(const std::string& name)>;

  NodeId constant(Scalar value);
  NodeId variable(std::uint32_t parameter);
  NodeId predicate(const Constraint::Predicate& predicate, std::span<const NodeId> operands);
  NodeId add(const Expression::Program& program, const Resolve& resolve);

  std::size_t size() const { return nodes_.size(); }
  const Node& operator[](NodeId id) const { return nodes_[id]; }
  bool is_constant(NodeId id) const { return nodes_[id].kind == Node::Kind::constant; }
  // Returns one value for every node, of which those of constants are set.
  const std::vector<Scalar>& slots() const { return slots_; }
  // Visits the operands of a node, constants included.
  template <class Visit>
  void for_operands(const Node& node, Visit visit) const;
  // Returns the nodes that these are computed from, themselves included and constants not, ascending.
  std::vector<NodeId> below(std::span<const NodeId> tops) const;
  std::vector<NodeId> below(NodeId top) const { return below({&top, 1}); }

  Scalar compute(const Node& node, const Scalar* slots) const;
  // Runs the steps in order and stops at the first check that fails. A fault fails its check.
  bool run(std::span<const Computation> steps, Scalar* slots) const {
    for (const Computation& step : steps) {
      const Scalar value = compute(step.node, slots);
      slots[step.target] = value;
      if (step.check && !holds(value)) return false;
    }
    return true;
  }
  std::size_t bytes() const {
    return nodes_.capacity() * sizeof(Node) + slots_.capacity() * sizeof(Scalar) +
           (buckets_.capacity() + operands_.capacity()) * sizeof(NodeId);
  }
  static bool holds(Scalar value) { return !value.is_fault() && value.truth(); }

 private:
  class Translator;

  NodeId intern(Node node, Scalar value = Scalar::of(false));
  NodeId fold(Node node);
  NodeId both(NodeId a, NodeId b);
  NodeId any(NodeId a, NodeId b);
  NodeId choice(NodeId condition, NodeId yes, NodeId no);
  NodeId binary(Op op, NodeId a, NodeId b);
  void grow();
  Scalar call(const Node& node, const Scalar* slots) const;

  std::vector<Node> nodes_;
  std::vector<Scalar> slots_;
  std::vector<NodeId> buckets_;  // node + 1, or 0
  std::vector<NodeId> operands_;
  std::vector<const Constraint::Predicate*> predicates_;
};

template <class Visit>
void Graph::for_operands(const Node& node, Visit visit) const {
  switch (node.kind) {
    case Node::Kind::constant:
    case Node::Kind::variable:
      return;
    case Node::Kind::predicate:
      for (NodeId i = 0; i < node.c; ++i) visit(operands_[node.b + i]);
      return;
    case Node::Kind::choice:
      visit(node.c);
      [[fallthrough]];
    case Node::Kind::binary:
    case Node::Kind::both:
    case Node::Kind::any:
      visit(node.b);
      [[fallthrough]];
    case Node::Kind::unary:
      visit(node.a);
  }
}

inline Scalar Graph::compute(const Node& node, const Scalar* slots) const {
  if (node.kind == Node::Kind::binary) return apply_fast(node.op, slots[node.a], slots[node.b]);
  if (node.kind == Node::Kind::predicate) return call(node, slots);
  const Scalar a = slots[node.a];
  switch (node.kind) {
    case Node::Kind::unary:
      return apply(node.op, a);
    case Node::Kind::both:
      return a.is_fault() || !a.truth() ? a : slots[node.b];
    case Node::Kind::any:
      return a.is_fault() || a.truth() ? a : slots[node.b];
    default:
      return a.is_fault() ? a : slots[a.truth() ? node.b : node.c];
  }
}

}  // namespace warptune::search
