#include "search/models/forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace warptune::search {

namespace {

constexpr std::size_t tree_count = 30;
constexpr std::size_t least_to_split = 4;
constexpr double columns_tried = 5.0 / 6;  // SMAC's share
// Leaves of one or equal values still know little.
constexpr double least_variance = 1e-4;

}  // namespace

struct Tree::Split {
  Eigen::Index column = -1;
  float limit = 0;
  double gain = 0;
};

// Fits the tree, with room that its nodes share: they are many, and most are small.
class Tree::Grower {
 public:
  Grower(std::vector<Node>& nodes, Rng& rng) : nodes_(nodes), rng_(rng) {}

  using Samples = std::span<const Sample*>;
  std::size_t grow(Samples samples);

 private:
  Split best_split(Samples samples);
  void try_column(Samples samples, Eigen::Index column, Split& best);

  // A sample's place along a column; contiguous, for sorting them is most of the work.
  struct Entry {
    float key;
    std::uint32_t number;  // among the samples: equal keys are summed up in one order
    double value;
  };
  std::vector<Node>& nodes_;
  Rng& rng_;
  std::vector<Entry> entries_;
  std::vector<Eigen::Index> columns_;
};

Tree::Tree(std::vector<const Sample*> samples, Rng& rng) {
  Grower(nodes_, rng).grow(samples);
}

std::size_t Tree::Grower::grow(Samples samples) {
  const std::size_t index = nodes_.size();
  nodes_.emplace_back();
  const Split split = samples.size() < least_to_split ? Split{} : best_split(samples);
  if (split.column < 0) {
    for (const Sample* sample : samples) nodes_[index].leaf.add(sample->value);
    return index;
  }
  const auto right = std::partition(samples.begin(), samples.end(),
                                    [&](const Sample* sample) { return sample->row(split.column) <= split.limit; });
  nodes_[index].column = split.column;
  nodes_[index].limit = split.limit;
  const std::size_t left_index = grow({samples.begin(), right}), right_index = grow({right, samples.end()});
  nodes_[index].left = left_index;
  nodes_[index].right = right_index;
  return index;
}

Tree::Split Tree::Grower::best_split(Samples samples) {
  columns_.resize(static_cast<std::size_t>(samples.front()->row.size()));
  std::iota(columns_.begin(), columns_.end(), Eigen::Index{0});
  rng_.shuffle(columns_);
  columns_.resize(static_cast<std::size_t>(std::ceil(columns_tried * static_cast<double>(columns_.size()))));
  Split best;
  for (Eigen::Index column : columns_) try_column(samples, column, best);
  return best;
}

// The split that lowers the sum of squared errors most is the one with the most sum²/count on its two sides.
void Tree::Grower::try_column(Samples samples, Eigen::Index column, Split& best) {
  entries_.clear();
  double total = 0, left = 0;
  for (const Sample* sample : samples) {
    entries_.push_back({sample->row(column), static_cast<std::uint32_t>(sample->number), sample->value});
    total += sample->value;
  }
  std::ranges::sort(
      entries_, [](const Entry& a, const Entry& b) { return a.key != b.key ? a.key < b.key : a.number < b.number; });
  const auto n = static_cast<double>(samples.size());
  for (std::size_t i = 0; i + 1 < entries_.size(); ++i) {
    left += entries_[i].value;
    const float here = entries_[i].key, next = entries_[i + 1].key;
    if (here == next) continue;
    const double count = static_cast<double>(i + 1);
    const double gain = left * left / count + (total - left) * (total - left) / (n - count) - total * total / n;
    if (gain > best.gain + 1e-12) best = {column, (here + next) / 2, gain};
  }
}

std::size_t Tree::leaf_of(const Eigen::RowVectorXf& row) const {
  std::size_t index = 0;
  while (nodes_[index].column >= 0)
    index = row(nodes_[index].column) <= nodes_[index].limit ? nodes_[index].left : nodes_[index].right;
  return index;
}

void Forest::fit(const std::vector<Sample>& samples) {
  trees_.clear();
  for (std::size_t i = 0; i < tree_count; ++i) {
    std::vector<const Sample*> drawn;
    for (std::size_t k = 0; k < samples.size(); ++k) drawn.push_back(&samples[rng_.below(samples.size())]);
    trees_.emplace_back(std::move(drawn), rng_);
  }
}

Eigen::ArrayXf Forest::mean_at(const Eigen::MatrixXf& rows) const {
  Eigen::ArrayXf mean = Eigen::ArrayXf::Zero(rows.rows());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const Eigen::RowVectorXf row = rows.row(i);
    for (const Tree& tree : trees_) mean(i) += static_cast<float>(tree.leaf(tree.leaf_of(row)).mean());
  }
  return mean / static_cast<float>(trees_.size());
}

void Forest::set_candidates(const Eigen::MatrixXf& rows) {
  leaves_.assign(trees_.size(), {});
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const Eigen::RowVectorXf row = rows.row(i);
    for (std::size_t t = 0; t < trees_.size(); ++t) leaves_[t].push_back(trees_[t].leaf_of(row));
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
  const auto n = static_cast<double>(trees_.size());
  for (Eigen::Index i = 0; i < mean_.size(); ++i) {
    double sum = 0, squares = 0, within = 0;
    for (std::size_t t = 0; t < trees_.size(); ++t) {
      const Tree::Leaf& leaf = trees_[t].leaf(leaves_[t][static_cast<std::size_t>(i)]);
      sum += leaf.mean();
      squares += leaf.mean() * leaf.mean();
      within += leaf.variance();
    }
    mean_(i) = static_cast<float>(sum / n);
    variance_(i) = static_cast<float>(squares / n - sum / n * sum / n + within / n + least_variance);
  }
}

}  // namespace warptune::search
