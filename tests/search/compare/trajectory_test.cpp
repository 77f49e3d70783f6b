#include "search/compare/trajectory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "tests/search/compare/small_space.h"

namespace warptune::search::compare {
namespace {

using testing::ElementsAre;

constexpr double unreached = std::numeric_limits<double>::infinity();

TEST(Trajectory, KeepsTheBestSoFar) {
  const Trajectory steps = trajectory(small_space(), {{failed_id, 1}, {5, 2}, {7, 3}, {2, 4}, {failed_id, 5}});
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_EQ(steps[0].best, no_rank);
  EXPECT_EQ(steps[1].best, 5);
  EXPECT_EQ(steps[2].best, 5);
  EXPECT_EQ(steps[3].best, 2);
}

TEST(Trajectory, DoesNotCountAConfigurationTwice) {
  const ScoredSpace space = small_space();
  const Trajectory steps = trajectory(space, {{5, 2}, {5, 2}, {0, 4}});
  EXPECT_EQ(steps.size(), 2u);
  EXPECT_EQ(evaluations_to_within(space, steps, 0.05), 2);
}

TEST(Trajectory, RefusesForeignConfigurationsAndTimesThatGoBack) {
  EXPECT_THROW(trajectory(small_space(), {{10, 1}}), std::out_of_range);
  EXPECT_THROW(trajectory(small_space(), {{1, 2}, {2, 1}}), std::invalid_argument);
}

TEST(RanksOnGrid, StandForTheFirstValidOneBeforeItAndForTheLastAfterIt) {
  const ScoredSpace space = small_space();  // grid 2 s, 4 s, 6 s
  EXPECT_THAT(ranks_on_grid(space, trajectory(space, {{failed_id, 2}, {2, 4}})), ElementsAre(2, 2, 2));
  EXPECT_THAT(ranks_on_grid(space, trajectory(space, {{8, 1}, {3, 4}, {1, 5.9}, {0, 7}})), ElementsAre(8, 3, 1));
}

TEST(RanksOnGrid, AreTheWorstIfNothingValidWasFound) {
  const ScoredSpace space = small_space();
  EXPECT_THAT(ranks_on_grid(space, trajectory(space, {{failed_id, 2}})), ElementsAre(8, 8, 8));
  EXPECT_THAT(ranks_on_grid(space, {}), ElementsAre(8, 8, 8));
}

TEST(RatioAfter, RelatesTheBestToTheOptimum) {
  const ScoredSpace space = small_space();
  const Trajectory steps = trajectory(space, {{failed_id, 1}, {5, 2}, {1, 3}});
  EXPECT_EQ(ratio_after(space, steps, 1), unreached);
  EXPECT_EQ(ratio_after(space, steps, 2), 6);
  EXPECT_EQ(ratio_after(space, steps, 50), 2);
}

TEST(RatioAfter, CountsNegatedRatesTheSameWay) {
  const ScoredSpace space({{-100.0, 1}, {-80.0, 1}, {-50.0, 1}});
  EXPECT_DOUBLE_EQ(ratio_after(space, trajectory(space, {{1, 1}}), 1), 1.2);
}

TEST(EvaluationsToWithin, IsInfiniteIfNeverReached) {
  const ScoredSpace space = small_space();
  const Trajectory steps = trajectory(space, {{5, 2}, {1, 3}});
  EXPECT_EQ(evaluations_to_within(space, steps, 0.05), unreached);
  EXPECT_EQ(evaluations_to_within(space, steps, 1), 2);
}

}  // namespace
}  // namespace warptune::search::compare
