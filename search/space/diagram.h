// Holds a component's valid choices as a decision diagram, and builds it. This header is private to search/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "search/space/plan.h"
#include "search/space/search_space.h"

namespace warptune::search {

// Layer l decides the l-th parameter. An edge carries a choice and leads to what the remaining layers can do after it;
// equal remainders are one node, so that 10^18 configurations fit a few thousand edges. An edge also knows how many
// configurations the edges before it cover, which makes the diagram an index: walking down with a rank takes one
// binary search a layer (Knuth, The Art of Computer Programming 4A, 7.1.4, on counting with decision diagrams).
class Diagram {
 public:
  using NodeIndex = std::uint32_t;
  static constexpr NodeIndex leaf = 0;  // nothing left to decide

  struct Edge {
    std::uint32_t choice;
    NodeIndex child;

    friend bool operator==(const Edge&, const Edge&) = default;
  };

  Diagram();

  // Appends a node; its edges are not empty and ascend in choice, and their children exist. Returns nullopt if the
  // counts exceed 128 bits.
  std::optional<NodeIndex> add(std::span<const Edge> edges);
  void finish(NodeIndex root, std::size_t layers);

  Count count() const { return layers_ == 0 ? 0 : counts_[root_]; }
  Count count(NodeIndex node) const { return counts_[node]; }
  std::size_t layers() const { return layers_; }
  std::size_t edge_count() const { return edges_.size(); }
  std::size_t node_count() const { return counts_.size(); }
  std::span<const Edge> edges(NodeIndex node) const;

  // Layer l's choice is choices[where[l]]. `rank` must be below `count`.
  void at(Count rank, const std::uint32_t* where, std::uint32_t* choices) const;
  std::optional<Count> rank_of(const std::uint32_t* where, const std::uint32_t* choices) const;
  // Returns for each layer the choices that occur, ascending.
  std::vector<std::vector<std::uint32_t>> used() const;
  std::size_t bytes() const;

 private:
  std::vector<Edge> edges_;
  std::vector<Count> before_;  // for each edge, how many configurations the node's earlier edges cover
  std::vector<std::uint32_t> first_edge_;
  std::vector<Count> counts_;
  NodeIndex root_ = leaf;
  std::size_t layers_ = 0;
};

// Builds the diagram of a plan by backtracking, with memoised states. Returns nullopt when the diagram would take more
// than `max_nodes` (nodes, edges and remembered states together), or its count more than 128 bits, or when next to
// nothing (less than a choice in 256) of what was tried is valid after 16 million tries. A component without a valid
// choice gives a diagram whose count is 0.
std::optional<Diagram> build_diagram(const ConstraintProblem& problem, const SearchPlan& plan, std::size_t max_nodes);

}  // namespace warptune::search
