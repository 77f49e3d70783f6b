// Models values by a Gaussian process.
#pragma once

#include <optional>
#include <unordered_map>

#include "search/models/gaussian/posterior.h"
#include "search/models/surrogate.h"

namespace warptune::search {

// A GaussianSurrogate is a Gaussian process. A trial under way counts as measured at its expected value ("kriging
// believer", Ginsbourger et al. 2010), so that others in flight go elsewhere.
class GaussianSurrogate : public Surrogate {
 public:
  static constexpr std::size_t most_samples = 500;

  // If there are more than `capacity` samples, the model is handed a choice of them. The time of a fit grows with the
  // square of their number.
  explicit GaussianSurrogate(const std::vector<bool>& categorical, std::size_t capacity = most_samples)
      : capacity_(capacity), kernel_(prior_kernel(categorical)) {}

  void fit(const std::vector<Sample>& samples) override;
  std::size_t capacity() const override { return capacity_; }
  std::size_t candidates(std::size_t samples) const override;
  Eigen::ArrayXf mean_at(const Eigen::MatrixXf& rows) const override;
  void set_candidates(const Eigen::MatrixXf& rows) override { posterior_->set_candidates(rows); }
  const Eigen::ArrayXf& mean() const override { return posterior_->mean(); }
  const Eigen::ArrayXf& variance() const override { return posterior_->variance(); }
  void expect(std::size_t number, const Eigen::RowVectorXf& row) override;
  void learn(const Sample& sample) override;
  void relearn(const std::vector<Sample>& samples) override;

 private:
  void append(const Sample& sample);

  std::size_t capacity_;
  CovarianceKernel kernel_;
  bool fitted_ = false;
  std::optional<Posterior> posterior_;
  std::unordered_map<std::size_t, Eigen::Index> places_;  // of observations in the posterior
};

}  // namespace warptune::search
