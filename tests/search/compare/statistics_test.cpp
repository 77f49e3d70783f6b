#include "search/compare/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace warptune::search::compare {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Median, IsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({9, 1, 3}), 3);
}

TEST(Median, AllowsInfinities) {
  EXPECT_EQ(median({1, infinity, 2}), 2);
  EXPECT_EQ(median({infinity, infinity, 1, infinity}), infinity);
}

TEST(StandardDeviation, DividesByOneLess) {
  EXPECT_DOUBLE_EQ(standard_deviation({2, 4, 4, 4, 5, 5, 7, 9}), std::sqrt(32.0 / 7));
  EXPECT_EQ(standard_deviation({5}), 0);
}

TEST(Bootstrap, FindsTheErrorOfAMean) {
  std::vector<double> values(100);
  std::iota(values.begin(), values.end(), 0);
  Rng rng(1);
  const double error = bootstrap_error(values.size(), 2000, rng, [&](const auto& drawn) {
    double sum = 0;
    for (std::size_t index : drawn) sum += values[index];
    return sum / static_cast<double>(drawn.size());
  });
  EXPECT_NEAR(error, standard_deviation(values) / 10, 0.15);
}

}  // namespace
}  // namespace warptune::search::compare
