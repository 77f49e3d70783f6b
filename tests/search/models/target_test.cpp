#include "search/models/target.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/search/models/small_space.h"

namespace warptune::search {

namespace {

class TargetTest : public ::testing::Test {
 protected:
  // Of the last one, after all were told.
  std::vector<double> targets(const std::vector<std::vector<double>>& objectives, std::vector<double> weights = {},
                              double bend = 0) {
    History history(encoding_);
    for (std::uint32_t x = 0; x < objectives.size(); ++x) history.settle(trial_of({{x}}, objectives[x]));
    const Target target(history, weights, bend);
    std::vector<double> result;
    for (const Observation& observation : history.all()) result.push_back(target.of(observation));
    return result;
  }

  SearchSpace space_ = SearchSpace::build({range("x", 20)}, {});
  Encoding encoding_{space_, {}};
};

TEST_F(TargetTest, DoesNotDependOnTheUnitOfTime) {
  const auto ms = targets({{1}, {2}, {8}}), us = targets({{1000}, {2000}, {8000}});
  for (std::size_t i = 0; i < ms.size(); ++i) EXPECT_NEAR(ms[i], us[i], 1e-9);
  EXPECT_NEAR(ms[2] - ms[1], 2 * (ms[1] - ms[0]), 1e-9) << "equal factors are equal steps";
}

TEST_F(TargetTest, TakesMetricsThatAreMaximised) {
  const auto negated = targets({{-100}, {-200}, {-400}});
  EXPECT_GT(negated[0], negated[1]);
  EXPECT_NEAR(negated[0] - negated[1], negated[1] - negated[2], 1e-9);
}

TEST_F(TargetTest, TakesObjectivesOfBothSigns) {
  const auto mixed = targets({{-1}, {0}, {1}});
  EXPECT_NEAR(mixed[1] - mixed[0], mixed[2] - mixed[1], 1e-9);
  EXPECT_GT(mixed[1], mixed[0]);
}

TEST_F(TargetTest, WeighsSeveralObjectives) {
  const std::vector<std::vector<double>> objectives{{1, 30}, {2, 10}, {3, 20}};
  const auto first = targets(objectives, {1, 0}), second = targets(objectives, {0, 1});
  EXPECT_LT(first[0], first[1]);
  EXPECT_LT(second[1], second[0]);
  const auto both = targets(objectives, {0.5, 0.5});
  EXPECT_LT(both[1], both[0]) << "the compromise beats the extreme";
  EXPECT_LT(both[1], both[2]) << "and what it dominates";
}

TEST_F(TargetTest, WithABendTellsGoodTimesApartBeforeBadOnes) {
  const std::vector<std::vector<double>> objectives{{1}, {1.1}, {50}, {55}};
  const auto straight = targets(objectives), bent = targets(objectives, {}, 1);
  EXPECT_NEAR(straight[3] - straight[2], straight[1] - straight[0], 1e-9);
  EXPECT_GT(bent[1] - bent[0], 2 * (bent[3] - bent[2])) << "a tenth counts more close to the best";
  EXPECT_GT(bent[1] - bent[0], 1.2 * (straight[1] - straight[0])) << "what is far away leaves more room to the rest";
  EXPECT_TRUE(std::ranges::is_sorted(bent));
  const auto mixed = targets({{-1}, {0}, {1}}, {}, 1);
  EXPECT_NEAR(mixed[1] - mixed[0], mixed[2] - mixed[1], 1e-9) << "without logarithms there is none";
}

TEST_F(TargetTest, ABendKeepsUnitsAtTheBest) {
  History history(encoding_);
  const std::vector<double> times{1, 2, 4, 50};
  for (std::uint32_t x = 0; x < times.size(); ++x) history.settle(trial_of({{x}}, {times[x]}));
  Target target(history, {}, 1);
  const double before = target.best();
  history.settle(trial_of({{7}}, {0.9}));
  target.include(history.all().back());
  EXPECT_NEAR((before - target.best()) * target.scale(), std::log(1 / 0.9), 1e-9);
}

TEST_F(TargetTest, IsFiniteForOneTrialAndForEqualOnes) {
  EXPECT_TRUE(std::isfinite(targets({{3}})[0]));
  EXPECT_TRUE(std::isfinite(targets({{-3}, {3}, {0}})[0]));
  EXPECT_TRUE(std::isfinite(targets({{0}, {0}})[0]));
  EXPECT_TRUE(std::isfinite(targets({{3}}, {}, 1)[0]));
  EXPECT_TRUE(std::isfinite(targets({{3}, {3}}, {}, 1)[1]));
}

}  // namespace

}  // namespace warptune::search
