#include "search/models/size_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "search/strategies/model_based/shared_model.h"
#include "tests/search/models/small_space.h"

namespace warptune::search {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;

// x is best at the logarithm of the size, and sizes cost what they are.
class SizeModelTest : public testing::Test {
 protected:
  static double time(double log2_size, std::uint32_t x) { return std::exp2(log2_size) * (1 + 0.2 * off(log2_size, x)); }
  static double off(double log2_size, std::uint32_t x) { return std::abs(static_cast<double>(x) - log2_size); }
  void measure(std::size_t size, std::uint32_t x) { model_.tell(size, trial_of({{x, 0}}, {time(log2_[size], x)})); }
  std::optional<SizeModel::Pick> pick(std::size_t size, const std::vector<Configuration>& pending = {}) {
    return model_.pick(size, pending, [](const Configuration&) { return true; });
  }
  static std::vector<std::vector<double>> sizes(const std::vector<double>& log2) {
    std::vector<std::vector<double>> all;
    for (const double one : log2) all.push_back({std::exp2(one)});
    return all;
  }

  std::vector<double> log2_ = {2, 4, 7, 10, 12};
  SearchSpace space_ = SearchSpace::build({range("x", 14), range("y", 2)}, {});
  Encoding encoding_{space_, {}};
  SizeModel model_{encoding_, sizes(log2_)};
};

TEST_F(SizeModelTest, PredictsTheBestOfASizeThatWasNotMeasuredFromThoseAroundIt) {
  for (const std::size_t size : {0, 1, 3, 4})
    for (std::uint32_t x = 0; x < 14; ++x) measure(size, x);
  const auto best = pick(2);
  ASSERT_TRUE(best);
  EXPECT_THAT(best->configuration.choices[0], AllOf(Ge(6u), Le(8u)));
  EXPECT_TRUE(std::isinf(best->gain)) << "nothing is known there that it could improve on";
}

TEST_F(SizeModelTest, ExpectsLittleOnceTheBestIsMeasured) {
  for (const std::size_t size : {0, 1, 3, 4})
    for (std::uint32_t x = 0; x < 14; ++x) measure(size, x);
  measure(2, 0);
  const double before = pick(2)->gain;
  for (const std::uint32_t x : {6, 7, 8}) measure(2, x);
  EXPECT_GT(before, 0.2);
  EXPECT_LT(pick(2)->gain, 0.01);
}

TEST_F(SizeModelTest, ProposesNothingThatIsKnownHereUnderWayForbiddenOrFailedEverywhere) {
  measure(0, 1);
  measure(0, 2);
  model_.tell(0, trial_of({{3, 0}}, {}));
  EXPECT_FALSE(pick(0));
  const auto first = pick(1);
  ASSERT_TRUE(first);
  const auto second = pick(1, {first->configuration});
  ASSERT_TRUE(second);
  EXPECT_NE(first->configuration, second->configuration);
  EXPECT_FALSE(pick(1, {first->configuration, second->configuration}));
  EXPECT_FALSE(model_.pick(1, {}, [](const Configuration&) { return false; }));
}

// Else all that is slow elsewhere would seem to be faster than what was tried here.
TEST_F(SizeModelTest, ASizeWhereOnlyGoodOnesWereTriedIsNotTakenForAFastOne) {
  for (std::uint32_t x = 0; x < 14; ++x) measure(1, x);
  for (const std::uint32_t x : {4, 5}) model_.tell(0, trial_of({{x, 0}}, {time(4, x) / 4}));
  EXPECT_LT(pick(0)->gain, 0.05);
}

TEST_F(SizeModelTest, ATrialThatIsToldTwiceCountsOnce) {
  measure(0, 1);
  measure(0, 1);
  EXPECT_EQ(model_.known(), 1u);
  model_.tell(0, trial_of({{1, 0}}, {}));
  EXPECT_FALSE(pick(1)) << "the later one holds: it failed";
}

TEST_F(SizeModelTest, MaximisesMetricsWhoseObjectivesAreNegative) {
  for (const std::size_t size : {0, 1, 3, 4})
    for (std::uint32_t x = 0; x < 14; ++x) model_.tell(size, trial_of({{x, 0}}, {-1 / time(log2_[size], x)}));
  const auto best = pick(2);
  ASSERT_TRUE(best);
  EXPECT_THAT(best->configuration.choices[0], AllOf(Ge(6u), Le(8u)));
}

TEST_F(SizeModelTest, ABatchIsOfDifferentOnesBestFirst) {
  for (const std::size_t size : {0, 1, 3, 4})
    for (std::uint32_t x = 0; x < 14; ++x) measure(size, x);
  measure(2, 0);
  const auto batch = model_.picks(2, 4, {}, [](const Configuration&) { return true; });
  ASSERT_EQ(batch.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(batch[i].configuration, batch[j].configuration);
  EXPECT_GE(batch[0].gain, batch[3].gain);
}

TEST_F(SizeModelTest, KnowsABestConfigurationThatNobodyTried) {
  for (const std::size_t size : {0, 1, 2, 3, 4})
    for (std::uint32_t x = 0; x < 14; x += 2) measure(size, x);
  const auto best = model_.picks_of(2, 1, {{{1, 0}}, {{7, 0}}, {{13, 0}}});
  ASSERT_EQ(best.size(), 1u);
  EXPECT_EQ(best[0].configuration.choices[0], 7u);
}

TEST_F(SizeModelTest, WhatIsCompiledMayBePickedAndWhatFailedMayNot) {
  measure(0, 1);
  model_.add({{2, 0}});
  model_.add({{3, 0}});
  model_.tell(1, trial_of({{3, 0}}, {}));
  const auto picked = model_.picks(0, 9, {}, [](const Configuration&) { return true; });
  ASSERT_EQ(picked.size(), 1u);
  EXPECT_EQ(picked[0].configuration, (Configuration{{2, 0}}));
}

TEST_F(SizeModelTest, AGuessCountsAsFarAsTheTimesBearItOut) {
  for (const double honest : {1.0, -1.0}) {
    SizeModel model(encoding_, sizes(log2_));
    model.guess([&](std::size_t size, const Configuration& configuration) {
      return honest * std::log(time(log2_[size], configuration.choices[0]));
    });
    for (std::uint32_t x = 0; x < 14; ++x)
      for (const std::uint32_t y : {0, 1}) model.tell(4, trial_of({{x, y}}, {time(log2_[4], x)}));
    const auto best = model.picks_of(0, 1, {{{2, 0}}, {{12, 0}}});
    ASSERT_EQ(best.size(), 1u);
    EXPECT_EQ(best[0].configuration.choices[0], honest > 0 ? 2u : 12u) << honest;
  }
}

TEST(CoveringOrder, BeginsInTheMiddleGoesToTheCornersAndTakesEachOnce) {
  std::vector<std::vector<double>> sizes;
  for (const double m : {256, 1024, 4096})
    for (const double n : {256, 1024, 4096}) sizes.push_back({m, n});
  const auto order = covering_order(sizes);
  EXPECT_EQ(order.front(), 4u);
  EXPECT_THAT(std::vector(order.begin() + 1, order.begin() + 3), testing::UnorderedElementsAre(0u, 8u));
  EXPECT_THAT(order, testing::UnorderedElementsAre(0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u));
  EXPECT_TRUE(covering_order({}).empty());
}

}  // namespace
}  // namespace warptune::search
