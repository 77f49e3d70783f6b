#include "tuner/results/select/prediction.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace warptune::tuner {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

// Nine sizes, of which each is served best by the configuration with M's number; another's is a tenth slower for each
// step between them. N is of no matter.
ServedSizes by_m() {
  ServedSizes served;
  const std::vector<std::int64_t> values = {100, 1000, 10000};
  for (const std::int64_t m : values)
    for (const std::int64_t n : values) served.sizes.push_back({{"M", m}, {"N", n}});
  for (std::size_t size = 0; size < 9; ++size) served.serving.push_back(size / 3);
  for (std::size_t configuration = 0; configuration < 3; ++configuration) {
    auto& row = served.slowdown.emplace_back();
    for (std::size_t size = 0; size < 9; ++size)
      row.push_back(1 + 0.1 * std::abs(static_cast<double>(configuration) - static_cast<double>(size / 3)));
  }
  return served;
}

TEST(SizePrediction, LearnsWhichDimensionsMatter) {
  const auto rule = learn_size_rule({by_m()});
  ASSERT_TRUE(rule);
  EXPECT_GT(rule->weights.at("M"), rule->weights.at("N"));
  EXPECT_EQ(rule->left_out, 9u);
  EXPECT_NEAR(rule->mean_regret, 0, 1e-9);
  EXPECT_EQ(nearest_size(by_m().sizes, {{"M", std::int64_t{900}}, {"N", std::int64_t{1'000'000}}}, rule) / 3, 1u);
}

TEST(SizePrediction, LeavesDimensionsEqualWhereThatIsAsGood) {
  ServedSizes served = by_m();
  for (auto& row : served.slowdown)
    for (auto& one : row) one = 1.05;
  const auto rule = learn_size_rule({served});
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->weights, (std::map<std::string, int>{{"M", 1}, {"N", 1}}));
  EXPECT_NEAR(rule->mean_regret, 0.05, 1e-9);
  EXPECT_NEAR(rule->worst_regret, 0.05, 1e-9);
}

TEST(SizePrediction, StatesWhatSizesCostThatTheWeightsDidNotKnow) {
  ServedSizes odd = by_m();
  odd.serving[0] = 2;  // one that nobody around it agrees with
  for (auto& row : odd.slowdown) row[0] = 3;
  odd.slowdown[2][0] = 1;
  const auto rule = learn_size_rule({odd});
  ASSERT_TRUE(rule);
  EXPECT_NEAR(rule->worst_regret, 2, 1e-9);
  EXPECT_GT(rule->mean_regret, 0.2);
}

TEST(SizePrediction, PassesOverWhatFailedAndCountsNothingThatNobodyTried) {
  ServedSizes served = by_m();
  for (std::size_t size = 0; size < 9; ++size) served.slowdown[1][size] = size / 3 == 1 ? std::optional(1.0) : never;
  const auto rule = learn_size_rule({served});
  ASSERT_TRUE(rule);
  EXPECT_LT(rule->worst_regret, 0.25) << "a failure is no regret";
  for (auto& row : served.slowdown)
    for (std::size_t size = 3; size < 9; ++size) row[size] = std::nullopt;
  EXPECT_FALSE(learn_size_rule({served})) << "three sizes are too few to say anything";
}

TEST(SizePrediction, SharesOneRuleOverGroupsAndPredictsWithinEach) {
  ServedSizes reversed = by_m();
  for (std::size_t size = 0; size < 9; ++size) reversed.serving[size] = 2 - size / 3;
  std::swap(reversed.slowdown[0], reversed.slowdown[2]);
  const auto rule = learn_size_rule({by_m(), reversed});
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->left_out, 18u);
  EXPECT_NEAR(rule->mean_regret, 0, 1e-9);
}

TEST(SizePrediction, NeedsSizes) {
  EXPECT_FALSE(learn_size_rule({}));
  EXPECT_FALSE(learn_size_rule({ServedSizes{}}));
}

TEST(SizePrediction, TheSizeItselfIsNearestEvenWhereItsDimensionCountsForNothing) {
  SizeRule rule;
  rule.weights = {{"M", 1}, {"N", 0}};
  EXPECT_EQ(nearest_size(by_m().sizes, by_m().sizes[5], rule), 5u);
}

}  // namespace
}  // namespace warptune::tuner
