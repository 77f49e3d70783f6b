// Translates expressions into nodes, folds constants, and finds equal nodes by a hash.
#include "search/space/graph.h"

#include <algorithm>

namespace warptune::search {

namespace {

using Code = Instruction::Code;

std::uint64_t hash_of(const Node& node) {
  std::uint64_t hash = (static_cast<std::uint64_t>(node.kind) << 8 | static_cast<std::uint64_t>(node.op)) + 1;
  for (NodeId part : {node.a, node.b, node.c}) {
    hash = (hash ^ part) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return hash;
}

bool commutes(Op op) {
  return op == Op::add || op == Op::multiply || op == Op::equal || op == Op::not_equal;
}

}  // namespace

// Runs a program with nodes in place of values: every branch is taken, and the joins say what the parts make.
class Graph::Translator {
 public:
  Translator(Graph& graph, const Expression::Program& program, const Resolve& resolve)
      : graph_(graph), program_(program), resolve_(resolve) {}

  NodeId run() {
    stack_.reserve(program_.stack_size + 1);
    for (const Instruction& instruction : program_.code) step(instruction);
    return pop();
  }

 private:
  NodeId pop() {
    const NodeId top = stack_.back();
    stack_.pop_back();
    return top;
  }
  void push(NodeId node) { stack_.push_back(node); }
  void contains(std::size_t count);
  void chain(const Instruction& instruction);
  void step(const Instruction& instruction);

