// Models values by a random forest: regression trees over encoded rows.
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

// A Forest is a random forest (Breiman 2001) as SMAC uses it (Hutter, Hoos and Leyton-Brown 2011). Its mean is the mean
// of the trees, and its variance is that between trees plus that within leaves (Hutter et al. 2014). Between fits,
// samples enter the leaves they fall into.
class Forest : public Surrogate {
 public:
  explicit Forest(std::uint64_t seed) : rng_(seed) {}

  void fit(const std::vector<Sample>& samples) override;
  std::size_t capacity() const override { return 2000; }
  std::size_t candidates(std::size_t /*samples*/) const override { return 2000; }
  Eigen::ArrayXf mean_at(const Eigen::MatrixXf& rows) const override;
  void set_candidates(const Eigen::MatrixXf& rows) override;
  const Eigen::ArrayXf& mean() const override;
  const Eigen::ArrayXf& variance() const override;
  void expect(std::size_t, const Eigen::RowVectorXf&) override {}
  void learn(const Sample& sample) override;

 private:
  void predict() const;

  Rng rng_;
  std::vector<Tree> trees_;
  std::vector<std::vector<std::uint32_t>> leaves_;  // by tree and candidate
  // These are the predictions for all candidates. They are made when they are asked for, as many trials may be learnt
  // in between.
  mutable Eigen::ArrayXf mean_, variance_;
  mutable bool predicted_ = false;
};

}  // namespace warptune::search
