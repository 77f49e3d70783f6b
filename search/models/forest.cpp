// Grows trees on ranked keys, which are sorted by counting, and averages the leaves of those of a forest.
#include "search/models/forest.h"

#include <cmath>
#include <numeric>

namespace warptune::search {

namespace {

constexpr std::size_t least_to_split = 4;
constexpr double columns_tried = 5.0 / 6;  // SMAC's share
constexpr std::size_t tree_count = 30;
// This variance is added to that of the trees, because leaves of one value or of equal values still know little.
constexpr double least_variance = 1e-4;

// Rows are contiguous, because a tree reads some columns of one row after the other.
using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

TreeSamples::TreeSamples(const std::vector<Sample>& samples) : places_(samples.size()) {
  std::vector<std::size_t> order(samples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return samples[i].number; });
  for (std::size_t place = 0; place < order.size(); ++place) {
    places_[order[place]] = static_cast<std::uint32_t>(place);
    values_.push_back(samples[order[place]].value);
  }
  const auto columns = samples.empty() ? 0 : samples.front().row.size();
  for (Eigen::Index c = 0; c < columns; ++c) {
    std::vector<float>& keys = keys_.emplace_back();
    for (const Sample& sample : samples) keys.push_back(sample.row(c));
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    std::vector<std::uint32_t>& ranks = ranks_.emplace_back();
    for (std::size_t i : order)
      ranks.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(keys, samples[i].row(c)) - keys.begin()));
  }
}

struct Tree::Split {
  std::size_t column = 0;
  std::uint32_t rank = 0;  // up to it rows go left
  float limit = 0;
  double gain = 0;  // 0: none
};

// A Grower fits the tree, with memory that its nodes share, because they are many and most are small.
class Tree::Grower {
 public:
  Grower(Tree& tree, const TreeSamples& samples, Rng& rng) : tree_(tree), samples_(samples), rng_(rng) {}

  // `grow` takes the same samples twice. `drawn` has them as they were drawn, which is the order in which all of them
  // are summed up. `sorted` has them by place, which is the order in which those of equal keys are summed up.
  using Places = std::span<std::uint32_t>;
  std::uint32_t grow(Places drawn, Places sorted);

 private:
  void make_leaf(std::uint32_t index, Places drawn);
  Split best_split(Places drawn, Places sorted);
  void sort_by(std::size_t column, Places sorted);
  void try_column(std::size_t column, double total, Split& best) const;
  Places::iterator part(Places sorted, const Split& split);

  Tree& tree_;
  const TreeSamples& samples_;
  Rng& rng_;
  std::vector<std::size_t> columns_;
  std::vector<std::uint32_t> ends_, right_;
  struct Entry {
    std::uint32_t rank, place;
  };
  std::vector<Entry> entries_;  // by rank, then by place
};

Tree::Tree(const TreeSamples& samples, std::vector<std::uint32_t> drawn, Rng& rng) {
  std::vector<std::uint32_t> sorted = drawn;
  std::ranges::sort(sorted);
  Grower(*this, samples, rng).grow(drawn, sorted);
}

std::uint32_t Tree::Grower::grow(Places drawn, Places sorted) {
  const auto index = static_cast<std::uint32_t>(tree_.nodes_.size());
  tree_.nodes_.push_back({0, 0, {index, index}});
  tree_.numbers_.push_back(0);
  const Split split = drawn.size() < least_to_split ? Split{} : best_split(drawn, sorted);
  if (split.gain <= 0) {
    make_leaf(index, drawn);
    return index;
  }
  const auto goes_left = [&](std::uint32_t place) { return samples_.rank(split.column, place) <= split.rank; };
  const auto drawn_right = std::partition(drawn.begin(), drawn.end(), goes_left);
  const auto sorted_right = part(sorted, split);
  const std::uint32_t first = grow({drawn.begin(), drawn_right}, {sorted.begin(), sorted_right});
  const std::uint32_t second = grow({drawn_right, drawn.end()}, {sorted_right, sorted.end()});
  tree_.nodes_[index] = {static_cast<std::uint32_t>(split.column), split.limit, {first, second}};
  return index;
}

