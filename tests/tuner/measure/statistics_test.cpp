#include "tuner/measure/sampling/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "search/random.h"

namespace warptune::tuner {
namespace {

TEST(Median, OfOddAndEvenCounts) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_THROW(median({}), std::invalid_argument);
}

TEST(MedianInterval, UsesTheTextbooksRanks) {
  // n = 10: ranks 2 and 9 enclose the median with 97.9 % (Conover, table A3 of the binomial).
  const std::vector<double> ten{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_EQ(median_interval(ten).low, 2);
  EXPECT_EQ(median_interval(ten).high, 9);
}

TEST(MedianInterval, IsTheWholeRangeForFewSamples) {
  const std::vector<double> five{5, 1, 4, 2, 3};
  EXPECT_EQ(median_interval(five).low, 1);
  EXPECT_EQ(median_interval(five).high, 5);
}

TEST(MedianInterval, EnclosesTheMedianNineteenTimesInTwenty) {
  search::Rng rng(11);
  int enclosed = 0;
  constexpr int repeats = 2000;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    std::vector<double> samples;
    for (int i = 0; i < 25; ++i) samples.push_back(-std::log(1 - rng.uniform()));  // skewed, median ln 2
    const Interval interval = median_interval(samples);
    enclosed += interval.low <= std::log(2.0) && std::log(2.0) <= interval.high;
  }
  EXPECT_GE(enclosed, repeats * 94 / 100);
}

TEST(RelativeError, IsHalfTheIntervalOverTheMedian) {
  const std::vector<double> ten{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_DOUBLE_EQ(relative_error(ten), 3.5 / 5.5);
}

TEST(RelativeError, OfAFewSamplesIsStudentsAndNoSmallerThanTheirRange) {
  const std::vector<double> three{0.99, 1.0, 1.01};
  EXPECT_NEAR(relative_error(three), 4.303 * 0.01 / std::sqrt(3.0), 1e-6);
  const std::vector<double> one{1.0};
  EXPECT_TRUE(std::isinf(relative_error(one)));
}

}  // namespace
}  // namespace warptune::tuner
