#include "search/compare/isotonic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace warptune::search::compare {
namespace {

using testing::DoubleNear;
using testing::Pointwise;

// Expected values from scikit-learn's IsotonicRegression(increasing=False, out_of_bounds="clip").
TEST(DecreasingFit, AgreesWithScikitLearn) {
  const std::vector<Point> points{{1, 9}, {2, 4}, {2, 8}, {3, 7}, {4, 1}, {6, 0}};
  EXPECT_THAT(decreasing_fit(points, {0, 1, 1.5, 2, 3, 3.5, 5, 6, 9}),
              Pointwise(DoubleNear(1e-8), {9.0, 9.0, 7.66666667, 6.33333333, 6.33333333, 3.66666667, 0.5, 0.0, 0.0}));
}

TEST(DecreasingFit, OfRisingPointsIsTheirMean) {
  EXPECT_THAT(decreasing_fit({{1, 1}, {2, 2}, {3, 6}}, {0, 2, 9}), Pointwise(DoubleNear(1e-12), {3.0, 3.0, 3.0}));
}

TEST(BaggedDecreasingFit, NeverRisesAndStaysWithinThePoints) {
  std::vector<Point> points;
  Rng noise(3);
  for (int i = 0; i < 500; ++i) points.push_back({i * 0.1, 50 - i * 0.1 + noise.normal()});
  const auto [low, high] =
      std::minmax_element(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.y < b.y; });
  std::vector<double> grid;
  for (int i = 0; i < 100; ++i) grid.push_back(i * 0.5);
  Rng rng(1);
  const auto curve = bagged_decreasing_fit(points, grid, 20, rng);
  EXPECT_TRUE(std::is_sorted(curve.rbegin(), curve.rend()));
  EXPECT_LE(curve.front(), high->y);
  EXPECT_GE(curve.back(), low->y);
  EXPECT_NEAR(curve[50], 25, 1);
}

TEST(BaggedDecreasingFit, IsTheSameForTheSameSeed) {
  const std::vector<Point> points{{1, 9}, {2, 4}, {2, 8}, {3, 7}, {4, 1}, {6, 0}};
  const std::vector<double> grid{1, 2, 3, 4, 5};
  Rng one(5), same(5), other(6);
  const auto curve = bagged_decreasing_fit(points, grid, 9, one);
  EXPECT_EQ(curve, bagged_decreasing_fit(points, grid, 9, same));
  EXPECT_NE(curve, bagged_decreasing_fit(points, grid, 9, other));
}

}  // namespace
}  // namespace warptune::search::compare
