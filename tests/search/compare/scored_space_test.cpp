#include "search/compare/scored_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/search/compare/small_space.h"

namespace warptune::search::compare {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::Pointwise;

TEST(ScoredSpace, SummarisesObjectivesAndCosts) {
  const ScoredSpace space = small_space();
  EXPECT_EQ(space.optimum(), 1);
  EXPECT_EQ(space.median_objective(), 5);
  EXPECT_EQ(space.median_cost_s(), 2);
  EXPECT_DOUBLE_EQ(space.mean_cost_s(), 2.2);
}

TEST(ScoredSpace, CountsWhatRandomSearchNeeds) {
  const ScoredSpace space = small_space();
  EXPECT_EQ(space.evaluations_to(0.01), 1);  // index 5 of 9: ceil(5 / 5)
  EXPECT_EQ(space.evaluations_to(0.95), 3);  // the optimum itself, so one index back: ceil(7 / 3)
  EXPECT_EQ(space.evaluations_to(1), 4);     // ceil(8 / 2)
}

TEST(ScoredSpace, LaysTheGridAndTheBaseline) {
  const ScoredSpace space = small_space();
  EXPECT_THAT(space.grid_s(), Pointwise(DoubleEq(), {2.0, 4.0, 6.0}));
  EXPECT_THAT(space.baseline(), Pointwise(DoubleEq(), {4.0, 2.0, 1.0}));
  EXPECT_DOUBLE_EQ(space.run_length_s(), 6.6);
}

TEST(ScoredSpace, EqualObjectivesShareTheLowestRank) {
  const ScoredSpace space({{3.0, 1}, {1.0, 1}, {3.0, 1}, {}, {2.0, 1}});
  EXPECT_EQ(space.rank(0), 2);
  EXPECT_EQ(space.rank(2), 2);
  EXPECT_EQ(space.rank(1), 0);
  EXPECT_EQ(space.rank(3), no_rank);
}

TEST(ScoredSpace, ScoresTheOptimumAtOnceAsOneAndRandomSearchAsZero) {
  const ScoredSpace space = small_space();
  EXPECT_DOUBLE_EQ(space.score({0, 0, 0}), 1);
  EXPECT_DOUBLE_EQ(space.score({3, 1, 0}), 0);
}

TEST(ScoredSpace, LeavesOutTimesAtWhichRandomSearchIsAtTheOptimum) {
  EXPECT_DOUBLE_EQ(small_space().score({0, 0, 8}), 1);
}

TEST(ScoredSpace, WidensAGridThatIsTooShort) {
  // Two good ones in four: random search needs ceil(1 / 4) to the start as to the end.
  const ScoredSpace space({{1.0, 1}, {1.5, 1}, {9.0, 1}, {10.0, 1}}, {0.5, 0.6, 2});
  EXPECT_EQ(space.evaluations_to(0.5), space.evaluations_to(0.6));
  EXPECT_DOUBLE_EQ(space.start_s(), 0);
  EXPECT_DOUBLE_EQ(space.end_s(), 2);
}

TEST(ScoredSpace, WorksOnASpaceWhereEverythingIsAsGood) {
  const ScoredSpace space({{2.0, 1}, {2.0, 1}, {2.0, 1}});
  EXPECT_EQ(space.score(std::vector<double>(space.grid_s().size(), 0.0)), 0);
}

TEST(ScoredSpace, RefusesWhatCannotBeScored) {
  using Configurations = std::vector<ScoredConfiguration>;
  EXPECT_THROW(ScoredSpace(Configurations{{std::nullopt, 1}}), std::invalid_argument);
  EXPECT_THROW(ScoredSpace(Configurations{{1.0, 0}}), std::invalid_argument);
  EXPECT_THROW(ScoredSpace(Configurations{{1.0, -1}}), std::invalid_argument);
  EXPECT_THROW(ScoredSpace(Configurations{{std::numeric_limits<double>::infinity(), 1}}), std::invalid_argument);
  EXPECT_THROW(ScoredSpace(Configurations{{1.0, 1}}, {0.9, 0.5, 10}), std::invalid_argument);
}

}  // namespace
}  // namespace warptune::search::compare
