// Implements a regression tree over encoded rows, which is the part of a random forest.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "search/models/surrogate.h"
#include "search/random.h"

namespace warptune::search {

// TreeSamples holds what trees are grown from. Samples are numbered by their observations' order; each column's keys
// are ranked among those that occur, so that trees sort by counting.
class TreeSamples {
 public:
  // `place` takes an index into `samples`, and returns the place of that sample here.
  explicit TreeSamples(const std::vector<Sample>& samples);

  std::uint32_t place(std::size_t sample) const { return places_[sample]; }
  std::size_t size() const { return values_.size(); }
  std::size_t columns() const { return keys_.size(); }
  double value(std::uint32_t place) const { return values_[place]; }
  std::uint32_t rank(std::size_t column, std::uint32_t place) const { return ranks_[column][place]; }
  // Returns the distinct keys of a column, ascending.
  const std::vector<float>& keys(std::size_t column) const { return keys_[column]; }

 private:
  std::vector<std::uint32_t> places_;              // by sample
  std::vector<double> values_;                     // by place
  std::vector<std::vector<std::uint32_t>> ranks_;  // by column and place
  std::vector<std::vector<float>> keys_;           // by column and rank
};

// A Tree takes at each node the best of the splits of some columns, which are drawn at random.
class Tree {
 public:
  // Grows a tree on the samples with these places, some of which may occur more than once.
  Tree(const TreeSamples& samples, std::vector<std::uint32_t> drawn, Rng& rng);

  struct Leaf {
    double sum = 0, squares = 0, count = 0;
    void add(double value) { sum += value, squares += value * value, ++count; }
    double mean() const { return sum / count; }
    double variance() const { return std::max(0.0, squares / count - mean() * mean()); }
  };
  // Finds the numbers of the leaves that rows fall into. Each row is contiguous and followed by the next one. Several
  // rows descend side by side, since each waits for memory at each node.
  void find_leaves(const float* rows, std::size_t columns, std::span<std::uint32_t> found) const;
  // Returns the number of the leaf that a single row falls into.
  std::uint32_t leaf_of(const float* row) const;
  const std::vector<Leaf>& leaves() const { return leaves_; }
  void add(const Sample& sample) { leaves_[leaf_of(sample.row.data())].add(sample.value); }

 private:
  // A leaf leads to itself, so that nothing has to check whether a node is a leaf.
  struct Node {
    std::uint32_t column = 0;
    float limit = 0;              // rows up to it go to the first
    std::uint32_t below[2] = {};  // nodes
  };
  std::uint32_t next(std::uint32_t index, const float* row) const {
    const Node& node = nodes_[index];
    return node.below[row[node.column] <= node.limit ? 0 : 1];
  }
  struct Split;
  class Grower;

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> numbers_;  // numbers of leaves, by node
  std::vector<Leaf> leaves_;
};

}  // namespace warptune::search
