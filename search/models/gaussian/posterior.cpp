// Keeps the posterior by a Cholesky factor that grows by a row with each observation.
#include "search/models/gaussian/posterior.h"

#include <algorithm>
#include <cmath>

namespace warptune::search {

namespace {

// This least pivot keeps the factor real when an observation is almost a copy of others.
constexpr double least_pivot = 1e-6;

}  // namespace

Posterior::Posterior(CovarianceKernel kernel)
    : kernel_(std::move(kernel)),
      covariances_(kernel_),
      rows_(0, kernel_.log_scale.size()),
      candidates_(0, kernel_.log_scale.size()),
      mean_(0),
      variance_(0) {}

void Posterior::restart(CovarianceKernel kernel) {
  kernel_ = std::move(kernel);
  covariances_ = Covariances(kernel_);
  clear();
}

void Posterior::reserve(Eigen::Index observations) {
  if (observations <= factor_.rows()) return;
  const Eigen::Index capacity = std::max<Eigen::Index>(16, observations + observations / 4);
  factor_.conservativeResize(capacity, capacity);
  rows_.conservativeResize(capacity, candidates_.cols());
  values_.conservativeResize(capacity);
  whitened_.conservativeResize(capacity);
  explained_.conservativeResize(candidates_.rows(), capacity);
}

void Posterior::append(const Eigen::RowVectorXf& row, double value, double extra_noise) {
  reserve(count_ + 1);
  const Eigen::Index n = count_;
  const double noise = kernel_.noise_variance() + extra_noise;
  Eigen::VectorXd link = covariances_.with(rows_.topRows(n), row).cast<double>().matrix();
  factor().solveInPlace(link);
  const double pivot = std::sqrt(std::max(kernel_.variance() + noise - link.squaredNorm(), least_pivot));
  factor_.row(n).head(n) = link.transpose();
  factor_(n, n) = pivot;
  rows_.row(n) = row;
  values_(n) = value;
  whitened_(n) = (value - link.dot(whitened_.head(n))) / pivot;
  ++count_;
}

void Posterior::clear() {
  count_ = caught_up_ = 0;
  candidates_.resize(0, candidates_.cols());
  mean_.resize(0);
  variance_.resize(0);
}

// Factors the covariance of the rows. Returns false where it is not positive definite to rounding.
bool Posterior::factorise(const Eigen::MatrixXf& rows, const Eigen::VectorXd& extra_noise) {
  const Eigen::Index n = rows.rows();
  Eigen::MatrixXd covariance(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    covariance.col(i).tail(n - i) = covariances_.with(rows.bottomRows(n - i), rows.row(i)).cast<double>().matrix();
  covariance.diagonal().array() = kernel_.variance() + kernel_.noise_variance() + extra_noise.array();
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(covariance);
  if (factor.info() != Eigen::Success || covariance.diagonal().minCoeff() < std::sqrt(least_pivot)) return false;
  factor_.topLeftCorner(n, n) = covariance;
  return true;
}

void Posterior::assign(const Eigen::MatrixXf& rows, const Eigen::VectorXd& values, const Eigen::VectorXd& extra_noise) {
  clear();
  const Eigen::Index n = rows.rows();
  reserve(n);
  if (!factorise(rows, extra_noise)) {
    for (Eigen::Index i = 0; i < n; ++i) append(rows.row(i), values(i), extra_noise(i));
    return;
  }
  rows_.topRows(n) = rows;
  values_.head(n) = values;
  count_ = n;
  whitened_.head(n) = values;
  factor().solveInPlace(whitened_.head(n));
}

// Goes through the candidates block by block, each for all observations that are new, because a block of this many
// candidates stays in the processor's second-level cache.
void Posterior::catch_up() const {
  constexpr Eigen::Index together = 128;
  for (Eigen::Index first = 0; first < candidates_.rows() && caught_up_ < count_; first += together)
    for (Eigen::Index i = caught_up_; i < count_; ++i)
      explain_appended(i, first, std::min(together, candidates_.rows() - first));
  caught_up_ = count_;
}

void Posterior::explain_appended(Eigen::Index observation, Eigen::Index first, Eigen::Index rows) const {
  const Eigen::VectorXf link = factor_.row(observation).head(observation).cast<float>();
  auto column = explained_.col(observation).segment(first, rows);
  column = covariances_.with(candidates_.middleRows(first, rows), rows_.row(observation)).matrix();
  column.noalias() -= explained_.block(first, 0, rows, observation) * link;
  column /= static_cast<float>(factor_(observation, observation));
  auto mean = mean_.segment(first, rows), variance = variance_.segment(first, rows);
  mean += column.array() * static_cast<float>(whitened_(observation));
  variance = (variance - column.array().square()).max(static_cast<float>(least_pivot));
}

const Eigen::ArrayXf& Posterior::mean() const {
  catch_up();
  return mean_;
}

const Eigen::ArrayXf& Posterior::variance() const {
  catch_up();
  return variance_;
}

void Posterior::set_value(Eigen::Index observation, double value) {
  catch_up();
  values_(observation) = value;
  const Eigen::VectorXd old = whitened_.head(count_);
  for (Eigen::Index i = observation; i < count_; ++i)
    whitened_(i) = (values_(i) - factor_.row(i).head(i).dot(whitened_.head(i))) / factor_(i, i);
  update_mean(observation, old);
}

void Posterior::set_values(const Eigen::VectorXd& values) {
  catch_up();
  const Eigen::VectorXd old = whitened_.head(count_);
  values_.head(count_) = values;
  Eigen::VectorXd whitened = values;
  factor().solveInPlace(whitened);
  whitened_.head(count_) = whitened;
  update_mean(0, old);
}

void Posterior::update_mean(Eigen::Index first, const Eigen::VectorXd& old) {
  const Eigen::Index changed = count_ - first;
  const Eigen::VectorXf change = (whitened_.segment(first, changed) - old.tail(changed)).cast<float>();
  mean_.matrix().noalias() += explained_.middleCols(first, changed) * change;
}

void Posterior::explain() {
  explained_.resize(candidates_.rows(), factor_.rows());
  for (Eigen::Index i = 0; i < count_; ++i) explained_.col(i) = covariances_.with(candidates_, rows_.row(i)).matrix();
  const Eigen::MatrixXf single = factor_.topLeftCorner(count_, count_).cast<float>();
  auto links = explained_.leftCols(count_);
  single.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(links);
  caught_up_ = count_;
}

void Posterior::set_candidates(Eigen::MatrixXf rows) {
  candidates_ = std::move(rows);
  explain();
  const auto known = explained_.leftCols(count_);
  mean_ = (known * whitened_.head(count_).cast<float>()).array();
  variance_ = (static_cast<float>(kernel_.variance()) - known.rowwise().squaredNorm().array())
                  .max(static_cast<float>(least_pivot));
}

Eigen::ArrayXf Posterior::mean_at(const Eigen::MatrixXf& rows) const {
  Eigen::VectorXd weights = whitened_.head(count_);
  factor_.topLeftCorner(count_, count_).transpose().triangularView<Eigen::Upper>().solveInPlace(weights);
  Eigen::ArrayXf mean = Eigen::ArrayXf::Zero(rows.rows());
  for (Eigen::Index i = 0; i < count_; ++i)
    mean += covariances_.with(rows, rows_.row(i)) * static_cast<float>(weights(i));
  return mean;
}

}  // namespace warptune::search
