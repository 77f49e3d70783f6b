// Fits non-increasing curves by pooling adjacent violators.
#include "search/compare/isotonic.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace warptune::search::compare {

namespace {

// A Block holds neighbouring points whose fitted value is the same, their mean.
struct Block {
  double first_x = 0, last_x = 0;
  double sum = 0, weight = 0;
  double mean() const { return sum / weight; }
};

void absorb(Block& block, const Block& next) {
  block.last_x = next.last_x;
  block.sum += next.sum;
  block.weight += next.weight;
}

// Points with equal x arrive one after the other and must end in one block, whatever their values.
void add_point(std::vector<Block>& blocks, const Point& point) {
  const Block single{point.x, point.x, point.y, 1};
  if (!blocks.empty() && blocks.back().first_x == point.x)
    absorb(blocks.back(), single);
  else
    blocks.push_back(single);
}

std::vector<Block> distinct(const std::vector<Point>& points) {
  std::vector<Block> blocks;
  blocks.reserve(points.size());
  for (const Point& point : points) add_point(blocks, point);
  return blocks;
}

// Merges, in place, every block that rises above the one before it.
void pool_violators(std::vector<Block>& blocks) {
  std::size_t last = 0;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    blocks[++last] = blocks[i];
    while (last > 0 && blocks[last].mean() >= blocks[last - 1].mean()) {
      absorb(blocks[last - 1], blocks[last]);
      --last;
    }
  }
  blocks.resize(last + 1);
}

// Adds the fit's values at the ascending `grid` to `sums`.
void add_values(const std::vector<Block>& blocks, const std::vector<double>& grid, std::vector<double>& sums) {
  std::size_t i = 0;
  for (std::size_t g = 0; g < grid.size(); ++g) {
    while (i + 1 < blocks.size() && grid[g] >= blocks[i + 1].first_x) ++i;
    const Block& block = blocks[i];
    if (grid[g] <= block.last_x || i + 1 == blocks.size()) {
      sums[g] += block.mean();
      continue;
    }
    const double width = blocks[i + 1].first_x - block.last_x;
    sums[g] += block.mean() + (blocks[i + 1].mean() - block.mean()) * (grid[g] - block.last_x) / width;
  }
}

}  // namespace

std::vector<double> decreasing_fit(const std::vector<Point>& points, const std::vector<double>& grid) {
  std::vector<Block> blocks = distinct(points);
  pool_violators(blocks);
  std::vector<double> values(grid.size());
  add_values(blocks, grid, values);
  return values;
}

std::vector<double> bagged_decreasing_fit(const std::vector<Point>& points, const std::vector<double>& grid,
                                          std::size_t estimators, Rng& rng) {
  const double share = 1 / std::sqrt(static_cast<double>(estimators));
  const auto sample_size =
      std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(points.size())));
  std::vector<double> sums(grid.size());
  std::vector<std::uint32_t> drawn(sample_size);
  std::vector<Point> sample(sample_size);
  for (std::size_t i = 0; i < estimators; ++i) {
    for (auto& index : drawn) index = static_cast<std::uint32_t>(rng.below(points.size()));
    std::sort(drawn.begin(), drawn.end());  // the order by index is the order by x, and cheaper
    std::transform(drawn.begin(), drawn.end(), sample.begin(), [&](std::uint32_t index) { return points[index]; });
    std::vector<Block> blocks = distinct(sample);
    pool_violators(blocks);
    add_values(blocks, grid, sums);
  }
  for (double& sum : sums) sum /= static_cast<double>(estimators);
  return sums;
}

}  // namespace warptune::search::compare
