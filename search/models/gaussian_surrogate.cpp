// Fits the kernel to a choice of the samples, and keeps the posterior of all of them up to date.
#include "search/models/gaussian_surrogate.h"

#include <algorithm>

namespace warptune::search {

namespace {

// Hyperparameters change little beyond this many samples, and the cost of fitting them grows with the cube of the
// number.
constexpr std::size_t most_fitted = 160;
constexpr int first_iterations = 25, later_iterations = 10;

struct Table {
  Eigen::MatrixXf rows;
  Eigen::VectorXd values, noise;
};

// Returns a table of `count` of the samples, evenly spread.
Table table(const std::vector<Sample>& samples, std::size_t count) {
  const auto n = static_cast<Eigen::Index>(count);
  Table result{Eigen::MatrixXf(n, samples.front().row.size()), Eigen::VectorXd(n), Eigen::VectorXd(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    const Sample& sample = samples[static_cast<std::size_t>(i) * samples.size() / count];
    result.rows.row(i) = sample.row;
    result.values(i) = sample.value;
    result.noise(i) = sample.noise_variance;
  }
  return result;
}

}  // namespace

// The triangular solve for N candidates and n samples takes N n² operations. The kernel columns alone take N n.
std::size_t GaussianSurrogate::candidates(std::size_t samples) const {
  constexpr std::size_t work = 100'000'000, fewest = 2000;
  const std::size_t squared = std::max<std::size_t>(samples * samples, 1);
  return std::max(fewest, work / squared);
}

void GaussianSurrogate::fit(const std::vector<Sample>& samples) {
  if (!samples.empty()) {
    const Table used = table(samples, std::min(samples.size(), most_fitted));
    kernel_ = fit_kernel(used.rows, used.values, used.noise, kernel_, fitted_ ? later_iterations : first_iterations);
    fitted_ = true;
  }
  if (posterior_)
    posterior_->restart(kernel_);
  else
    posterior_.emplace(kernel_);
  places_.clear();
  if (samples.empty()) return;
  const Table all = table(samples, samples.size());
  posterior_->assign(all.rows, all.values, all.noise);
  for (std::size_t i = 0; i < samples.size(); ++i) places_.emplace(samples[i].number, static_cast<Eigen::Index>(i));
}

void GaussianSurrogate::append(const Sample& sample) {
  places_.emplace(sample.number, posterior_->size());
  posterior_->append(sample.row, sample.value, sample.noise_variance);
}

Eigen::ArrayXf GaussianSurrogate::mean_at(const Eigen::MatrixXf& rows) const {
  return posterior_->mean_at(rows);
}

void GaussianSurrogate::expect(std::size_t number, const Eigen::RowVectorXf& row) {
  if (!places_.contains(number)) append({number, row, static_cast<double>(posterior_->mean_at(row)(0)), 0});
}

void GaussianSurrogate::learn(const Sample& sample) {
  const auto known = places_.find(sample.number);
  if (known == places_.end())
    append(sample);
  else
    posterior_->set_value(known->second, sample.value);
}

void GaussianSurrogate::relearn(const std::vector<Sample>& samples) {
  Eigen::VectorXd values = posterior_->values();
  for (const Sample& sample : samples)
    if (const auto known = places_.find(sample.number); known != places_.end()) values(known->second) = sample.value;
  posterior_->set_values(values);
}

}  // namespace warptune::search
