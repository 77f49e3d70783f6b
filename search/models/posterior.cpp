#include "search/models/posterior.h"

#include <cmath>

namespace warptune {

namespace {

// Keeps the factor real when an observation is almost a copy of others.
constexpr double least_pivot = 1e-6;

}  // namespace

Posterior::Posterior(Kernel kernel, Eigen::MatrixXf candidates)
    : kernel_(std::move(kernel)),
      candidates_(std::move(candidates)),
      mean_(Eigen::ArrayXf::Zero(candidates_.rows())),
      variance_(Eigen::ArrayXf::Constant(candidates_.rows(), static_cast<float>(kernel_.variance()))) {}

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
  const Eigen::Index n = count_++;
  const double noise = std::exp(2 * kernel_.log_noise) + extra_noise;
  Eigen::VectorXd link = kernel_.with(rows_.topRows(n), row).cast<double>().matrix();
  factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>().solveInPlace(link);
  const double pivot = std::sqrt(std::max(kernel_.variance() + noise - link.squaredNorm(), least_pivot));
  factor_.row(n).head(n) = link.transpose();
  factor_(n, n) = pivot;
  rows_.row(n) = row;
  values_(n) = value;
  whitened_(n) = (value - link.dot(whitened_.head(n))) / pivot;

  auto column = explained_.col(n);
  column = kernel_.with(candidates_, row).matrix();
  column.noalias() -= explained_.leftCols(n) * link.cast<float>();
  column /= static_cast<float>(pivot);
  mean_ += column.array() * static_cast<float>(whitened_(n));
  variance_ = (variance_ - column.array().square()).max(static_cast<float>(least_pivot));
}

void Posterior::set_value(Eigen::Index observation, double value) {
  values_(observation) = value;
  const Eigen::VectorXd old = whitened_.head(count_);
  for (Eigen::Index i = observation; i < count_; ++i)
    whitened_(i) = (values_(i) - factor_.row(i).head(i).dot(whitened_.head(i))) / factor_(i, i);
  update_mean(observation, old);
}

void Posterior::set_values(const Eigen::VectorXd& values) {
  const Eigen::VectorXd old = whitened_.head(count_);
  values_.head(count_) = values;
  whitened_.head(count_) = values;
  factor_.topLeftCorner(count_, count_).triangularView<Eigen::Lower>().solveInPlace(whitened_.head(count_));
  update_mean(0, old);
}

void Posterior::update_mean(Eigen::Index first, const Eigen::VectorXd& old) {
  const Eigen::Index changed = count_ - first;
  const Eigen::VectorXf change = (whitened_.segment(first, changed) - old.tail(changed)).cast<float>();
  mean_.matrix().noalias() += explained_.middleCols(first, changed) * change;
}

void Posterior::replace(const std::vector<Eigen::Index>& places, const Eigen::MatrixXf& rows) {
  const Eigen::Index n = count_;
  Eigen::MatrixXd links(n, rows.rows());
  for (Eigen::Index i = 0; i < n; ++i) links.row(i) = kernel_.with(rows, rows_.row(i)).cast<double>().matrix().transpose();
  factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>().solveInPlace(links);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto from = static_cast<Eigen::Index>(i), to = places[i];
    candidates_.row(to) = rows.row(from);
    explained_.row(to).head(n) = links.col(from).transpose().cast<float>();
    mean_(to) = static_cast<float>(links.col(from).dot(whitened_.head(n)));
    variance_(to) =
        static_cast<float>(std::max(kernel_.variance() - links.col(from).squaredNorm(), least_pivot));
  }
}

}  // namespace warptune
