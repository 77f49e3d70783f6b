// Compares the densities of good and other samples, column by column.
#include "search/models/parzen.h"

#include <algorithm>
#include <cmath>

namespace warptune::search {

namespace {

// Ordinal neighbours are alike over this share of their range.
constexpr float bandwidth = 0.15f;
// Every value counts as met this often among the good samples and among the others, so that few samples decide nothing.
constexpr double imagined = 1;

}  // namespace

void Parzen::fit(const std::vector<Sample>& samples) {
  samples_ = samples;
  std::ranges::stable_sort(samples_, {}, &Sample::value);
  const double wanted = std::ceil(good_share_ * static_cast<double>(samples_.size()));
  good_ = std::min(samples_.size(), static_cast<std::size_t>(wanted));
}

// Returns the log ratio of the densities of a column's value, with a triangular or categorical kernel.
double Parzen::ratio(Eigen::Index column, float value) const {
  const bool exact = categorical_[static_cast<std::size_t>(column)];
  double near[2] = {0, 0};
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const float distance = std::abs(samples_[i].row(column) - value);
    near[i < good_] += exact ? (distance == 0 ? 1 : 0) : std::max(0.0f, 1 - distance / bandwidth);
  }
  const auto good = static_cast<double>(good_), others = static_cast<double>(samples_.size() - good_);
  return std::log((near[1] + imagined) / (good + imagined)) - std::log((near[0] + imagined) / (others + imagined));
}

// A column has few distinct values, so each is looked up once.
Eigen::ArrayXf Parzen::mean_at(const Eigen::MatrixXf& rows) const {
  Eigen::ArrayXf mean = Eigen::ArrayXf::Zero(rows.rows());
  for (Eigen::Index column = 0; column < rows.cols(); ++column) {
    std::map<float, float> known;
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      const auto [place, fresh] = known.try_emplace(rows(i, column));
      if (fresh) place->second = static_cast<float>(ratio(column, place->first));
      mean(i) -= place->second;
    }
  }
  return mean;
}

void Parzen::set_candidates(const Eigen::MatrixXf& rows) {
  candidates_ = rows;
  variance_ = Eigen::ArrayXf::Ones(rows.rows());
  predict();
}

void Parzen::learn(const Sample& sample) {
  std::vector<Sample> samples = samples_;
  samples.push_back(sample);
  fit(samples);
  predict();
}

void Parzen::predict() {
  mean_ = mean_at(candidates_);
}

}  // namespace warptune::search
