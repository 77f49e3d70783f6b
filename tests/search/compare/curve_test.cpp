#include "search/compare/curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/search/compare/small_space.h"

namespace warptune::search::compare {
namespace {

using testing::Each;
using testing::ElementsAre;

std::vector<Trajectory> trajectories(const ScoredSpace& space, const std::vector<Run>& runs) {
  std::vector<Trajectory> all;
  for (const Run& run : runs) all.push_back(trajectory(space, run));
  return all;
}

TEST(RankTable, AveragesRanksOverTheRepeatsNamed) {
  const ScoredSpace space = small_space();
  const RankTable table(space, trajectories(space, {{{8, 2}, {0, 4}}, {{failed_id, 2}, {2, 4}}}));
  EXPECT_THAT(table.mean(), ElementsAre(5, 1, 1));
  EXPECT_THAT(table.mean({1, 1}), ElementsAre(2, 2, 2));
}

TEST(IsotonicCurve, ForgivesRunsThatFailEarly) {
  const ScoredSpace space = small_space();
  // One repeat is good at once, the other finds nothing until the end: it has no points before.
  const auto runs = trajectories(space, {{{0, 2}, {1, 4}, {2, 6}, {3, 8}}, {{failed_id, 2}, {8, 7.9}}});
  Rng rng(1);
  EXPECT_THAT(isotonic_curve(space, runs, rng), Each(0));
  EXPECT_GT(RankTable(space, runs).mean().front(), 0);
}

TEST(IsotonicCurve, StaysWhereItIsOnceHalfOfTheRunsHaveEnded) {
  const ScoredSpace space = small_space();
  // Two of three repeats end at 2 s and 3 s with a poor result; only the third goes on.
  const auto runs = trajectories(space, {{{8, 2}}, {{8, 2}, {7, 3}}, {{8, 2}, {7, 3.5}, {0, 5.9}, {1, 6.5}}});
  Rng rng(1);
  const auto curve = isotonic_curve(space, runs, rng);
  EXPECT_GE(curve[1], curve[2]);
  Rng same(1);
  EXPECT_EQ(curve, isotonic_curve(space, runs, same));
}

TEST(IsotonicCurve, IsTheWorstIfNoRunFoundAnything) {
  const ScoredSpace space = small_space();
  Rng rng(1);
  EXPECT_THAT(isotonic_curve(space, trajectories(space, {{{failed_id, 2}}}), rng), Each(8));
}

}  // namespace
}  // namespace warptune::search::compare
