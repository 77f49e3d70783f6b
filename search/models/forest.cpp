// Grows the trees on bootstrap samples, and averages their leaves.
#include "search/models/forest.h"

namespace warptune::search {

namespace {

constexpr std::size_t tree_count = 30;
// This variance is added to that of the trees, because leaves of one value or of equal values still know little.
constexpr double least_variance = 1e-4;

// Rows are contiguous, because a tree reads some columns of one row after the other.
using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

void Forest::fit(const std::vector<Sample>& samples) {
  trees_.clear();
  const TreeSamples table(samples);
  for (std::size_t i = 0; i < tree_count; ++i) {
    std::vector<std::uint32_t> drawn;
    for (std::size_t k = 0; k < samples.size(); ++k) drawn.push_back(table.place(rng_.below(samples.size())));
    trees_.emplace_back(table, std::move(drawn), rng_);
  }
}

// Goes through the rows tree by tree, because one tree stays in the processor's first-level cache.
Eigen::ArrayXf Forest::mean_at(const Eigen::MatrixXf& rows) const {
  const RowMajor by_row = rows;
  Eigen::ArrayXf mean = Eigen::ArrayXf::Zero(rows.rows());
  std::vector<float> means;
  std::vector<std::uint32_t> leaves(static_cast<std::size_t>(rows.rows()));
  for (const Tree& tree : trees_) {
    means.clear();
    for (const Tree::Leaf& leaf : tree.leaves()) means.push_back(static_cast<float>(leaf.mean()));
    tree.find_leaves(by_row.data(), static_cast<std::size_t>(by_row.cols()), leaves);
    for (std::size_t i = 0; i < leaves.size(); ++i) mean(static_cast<Eigen::Index>(i)) += means[leaves[i]];
  }
  return mean / static_cast<float>(trees_.size());
}

void Forest::set_candidates(const Eigen::MatrixXf& rows) {
  const RowMajor by_row = rows;
  leaves_.resize(trees_.size());
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    leaves_[t].resize(static_cast<std::size_t>(rows.rows()));
    trees_[t].find_leaves(by_row.data(), static_cast<std::size_t>(by_row.cols()), leaves_[t]);
  }
  mean_.resize(rows.rows());
  variance_.resize(rows.rows());
  predicted_ = false;
}

void Forest::learn(const Sample& sample) {
  for (Tree& tree : trees_) tree.add(sample);
  predicted_ = false;
}

const Eigen::ArrayXf& Forest::mean() const {
  predict();
  return mean_;
}

const Eigen::ArrayXf& Forest::variance() const {
  predict();
  return variance_;
}

void Forest::predict() const {
  if (predicted_) return;
  predicted_ = true;
  struct Moments {
    double mean = 0, square = 0, variance = 0;
  };
  std::vector<Moments> sums(static_cast<std::size_t>(mean_.size())), leaves;
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    leaves.clear();
    for (const Tree::Leaf& leaf : trees_[t].leaves())
      leaves.push_back({leaf.mean(), leaf.mean() * leaf.mean(), leaf.variance()});
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Moments& leaf = leaves[leaves_[t][i]];
      sums[i].mean += leaf.mean, sums[i].square += leaf.square, sums[i].variance += leaf.variance;
    }
  }
  const auto n = static_cast<double>(trees_.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto [sum, squares, within] = sums[i];
    mean_(static_cast<Eigen::Index>(i)) = static_cast<float>(sum / n);
    variance_(static_cast<Eigen::Index>(i)) =
        static_cast<float>(squares / n - sum / n * sum / n + within / n + least_variance);
  }
}

}  // namespace warptune::search
