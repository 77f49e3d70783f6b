// Models values by a random forest.
#pragma once

#include <vector>

#include "search/models/tree.h"

namespace warptune::search {

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
