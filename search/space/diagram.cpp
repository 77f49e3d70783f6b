// Appends the nodes of a diagram, and walks down it from a rank to choices and back.
#include "search/space/diagram.h"

#include <algorithm>

namespace warptune::search {

Diagram::Diagram() {
  first_edge_.reserve(16);
  counts_.reserve(16);
  first_edge_ = {0, 0};
  counts_ = {1};
}

std::span<const Diagram::Edge> Diagram::edges(NodeIndex node) const {
  return {edges_.data() + first_edge_[node], edges_.data() + first_edge_[node + 1]};
}

std::optional<Diagram::NodeIndex> Diagram::add(std::span<const Edge> edges) {
  Count total = 0;
  const std::size_t first = before_.size();
  before_.resize(first + edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    before_[first + i] = total;
    if (__builtin_add_overflow(total, counts_[edges[i].child], &total)) return std::nullopt;
  }
  edges_.insert(edges_.end(), edges.begin(), edges.end());
  first_edge_.push_back(static_cast<std::uint32_t>(edges_.size()));
  counts_.push_back(total);
  return static_cast<NodeIndex>(counts_.size() - 1);
}

void Diagram::finish(NodeIndex root, std::size_t layers) {
  root_ = root;
  layers_ = layers;
  if (edges_.size() < 1024) return;  // nothing to gain worth four copies
  edges_.shrink_to_fit();
  before_.shrink_to_fit();
  first_edge_.shrink_to_fit();
  counts_.shrink_to_fit();
}

void Diagram::at(Count rank, const std::uint32_t* where, std::uint32_t* choices) const {
  NodeIndex node = root_;
  for (std::size_t layer = 0; layer < layers_; ++layer) {
    std::uint32_t low = first_edge_[node];
    std::uint32_t size = first_edge_[node + 1] - low;
    while (size > 1) {
      const std::uint32_t half = size / 2;
      low += before_[low + half] <= rank ? half : 0;
      size -= half;
    }
    rank -= before_[low];
    choices[where[layer]] = edges_[low].choice;
    node = edges_[low].child;
  }
}

std::optional<Count> Diagram::rank_of(const std::uint32_t* where, const std::uint32_t* choices) const {
  if (layers_ == 0) return std::nullopt;
  Count rank = 0;
  NodeIndex node = root_;
  for (std::size_t layer = 0; layer < layers_; ++layer) {
    const std::span<const Edge> candidates = edges(node);
    const std::uint32_t choice = choices[where[layer]];
    const auto found = std::ranges::lower_bound(candidates, choice, {}, &Edge::choice);
    if (found == candidates.end() || found->choice != choice) return std::nullopt;
    rank += before_[static_cast<std::size_t>(&*found - edges_.data())];
    node = found->child;
  }
  return rank;
}

// Every node has a path to the leaf and all but the root have a parent, so each edge lies on some configuration's path.
std::vector<std::vector<std::uint32_t>> Diagram::used() const {
  std::vector<std::vector<bool>> marks(layers_);
  std::vector<std::uint32_t> layer_of(counts_.size());
  // Children come before their parents.
  for (NodeIndex node = root_; layers_ > 0 && node > leaf; --node) {
    std::vector<bool>& marked = marks[layer_of[node]];
    const std::span<const Edge> ascending = edges(node);
    if (marked.size() <= ascending.back().choice) marked.resize(ascending.back().choice + 1);
    for (const Edge& edge : ascending) {
      layer_of[edge.child] = layer_of[node] + 1;
      marked[edge.choice] = true;
    }
  }
  std::vector<std::vector<std::uint32_t>> choices(layers_);
  for (std::size_t layer = 0; layer < layers_; ++layer)
    for (std::uint32_t choice = 0; choice < marks[layer].size(); ++choice)
      if (marks[layer][choice]) choices[layer].push_back(choice);
  return choices;
}

std::size_t Diagram::bytes() const {
  return edges_.capacity() * sizeof(Edge) + before_.capacity() * sizeof(Count) +
         first_edge_.capacity() * sizeof(std::uint32_t) + counts_.capacity() * sizeof(Count);
}

}  // namespace warptune::search
