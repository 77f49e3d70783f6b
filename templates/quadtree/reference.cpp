// The tree by recursion, with a stable partition for each node.
#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

struct Point {
  int column, row;
  std::uint32_t index;
};

struct Tree {
  std::uint32_t* order;
  std::int32_t* depths;
  std::uint32_t capacity;
  int deepest;
  const Point* all;
};

int cell(float coordinate) {
  return std::clamp(static_cast<int>(coordinate * 65536.0f), 0, 65535);
}

void build(const Tree& tree, Point* begin, Point* end, int depth) {
  if (begin == end) return;
  if (end - begin <= static_cast<std::ptrdiff_t>(tree.capacity) || depth >= tree.deepest) {
    for (const Point* point = begin; point != end; ++point) {
      tree.order[point - tree.all] = point->index;
      tree.depths[point - tree.all] = depth;
    }
    return;
  }
  const int bit = 15 - depth;
  const auto left = [bit](const Point& point) { return (point.column >> bit & 1) == 0; };
  const auto above = [bit](const Point& point) { return (point.row >> bit & 1) == 0; };
  Point* const middle = std::stable_partition(begin, end, above);
  Point* const first = std::stable_partition(begin, middle, left);
  Point* const third = std::stable_partition(middle, end, left);
  build(tree, begin, first, depth + 1);
  build(tree, first, middle, depth + 1);
  build(tree, middle, third, depth + 1);
  build(tree, third, end, depth + 1);
}

}  // namespace

extern "C" void build_tree(const float* x, const float* y, std::uint32_t* order, std::int32_t* depths,
                           std::uint32_t size, std::uint32_t capacity, std::int32_t deepest) {
  std::vector<Point> points(size);
  for (std::uint32_t i = 0; i < size; ++i) points[i] = {cell(x[i]), cell(y[i]), i};
  build({order, depths, capacity, deepest, points.data()}, points.data(), points.data() + size, 0);
}
