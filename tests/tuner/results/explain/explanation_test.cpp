// Coverage, progress, accuracy, advice, and what an explanation makes of them.
#include "tuner/results/explain/explanation.h"

#include <gmock/gmock.h>

#include "tests/tuner/results/explain/evidence_fixture.h"
#include "tuner/results/report/explanation/explanation.h"

namespace warptune::tuner {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using Kind = Advice::Kind;

std::vector<Kind> kinds(const Evidence& evidence) {
  std::vector<Kind> result;
  for (const Advice& one : explain(evidence).advice) result.push_back(one.kind);
  return result;
}

// One parameter, whose cost falls towards its largest value.
Evidence falling(const std::vector<std::int64_t>& values) {
  return exhausted({numbers("COARSENING", values), numbers("PADDING", {0, 1, 2})}, [](const search::NamedValues& one) {
    return 10.0 / static_cast<double>(number(one, "COARSENING")) + static_cast<double>(number(one, "PADDING"));
  });
}

// A search through all values for each trial would take hours here.
TEST(Explanations, OfVeryManyValuesTakeNoLongerForEachOfThem) {
  std::vector<search::Value> sizes, names;
  for (std::int64_t i = 0; i < 100'000; ++i) {
    sizes.emplace_back(i);
    names.emplace_back("word" + std::to_string(i));
  }
  const auto cost = [](const search::NamedValues& values) {
    return 1.0 + static_cast<double>(search::to_text(values.front().second).size());
  };
  for (const auto& values : {sizes, names}) {
    const Explanation found = explain(exhausted({{"A", values}, {"B", {false, true}}}, cost));
    ASSERT_THAT(found.coverage, SizeIs(2));
    EXPECT_THAT(found.coverage[0].values, SizeIs(values.size()));
    EXPECT_EQ(found.coverage[0].values.back().trials, 2u);
    ASSERT_THAT(found.changes, SizeIs(2));
    EXPECT_EQ(found.changes[0].count(Change::State::measured), values.size() - 1);
    EXPECT_EQ(found.interactions.pairs, values.size() - 1);
  }
}

TEST(Advice, NamesAWinnerAtItsDomainsEdge) {
  const Explanation found = explain(falling({2, 4, 8}));
  const auto edge = std::ranges::find(found.advice, Kind::edge, &Advice::kind);
  ASSERT_NE(edge, found.advice.end());
  EXPECT_EQ(edge->parameter, "COARSENING");
  EXPECT_EQ(search::to_text(*edge->value), "8");
  EXPECT_TRUE(edge->upper);
  EXPECT_NEAR(edge->figure, 1, 1e-9);  // 4 takes twice as long
}

TEST(Advice, SeesNoEdgeAtZeroNorAtABlocksExtent) {
  Evidence evidence = falling({2, 4, 8});
  for (db::StoredTrial& trial : evidence.trials) {
    trial.trial.launches = {{"kernel", {1, 1, 1}, {number(trial.values, "COARSENING"), 1, 1}, 1, {}}};
    trial.trial.launches[0].use.threads_per_block = number(trial.values, "COARSENING");
  }
  EXPECT_THAT(kinds(evidence), Not(Contains(Kind::edge)));  // PADDING is at 0, COARSENING is the block's
}

TEST(Advice, SeesNoEdgeWhereTheValueBesideItIsAsGood) {
  const Evidence flat = exhausted({numbers("COARSENING", {2, 4, 8})}, [](const search::NamedValues& one) {
    return number(one, "COARSENING") == 2 ? 2. : 1.;
  });
  EXPECT_THAT(kinds(flat), Not(Contains(Kind::edge)));
}

TEST(Advice, OrdersADomainsNumbersBeforeItLooksForAnEdge) {
  EXPECT_THAT(kinds(falling({4, 8, 2})), Contains(Kind::edge));
  EXPECT_THAT(kinds(falling({8, 2, 4, 16})), Contains(Kind::edge));
}

TEST(Advice, SeesNoEdgeWhereAConstraintEndsTheDomain) {
  Evidence evidence = falling({2, 4, 8});
  const std::vector<search::Parameter> parameters = {numbers("COARSENING", {2, 4, 8, 16}),
                                                     numbers("PADDING", {0, 1, 2})};
  const search::SearchSpace open = search::SearchSpace::build({numbers("COARSENING", {2, 4, 8}), parameters[1]}, {});
  evidence.space = &open;
  EXPECT_THAT(kinds(evidence), Contains(Kind::edge));
  const search::SearchSpace ended = search::SearchSpace::build(parameters, {{"COARSENING < 16", {}, {}}});
  evidence.space = &ended;
  EXPECT_THAT(kinds(evidence), Not(Contains(Kind::edge)));
}

TEST(Advice, AsksForNothingThatNobodyCanMeasure) {
  Evidence evidence = falling({2, 4, 8});
  evidence.winner->relative_error = 0.03;
  EXPECT_THAT(kinds(evidence), Contains(Kind::noisy));
  evidence.session.strategy = "imported";
  EXPECT_THAT(kinds(evidence), ElementsAre(Kind::edge));
  evidence.session.strategy.clear();
  evidence.session.key.device.backend = "replay";
  EXPECT_THAT(kinds(evidence), IsEmpty());  // a recording has no values beyond its own
}

TEST(Advice, AsksForTheDefaultAndForRoofs) {
  Evidence evidence = falling({2, 4, 8});
  EXPECT_THAT(kinds(evidence), Contains(Kind::default_untried));
  EXPECT_THAT(kinds(evidence), Contains(Kind::state_work));
  evidence.winner->default_trial = 1;
  for (db::StoredTrial& trial : evidence.trials) trial.trial.work.bytes = 1e9;
  EXPECT_THAT(kinds(evidence), Not(Contains(Kind::default_untried)));
  EXPECT_THAT(kinds(evidence), Contains(Kind::measure_roofs));
  evidence.roofs = {{"dram", 1e12, "copy"}};
  EXPECT_THAT(kinds(evidence), Not(Contains(Kind::measure_roofs)));
}

TEST(Advice, SaysWhetherTheSecondHalfOfTheTrialsBroughtAnything) {
  const auto session = [](double last) {
    Evidence evidence;
    for (std::int64_t i = 0; i < 50; ++i) evidence.trials.push_back(measured(i + 1, {{"I", i}}, i == 40 ? last : 2));
    settle(evidence);
    return evidence;
  };
  EXPECT_THAT(kinds(session(1.8)), Contains(Kind::more_trials));
  EXPECT_NEAR(*progress(session(1.6)).last_doubling, 0.25, 1e-9);
  EXPECT_EQ(progress(session(1.6)).best_after, 41u);
  EXPECT_THAT(kinds(session(1.999)), Contains(Kind::enough_trials));
  Evidence whole = session(1.8);
  whole.session.space_size = "50";
  EXPECT_THAT(kinds(whole), Not(Contains(Kind::more_trials)));
}

TEST(Advice, SaysFirstThatFewWereTried) {
  Evidence evidence = falling({2, 4, 8});
  evidence.session.space_size = "15917";
  const auto found = explain(evidence).advice;
  ASSERT_THAT(found, Not(IsEmpty()));
  EXPECT_EQ(found.front().kind, Kind::few_trials);
  EXPECT_THAT(advice_text(found.front()), HasSubstr("9 of 15917 configurations were tried: the same `warptune tune`"));
  evidence.session.space_size = "9";
  EXPECT_THAT(kinds(evidence), Not(Contains(Kind::few_trials)));
  evidence.session.space_size = "15917";
  evidence.session.origin = "revalidated from session 1";
  EXPECT_THAT(kinds(evidence), Not(Contains(Kind::few_trials)));
}

TEST(Advice, CallsNoDeviceNoisyWithinThePrecisionThatWasAskedFor) {
  Evidence evidence = falling({2, 4, 8});
  evidence.winner->relative_error = 0.008;
  EXPECT_THAT(kinds(evidence), Not(Contains(Kind::noisy)));  // 1 % by default
  evidence.session.key.policy = "verify=always cache=warm precision=0.005 samples=3..200";
  EXPECT_THAT(kinds(evidence), Contains(Kind::noisy));
}

TEST(Advice, SaysThatADeviceIsNoisy) {
  Evidence evidence = falling({2, 4, 8});
  EXPECT_THAT(kinds(evidence), Not(Contains(Kind::noisy)));
  evidence.winner->relative_error = 0.03;
  EXPECT_THAT(kinds(evidence), Contains(Kind::noisy));
}

TEST(Coverage, CountsTrialsOfEveryValueOfTheSpace) {
  const search::SearchSpace space =
      search::SearchSpace::build({numbers("TILE", {8, 16, 32}), numbers("UNROLL", {1, 2})}, {{"TILE < 32", {}, {}}});
  Evidence evidence;
  evidence.space = &space;
  evidence.trials = {measured(1, {{"TILE", std::int64_t{8}}, {"UNROLL", std::int64_t{1}}}, 1)};
  settle(evidence);
  const auto counts = coverage(evidence);
  ASSERT_THAT(counts, SizeIs(2));
  EXPECT_THAT(counts[0].untried(), ElementsAre(search::Value(std::int64_t{16})));  // 32 is in no valid configuration
  const Exclusions excluded = exclusions(evidence).value();
  EXPECT_EQ(excluded.combinations, "6");
  EXPECT_EQ(excluded.valid, "4");
  ASSERT_THAT(excluded.constraints, SizeIs(1));
  EXPECT_NEAR(excluded.constraints[0].share, 1.0 / 3, 1e-9);
}

TEST(AccuracyFront, IsWhatSlowerTrialsBuy) {
  Evidence evidence;
  for (const auto& [time, error] : {std::pair(1.0, 1e-3), {2.0, 1e-5}, {3.0, 1e-4}, {4.0, 0.99e-5}}) {
    const auto id = static_cast<db::TrialId>(evidence.trials.size() + 1);
    evidence.trials.push_back(measured(id, {{"I", id}}, time));
    evidence.trials.back().trial.metrics = {{"rms_error", error}};
  }
  settle(evidence);
  const auto front = accuracy(evidence);
  ASSERT_TRUE(front);
  ASSERT_THAT(front->front, SizeIs(2));  // the last is hardly more accurate than the second
  EXPECT_EQ(front->front[0].trial, 1);
  EXPECT_EQ(front->front[1].trial, 2);
  evidence.trials.resize(1);
  EXPECT_FALSE(accuracy(evidence));
}

TEST(Explanation, HoldsTheWinnersTimeAgainstItsRoof) {
  Evidence evidence = falling({2, 4, 8});
  for (db::StoredTrial& trial : evidence.trials) trial.trial.work.bytes = 1e9;
  evidence.roofs = {{"dram", 1e12, "copy"}};
  const TrialView winner = explain(evidence).winner.value();  // 1.25 ms
  EXPECT_EQ(winner.attainment->bound, "dram");
  EXPECT_NEAR(winner.attainment->nearest().share, 0.8, 1e-9);
  EXPECT_NEAR(*winner.roof_time_ms, 1, 1e-9);
}

TEST(Advice, SaysThatARoofIsReachedOnlyWhereItIs) {
  Evidence evidence = falling({2, 4, 8});
  for (db::StoredTrial& trial : evidence.trials) trial.trial.work.bytes = 1e9;
  const auto with_roof = [&](double bytes_a_second) {
    evidence.roofs = {{"dram", bytes_a_second, "copy"}};
    return kinds(evidence);  // 0.8e12 bytes a second
  };
  EXPECT_THAT(with_roof(0.85e12), Contains(Kind::at_roof));
  EXPECT_THAT(with_roof(1e12), Not(Contains(Kind::at_roof)));
  EXPECT_THAT(with_roof(0.5e12), Not(Contains(Kind::at_roof)));
}

TEST(Explanation, SaysWhatPartsAnotherTrialFromTheWinner) {
  const Evidence evidence = falling({2, 4, 8});
  const Explanation explanation = explain(evidence);
  const auto parts = differences(evidence, explanation, *evidence.find(2));  // COARSENING 2, PADDING 1
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_EQ(search::to_text(parts[0].winners), "8");
  ASSERT_TRUE(parts[0].alone);
  EXPECT_NEAR(parts[0].alone->difference->estimate, 3, 1e-9);
}

// Of recordings that tell none.
TEST(Explanation, AnErrorOfZeroIsNotKnown) {
  Evidence evidence = falling({2, 4, 8});
  for (db::StoredTrial& trial : evidence.trials) trial.trial.measurement->relative_error = 0;
  const Difference difference = cost_beside_winner(evidence, *evidence.find(4)).value();  // COARSENING 4
  EXPECT_NEAR(difference.estimate, 1, 1e-9);
  EXPECT_FALSE(std::isfinite(difference.low) || std::isfinite(difference.high));
  evidence.session.strategy = "imported";
  EXPECT_THAT(kinds(evidence), Contains(Kind::edge));
}

TEST(Explanation, HasNothingToSayWithoutACorrectTrial) {
  Evidence evidence;
  evidence.trials = {failed(1, {{"TILE", std::int64_t{8}}}, search::Outcome::crash)};
  const Explanation found = explain(evidence);
  EXPECT_FALSE(found.winner);
  EXPECT_THAT(found.advice, IsEmpty());
  EXPECT_EQ(found.progress.trials, 1u);
  EXPECT_EQ(found.progress.best_after, 0u);
}

TEST(Explanation, OfASessionThatWasKilledSaysThatItsTrialsAreKept) {
  Evidence evidence = falling({2, 4, 8});
  evidence.winner.reset();
  evidence.session.state = db::SessionState::running;
  const std::string text = explanation_text(evidence, explain(evidence), {}, 200);
  EXPECT_THAT(text, HasSubstr("did not end. Its 9 correct trials are kept"));
  EXPECT_THAT(text, Not(HasSubstr("no configuration was correct")));
}

TEST(Explanation, SaysOfATrialThatIsFasterThanTheWinnerThatItIs) {
  Evidence evidence = falling({2, 4, 8});
  evidence.winner->trial = 1;
  evidence.session.objective = "time";
  const db::StoredTrial& faster = evidence.trials.back();
  const Explanation found = explain(evidence);
  const ExplainedTrial one{&faster, {}, differences(evidence, found, faster)};
  EXPECT_THAT(explanation_text(evidence, found, one, 200), HasSubstr("less time."));
}

}  // namespace
}  // namespace warptune::tuner