void Tree::Grower::make_leaf(std::uint32_t index, Places drawn) {
  tree_.numbers_[index] = static_cast<std::uint32_t>(tree_.leaves_.size());
  Leaf& leaf = tree_.leaves_.emplace_back();
  for (std::uint32_t place : drawn) leaf.add(samples_.value(place));
}

// Moves the samples that go left to the front, and returns where the others begin. It keeps the order on both sides.
Tree::Grower::Places::iterator Tree::Grower::part(Places sorted, const Split& split) {
  right_.clear();
  auto left = sorted.begin();
  for (std::uint32_t place : sorted)
    if (samples_.rank(split.column, place) <= split.rank)
      *left++ = place;
    else
      right_.push_back(place);
  std::ranges::copy(right_, left);
  return left;
}

Tree::Split Tree::Grower::best_split(Places drawn, Places sorted) {
  columns_.resize(samples_.columns());
  std::iota(columns_.begin(), columns_.end(), std::size_t{0});
  rng_.shuffle(columns_);
  columns_.resize(static_cast<std::size_t>(std::ceil(columns_tried * static_cast<double>(columns_.size()))));
  double total = 0;
  for (std::uint32_t place : drawn) total += samples_.value(place);
  Split best;
  for (std::size_t column : columns_) {
    sort_by(column, sorted);
    try_column(column, total, best);
  }
  return best;
}

// Sorts by counting where keys are few, as those of parameters are.
void Tree::Grower::sort_by(std::size_t column, Places sorted) {
  const std::size_t keys = samples_.keys(column).size();
  entries_.resize(sorted.size());
  if (keys > 2 * sorted.size()) {
    for (std::size_t i = 0; i < sorted.size(); ++i) entries_[i] = {samples_.rank(column, sorted[i]), sorted[i]};
    std::ranges::sort(entries_, [](const Entry& a, const Entry& b) {
      return a.rank != b.rank ? a.rank < b.rank : a.place < b.place;
    });
    return;
  }
  ends_.assign(keys + 1, 0);
  for (std::uint32_t place : sorted) ++ends_[samples_.rank(column, place) + 1];
  std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
  for (std::uint32_t place : sorted) {
    const std::uint32_t rank = samples_.rank(column, place);
    entries_[ends_[rank]++] = {rank, place};
  }
}

// The split that lowers the sum of squared errors most is the one with the most sum²/count on its two sides.
void Tree::Grower::try_column(std::size_t column, double total, Split& best) const {
  const std::vector<float>& keys = samples_.keys(column);
  const auto n = static_cast<double>(entries_.size());
  double left = 0;
  for (std::size_t i = 0; i + 1 < entries_.size(); ++i) {
    left += samples_.value(entries_[i].place);
    const std::uint32_t here = entries_[i].rank, next = entries_[i + 1].rank;
    if (here == next) continue;
    const double count = static_cast<double>(i + 1);
    const double gain = left * left / count + (total - left) * (total - left) / (n - count) - total * total / n;
    if (gain > best.gain + 1e-12) best = {column, here, (keys[here] + keys[next]) / 2, gain};
  }
}

std::uint32_t Tree::leaf_of(const float* row) const {
  if (nodes_.size() == 1) return 0;  // there may be no column to read
  std::uint32_t index = 0;
  for (std::uint32_t below = next(index, row); below != index; below = next(index, row)) index = below;
  return numbers_[index];
}

void Tree::find_leaves(const float* rows, std::size_t columns, std::span<std::uint32_t> found) const {
  if (nodes_.size() == 1) return std::fill(found.begin(), found.end(), 0u);
  constexpr std::size_t together = 8;
  std::size_t first = 0;
  for (; first + together <= found.size(); first += together) {
    const float* const row = rows + first * columns;
    std::uint32_t at[together] = {};
    for (std::uint32_t moved = 1; moved != 0;) {
      moved = 0;
      for (std::size_t i = 0; i < together; ++i) {
        const std::uint32_t below = next(at[i], row + i * columns);
        moved |= below ^ at[i];
        at[i] = below;
      }
    }
    for (std::size_t i = 0; i < together; ++i) found[first + i] = numbers_[at[i]];
  }
  for (; first < found.size(); ++first) found[first] = leaf_of(rows + first * columns);
}

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