  Graph& graph_;
  const Expression::Program& program_;
  const Resolve& resolve_;
  std::vector<NodeId> stack_;
};

void Graph::Translator::contains(std::size_t count) {
  const std::size_t first = stack_.size() - count;
  const NodeId wanted = stack_[first - 1];
  // This is false, unless `wanted` has no value: that counts even if the list is empty.
  const NodeId no = graph_.constant(Scalar::of(false));
  NodeId found = graph_.binary(Op::either, no, graph_.both(wanted, no));
  for (std::size_t i = first; i < stack_.size(); ++i)
    found = graph_.binary(Op::either, found, graph_.binary(Op::equal, wanted, stack_[i]));
  stack_.resize(first - 1);
  push(found);
}

void Graph::Translator::chain(const Instruction& instruction) {
  const NodeId b = pop();
  const NodeId a = pop();
  const bool flipped = instruction.code == Code::chain_flip;
  push(flipped ? graph_.binary(instruction.op, b, a) : graph_.binary(instruction.op, a, b));
  push(b);
}

void Graph::Translator::step(const Instruction& instruction) {
  switch (instruction.code) {
    case Code::constant:
      return push(graph_.constant(Scalar::borrow(program_.constants[instruction.operand])));
    case Code::name:
      return push(resolve_(program_.names[instruction.operand]));
    case Code::unary:
      return push(graph_.fold({.kind = Node::Kind::unary, .op = instruction.op, .a = pop()}));
    case Code::contains:
      return contains(instruction.operand);
    case Code::chain:
    case Code::chain_flip:
      return chain(instruction);
    case Code::and_then:
    case Code::or_else:
    case Code::branch:
    case Code::jump:
      return;
    default:
      break;
  }
  const NodeId b = pop();
  const NodeId a = pop();
  switch (instruction.code) {
    case Code::flipped:
      return push(graph_.binary(instruction.op, b, a));
    case Code::join_and:
      return push(graph_.both(a, b));
    case Code::join_or:
      return push(graph_.any(a, b));
    case Code::join_choice: {
      const NodeId condition = pop();
      return push(graph_.choice(condition, a, b));
    }
    default:
      return push(graph_.binary(instruction.op, a, b));
  }
}

// Goes downwards through the ids rather than along the edges: a shared node is met once however many paths lead to it.
std::vector<NodeId> Graph::below(std::span<const NodeId> tops) const {
  if (tops.empty()) return {};
  const NodeId highest = *std::ranges::max_element(tops);
  std::vector<bool> needed(highest + 1);
  for (NodeId top : tops) needed[top] = true;
  std::vector<NodeId> nodes;
  nodes.reserve(std::min<std::size_t>(highest + 1, 32));
  for (NodeId id = highest + 1; id-- > 0;) {
    if (!needed[id] || is_constant(id)) continue;
    nodes.push_back(id);
    for_operands(nodes_[id], [&](NodeId operand) { needed[operand] = true; });
  }
  std::ranges::reverse(nodes);
  return nodes;
}

NodeId Graph::add(const Expression::Program& program, const Resolve& resolve) {
  return Translator(*this, program, resolve).run();
}

void Graph::grow() {
  buckets_.assign(std::max<std::size_t>(64, 2 * buckets_.size()), 0);
  nodes_.reserve(buckets_.size() / 2);
  slots_.reserve(buckets_.size() / 2);
  const std::size_t mask = buckets_.size() - 1;
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    std::size_t bucket = hash_of(nodes_[id]) & mask;
    while (buckets_[bucket] != 0) bucket = (bucket + 1) & mask;
    buckets_[bucket] = id + 1;
  }
}

NodeId Graph::intern(Node node, Scalar value) {
  if (2 * (nodes_.size() + 1) > buckets_.size()) grow();
  const std::size_t mask = buckets_.size() - 1;
  std::size_t bucket = hash_of(node) & mask;
  for (; buckets_[bucket] != 0; bucket = (bucket + 1) & mask)
    if (nodes_[buckets_[bucket] - 1] == node) return buckets_[bucket] - 1;
  nodes_.push_back(node);
  slots_.push_back(value);
  buckets_[bucket] = static_cast<NodeId>(nodes_.size());
  return buckets_[bucket] - 1;
}

NodeId Graph::constant(Scalar value) {
  const auto bits = static_cast<std::uint64_t>(value.integer);
  return intern({.kind = Node::Kind::constant,
                 .a = static_cast<NodeId>(bits),
                 .b = static_cast<NodeId>(bits >> 32),
                 .c = static_cast<NodeId>(value.kind)},
                value);
}

NodeId Graph::variable(std::uint32_t parameter) {
  return intern({.kind = Node::Kind::variable, .a = parameter});
}

// A call is not shared with an equal one, because nothing says that two predicates are the same.
NodeId Graph::predicate(const Constraint::Predicate& predicate, std::span<const NodeId> operands) {
  const Node node{.kind = Node::Kind::predicate,
                  .a = static_cast<NodeId>(predicates_.size()),
                  .b = static_cast<NodeId>(operands_.size()),
                  .c = static_cast<NodeId>(operands.size())};
  predicates_.push_back(&predicate);
  operands_.insert(operands_.end(), operands.begin(), operands.end());
  return fold(node);
}

NodeId Graph::fold(Node node) {
  bool constant_operands = true;
  for_operands(node, [&](NodeId operand) { constant_operands &= is_constant(operand); });
  return constant_operands ? constant(compute(node, slots_.data())) : intern(node);
}

// a * b and b * a are the same node, so that constraints which spell it either way share it.
NodeId Graph::binary(Op op, NodeId a, NodeId b) {
  if (commutes(op) && b < a) std::swap(a, b);
  return fold({.kind = Node::Kind::binary, .op = op, .a = a, .b = b});
}

NodeId Graph::both(NodeId a, NodeId b) {
  if (is_constant(a)) return holds(slots_[a]) ? b : a;
  return intern({.kind = Node::Kind::both, .a = a, .b = b});
}

NodeId Graph::any(NodeId a, NodeId b) {
  if (is_constant(a)) return slots_[a].is_fault() || slots_[a].truth() ? a : b;
  return intern({.kind = Node::Kind::any, .a = a, .b = b});
}

NodeId Graph::choice(NodeId condition, NodeId yes, NodeId no) {
  if (!is_constant(condition)) return intern({.kind = Node::Kind::choice, .a = condition, .b = yes, .c = no});
  if (slots_[condition].is_fault()) return condition;
  return slots_[condition].truth() ? yes : no;
}

Scalar Graph::call(const Node& node, const Scalar* slots) const {
  std::vector<Value> arguments;
  arguments.reserve(node.c);
  for (NodeId i = 0; i < node.c; ++i) arguments.push_back(slots[operands_[node.b + i]].to_value());
  return Scalar::of((*predicates_[node.a])(arguments));
}

}  // namespace warptune::search
