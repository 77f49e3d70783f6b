#pragma once

#include <vector>

#include "search/models/surrogate.h"
#include "search/random.h"

namespace warptune::search {

// A regression tree over encoded rows: at each node the best of the splits of some columns, drawn at random.
class Tree {
 public:
  // On these samples, some of which may occur more than once.
  Tree(std::vector<const Sample*> samples, Rng& rng);

  struct Leaf {
    double sum = 0, squares = 0, count = 0;
    void add(double value) { sum += value, squares += value * value, ++count; }
    double mean() const { return sum / count; }
    double variance() const { return std::max(0.0, squares / count - mean() * mean()); }
  };
  std::size_t leaf_of(const Eigen::RowVectorXf& row) const;
  const Leaf& leaf(std::size_t index) const { return nodes_[index].leaf; }
  void add(const Sample& sample) { nodes_[leaf_of(sample.row)].leaf.add(sample.value); }

 private:
  struct Node {
    Eigen::Index column = -1;  // -1: a leaf
    float limit = 0;           // rows up to it go left
    std::size_t left = 0, right = 0;
    Leaf leaf;
  };
  struct Split;
  class Grower;

  std::vector<Node> nodes_;
};

// A random forest (Breiman 2001) as SMAC uses it (Hutter, Hoos and Leyton-Brown 2011): the mean of the trees, and as
// variance that between trees plus that within leaves (Hutter et al. 2014). Between fits, samples enter the leaves they
// fall into.
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
  std::vector<std::vector<std::size_t>> leaves_;  // by tree and candidate
  // Of all candidates; made when they are asked for, as many trials may be learnt in between.
  mutable Eigen::ArrayXf mean_, variance_;
  mutable bool predicted_ = false;
};

}  // namespace warptune::search
