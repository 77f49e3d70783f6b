// Models values by a tree-structured Parzen estimator.
#pragma once

#include <map>
#include <vector>

#include "search/models/surrogate.h"

namespace warptune::search {

// A Parzen is a tree-structured Parzen estimator (Bergstra et al. 2011) over independent columns. It computes how much
// more often a candidate's values occur among the best samples than among the others. Its mean is the negative
// logarithm of that ratio, which orders candidates as the expected improvement does; the variance is one.
class Parzen : public Surrogate {
 public:
  Parzen(std::vector<bool> categorical, double good_share)
      : categorical_(std::move(categorical)), good_share_(good_share) {}

  void fit(const std::vector<Sample>& samples) override;
  std::size_t capacity() const override { return 100'000; }
  std::size_t candidates(std::size_t /*samples*/) const override { return 20'000; }
  Eigen::ArrayXf mean_at(const Eigen::MatrixXf& rows) const override;
  void set_candidates(const Eigen::MatrixXf& rows) override;
  const Eigen::ArrayXf& mean() const override { return mean_; }
  const Eigen::ArrayXf& variance() const override { return variance_; }
  void expect(std::size_t, const Eigen::RowVectorXf&) override {}
  void learn(const Sample& sample) override;

 private:
  double ratio(Eigen::Index column, float value) const;
  void predict();

  std::vector<bool> categorical_;
  double good_share_;
  std::vector<Sample> samples_;  // best first
  std::size_t good_ = 0;
  Eigen::MatrixXf candidates_;
  Eigen::ArrayXf mean_, variance_;
};

}  // namespace warptune::search
