#include "search/compare/score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "search/random.h"
#include "tests/search/compare/small_space.h"

namespace warptune::search::compare {
namespace {

// Every configuration in a random order, one every 2.2 s.
std::vector<Run> random_runs(const ScoredSpace& space, std::size_t repeats, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Run> runs(repeats);
  for (Run& run : runs) {
    std::vector<std::uint32_t> ids(space.size());
    for (std::uint32_t i = 0; i < ids.size(); ++i) ids[i] = i;
    rng.shuffle(ids);
    double time_s = 0;
    for (std::uint32_t id : ids) run.push_back({id, time_s += space.configuration(id).cost_s});
  }
  return runs;
}

ScoredSpace wide_space() {
  std::vector<ScoredConfiguration> configurations;
  for (int i = 0; i < 2000; ++i) configurations.push_back({1 + 0.001 * i, 1.0});
  return ScoredSpace(configurations);
}

TEST(ScoreRuns, AveragesRanksFirstAndLooksTheObjectiveUpThen) {
  // Mean ranks 5, 1, 1 mean objectives 6, 2, 2 against 4, 2, 1: (-2/3 + 0) / 2, the last time being uninformative.
  const Score score = score_runs(small_space(), {{{8, 2}, {0, 4}}, {{failed_id, 2}, {2, 4}}});
  EXPECT_NEAR(score.p_direct.value, -1.0 / 3, 1e-12);
}

TEST(ScoreRuns, GivesOneToWhoeverStartsWithTheOptimum) {
  const Score score = score_runs(small_space(), {{{0, 2}, {1, 4}}, {{0, 2}, {2, 4}}});
  EXPECT_EQ(score.p_direct.value, 1);
  EXPECT_EQ(score.p_direct.error, 0);
  EXPECT_EQ(score.p.value, 1);
  EXPECT_EQ(score.ratio[0].value, 1);
  EXPECT_EQ(score.evaluations_to[0].value, 1);
}

TEST(ScoreRuns, HasARatioForEachCheckpointThatIsAskedFor) {
  const Score score = score_runs(small_space(), {{{2, 2}, {1, 4}, {0, 6}}}, {.checkpoints = {1, 3}});
  ASSERT_EQ(score.ratio.size(), 2u);
  EXPECT_GT(score.ratio[0].value, 1);
  EXPECT_EQ(score.ratio[1].value, 1);
}

TEST(ScoreRuns, GivesAboutZeroToRandomSearch) {
  const ScoredSpace space = wide_space();
  const Score score = score_runs(space, random_runs(space, 200, 1));
  EXPECT_NEAR(score.p_direct.value, 0, 0.1);
  EXPECT_NEAR(score.p.value, 0, 0.1);
  EXPECT_GT(score.p_direct.error, 0.005);
  EXPECT_LT(score.p_direct.error, 0.1);
}

TEST(ScoreRuns, HasAnErrorThatMatchesTheSpreadOfTheScore) {
  const ScoredSpace space = wide_space();
  std::vector<double> scores;
  double claimed = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Score score = score_runs(space, random_runs(space, 30, seed), {seed, 60, 2});
    scores.push_back(score.p_direct.value);
    claimed += score.p_direct.error / 30;
  }
  double mean = 0, squares = 0;
  for (double value : scores) mean += value / 30;
  for (double value : scores) squares += (value - mean) * (value - mean) / 29;
  EXPECT_GT(claimed, 0.5 * std::sqrt(squares));
  EXPECT_LT(claimed, 2 * std::sqrt(squares));
}

TEST(ScoreRuns, IsTheSameForTheSameSeed) {
  const ScoredSpace space = small_space();
  const auto runs = random_runs(space, 5, 1);
  EXPECT_EQ(score_runs(space, runs).p.error, score_runs(space, runs).p.error);
  EXPECT_THROW(score_runs(space, {}), std::invalid_argument);
}

TEST(Overall, AveragesScoresAndTakesGeometricMeansOfRatios) {
  Score one, two;
  one.p_direct = {0.2, 0.03};
  two.p_direct = {0.6, 0.04};
  one.ratio = {{2, 0.2}, {1, 0}};
  two.ratio = {{8, 0}, {1, 0}};
  one.evaluations_to[0] = {10, 1};
  two.evaluations_to[0] = {std::numeric_limits<double>::infinity(), 0};
  const Score all = overall({one, two});
  EXPECT_DOUBLE_EQ(all.p_direct.value, 0.4);
  EXPECT_DOUBLE_EQ(all.p_direct.error, 0.025);
  EXPECT_DOUBLE_EQ(all.ratio[0].value, 4);
  EXPECT_DOUBLE_EQ(all.ratio[0].error, 4 * 0.1 / 2);
  EXPECT_DOUBLE_EQ(all.ratio[1].value, 1);
  EXPECT_EQ(all.evaluations_to[0].value, std::numeric_limits<double>::infinity());
  EXPECT_THROW(overall({}), std::invalid_argument);
}

}  // namespace
}  // namespace warptune::search::compare
