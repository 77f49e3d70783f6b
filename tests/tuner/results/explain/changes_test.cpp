// What was measured around a winner, on sessions whose costs are known.
#include "tuner/results/explain/changes.h"

#include <gmock/gmock.h>

#include "tests/tuner/results/explain/evidence_fixture.h"

namespace warptune::tuner {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const std::vector<search::Parameter> tile_and_unroll = {numbers("TILE", {8, 16, 32}), numbers("UNROLL", {1, 2, 4})};

// 16 and 2 are best; the farther, the dearer, each by a factor of its own.
double separable(const search::NamedValues& values) {
  const double tile = number(values, "TILE") == 16 ? 1 : number(values, "TILE") == 8 ? 1.5 : 1.25;
  const double unroll = number(values, "UNROLL") == 2 ? 1 : number(values, "UNROLL") == 1 ? 1.2 : 1.1;
  return tile * unroll;
}

TEST(SingleChanges, ListEveryOtherValueWithWhatItCosts) {
  const auto changes = single_changes(exhausted(tile_and_unroll, separable));
  ASSERT_THAT(changes, SizeIs(2));
  EXPECT_EQ(changes[0].parameter, "TILE");
  EXPECT_EQ(search::to_text(changes[0].value), "16");
  ASSERT_THAT(changes[0].changes, SizeIs(2));
  EXPECT_EQ(search::to_text(changes[0].changes[0].value), "8");
  EXPECT_NEAR(changes[0].changes[0].difference->estimate, 0.5, 1e-9);
  EXPECT_TRUE(changes[0].changes[0].difference->separable());
  EXPECT_NEAR(changes[0].least()->difference->estimate, 0.25, 1e-9);
  EXPECT_NEAR(changes[0].most()->difference->estimate, 0.5, 1e-9);
}

TEST(SingleChanges, TellFailedUntriedAndExcludedApart) {
  const search::SearchSpace space = search::SearchSpace::build(
      {numbers("TILE", {8, 16, 32, 64}), numbers("UNROLL", {1, 2, 4})}, {{"TILE * UNROLL <= 64", {}, {}}});
  Evidence evidence;
  evidence.space = &space;
  const auto at = [](std::int64_t tile, std::int64_t unroll) {
    return search::NamedValues{{"TILE", tile}, {"UNROLL", unroll}};
  };
  evidence.trials = {measured(1, at(16, 2), 1), failed(2, at(8, 2), search::Outcome::compile_error),
                     measured(3, at(16, 4), 2)};
  settle(evidence);
  const auto changes = single_changes(evidence);
  ASSERT_THAT(changes, SizeIs(2));
  std::vector<Change::State> states;
  for (const Change& change : changes[0].changes) states.push_back(change.state);
  EXPECT_THAT(states, ElementsAre(Change::State::failed, Change::State::untried, Change::State::excluded));
  EXPECT_EQ(changes[0].changes[0].outcome, search::Outcome::compile_error);
  EXPECT_EQ(changes[1].count(Change::State::untried), 1u);
  EXPECT_EQ(changes[1].count(Change::State::measured), 1u);
}

TEST(SingleChanges, TakeTheFinalsFiguresOfTwoFinalists) {
  Evidence evidence = exhausted(tile_and_unroll, separable);
  db::WinnerFinalist best, other;
  best.trial = evidence.winner->trial;
  other.trial = 2;  // TILE 8, UNROLL 2
  other.slower_by = 0.07, other.slower_low = -0.01, other.slower_high = 0.15;
  evidence.winner->finalists = {best, other};
  const auto changes = single_changes(evidence);
  EXPECT_DOUBLE_EQ(changes[0].changes[0].difference->estimate, 0.07);
  EXPECT_FALSE(changes[0].changes[0].difference->separable());
}

TEST(SingleChanges, CountAHigherRateAsACheaperTrial) {
  Evidence evidence = exhausted(tile_and_unroll, separable);
  for (db::StoredTrial& trial : evidence.trials) trial.trial.objectives = {-1000 / separable(trial.values)};
  settle(evidence);
  EXPECT_NEAR(single_changes(evidence)[0].changes[0].difference->estimate, 0.5, 1e-9);
}

TEST(SingleChanges, AreNoneWithoutAWinner) {
  Evidence evidence;
  evidence.trials = {failed(1, {{"TILE", std::int64_t{8}}}, search::Outcome::crash)};
  EXPECT_THAT(single_changes(evidence), IsEmpty());
}

TEST(Interactions, AreNoneWhereCostsMultiply) {
  const Interactions found = interactions(exhausted(tile_and_unroll, separable));
  EXPECT_EQ(found.pairs, 4u);
  EXPECT_THAT(found.strong, IsEmpty());
}

TEST(Interactions, NameThePairThatCostsMoreThanBothAlone) {
  const Interactions found = interactions(exhausted(tile_and_unroll, [](const search::NamedValues& values) {
    const bool spills = number(values, "TILE") == 32 && number(values, "UNROLL") == 4;
    return separable(values) * (spills ? 3 : 1);
  }));
  ASSERT_THAT(found.strong, SizeIs(1));
  EXPECT_EQ(found.strong[0].a.parameter, "TILE");
  EXPECT_NEAR(found.strong[0].a.cost, 0.25, 1e-9);
  EXPECT_NEAR(found.strong[0].b.cost, 0.1, 1e-9);
  EXPECT_NEAR(found.strong[0].expected, 0.375, 1e-9);
  EXPECT_NEAR(found.strong[0].together, 3.125, 1e-9);
}

TEST(Interactions, AreNotSoughtInWhatWasEndedEarly) {
  Evidence evidence = exhausted(tile_and_unroll, separable);
  for (db::StoredTrial& trial : evidence.trials)
    if (number(trial.values, "TILE") == 32) trial.trial.measurement->cut_short = true;
  EXPECT_EQ(interactions(evidence).pairs, 2u);
}

TEST(Interactions, AreNotSeenInWhatMeasurementsMayErr) {
  Evidence evidence = exhausted(tile_and_unroll, [](const search::NamedValues& values) {
    return separable(values) * (number(values, "TILE") == 32 && number(values, "UNROLL") == 4 ? 1.1 : 1);
  });
  EXPECT_THAT(interactions(evidence).strong, SizeIs(1));
  for (db::StoredTrial& trial : evidence.trials) trial.trial.measurement->relative_error = 0.1;
  EXPECT_THAT(interactions(evidence).strong, IsEmpty());
}

}  // namespace
}  // namespace warptune::tuner
