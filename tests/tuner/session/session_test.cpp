#include "tuner/session/session.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tuner/session/formula_session.h"

namespace warptune::tuner {
namespace {

TEST_F(SessionTest, ExhaustsASmallSpaceAndKeepsEveryTrial) {
  const SessionResult result = run("exhaustive", {});
  EXPECT_EQ(result.trials.size(), 10u);
  EXPECT_TRUE(result.exhausted);
  EXPECT_EQ(result.reason, "the search is exhausted");
  EXPECT_EQ(store_.trials(id_).size(), 10u);
  EXPECT_EQ(store_.session(id_)->state, db::SessionState::finished);
}

TEST_F(SessionTest, NamesTheWinnerAndTheDefault) {
  const SessionResult result = run("random", {}, nullptr, 7);
  EXPECT_EQ(space_.key(result.trials.at(*result.best).configuration), "x=0");
  EXPECT_TRUE(result.default_exists);
  EXPECT_EQ(space_.key(result.trials.at(*result.default_trial).configuration), "x=7");
  const auto winner = store_.winner(id_);
  ASSERT_TRUE(winner.has_value());
  EXPECT_EQ(winner->objective, 1);
  EXPECT_EQ(winner->default_objective, 8);
}

TEST_F(SessionTest, MeasuresTheDefaultFirstAndOnceWhateverTheStrategy) {
  for (const search::StrategyEntry& strategy : search::strategies()) {
    db::SessionRecord record;
    record.key.kernel = strategy.name;
    id_ = store_.create_session(record);
    run(std::string(strategy.name), {}, nullptr, 7);
    const auto& asked = evaluator_->submitted;
    ASSERT_FALSE(asked.empty()) << strategy.name;
    EXPECT_EQ(asked.front(), "x=7") << strategy.name;
    EXPECT_EQ(std::set<std::string>(asked.begin(), asked.end()).size(), asked.size()) << strategy.name;
  }
}

TEST_F(SessionTest, HasAsManyInFlightAsTheEvaluatorWantsOrFewerIfToldSo) {
  run("exhaustive", {});
  EXPECT_EQ(evaluator_->most_in_flight, 3u);
  db::SessionRecord record;
  record.key.kernel = "another";
  id_ = store_.create_session(record);
  most_in_flight_ = 2;
  run("exhaustive", {});
  EXPECT_EQ(evaluator_->most_in_flight, 2u);
}

// Thinks before each proposal, and says nothing meanwhile.
struct Hesitant : search::Strategy {
  std::vector<search::Configuration> ask(std::size_t) override {
    const bool ready = asked++ % 3 == 0;
    if (!ready || next == 10) return {};
    return {{{next++}}};
  }
  void tell(const search::Trial&) override {}
  std::uint32_t next = 0;
  std::size_t asked = 0;
};

TEST_F(SessionTest, AsksAStrategyThatThinksAgainBeforeATrialEnds) {
  evaluator_ = std::make_unique<FormulaEvaluator>(space_);
  evaluator_->first_with = 3;
  Hesitant strategy;
  run_with(strategy, std::nullopt, {});
  EXPECT_LT(evaluator_->idle_waits, 10u);
}

TEST_F(SessionTest, RecordsFailuresWithTheirReason) {
  run("exhaustive", {});
  const auto trials = store_.trials(id_);
  EXPECT_EQ(trials.at(3).trial.outcome, search::Outcome::wrong_result);
  EXPECT_EQ(trials.at(3).trial.message, "three is wrong");
  EXPECT_TRUE(trials.at(3).trial.objectives.empty());
}

TEST_F(SessionTest, ResumesAndMeasuresNothingTwice) {
  search::BudgetLimits four;
  four.trials = 4;
  run("random", four);
  const std::vector<std::string> first = evaluator_->submitted;
  const SessionResult result = run("random", {});
  EXPECT_EQ(result.resumed, 4u);
  EXPECT_EQ(result.trials.size(), 10u);
  for (const std::string& key : first) EXPECT_EQ(std::ranges::count(evaluator_->submitted, key), 0) << key;
}

TEST_F(SessionTest, StopsWhenTheTimeIsUp) {
  search::BudgetLimits limits;
  limits.seconds = 5;
  const SessionResult result = run("exhaustive", limits);
  EXPECT_EQ(result.trials.size(), 5u);
  EXPECT_FALSE(result.exhausted);
  EXPECT_EQ(result.reason, "the time is up");
}

TEST_F(SessionTest, ABudgetOfTimeCountsTheSetUp) {
  spent_s_ = 4;
  const SessionResult result = run("exhaustive", seconds(9));
  EXPECT_EQ(result.trials.size(), 5u);
  EXPECT_EQ(result.setup_s, 4);
  EXPECT_EQ(result.search_s, 5);
  EXPECT_EQ(result.elapsed_s, 9);
}

TEST_F(SessionTest, TheDefaultIsTriedIfTheSetUpTookALittleMoreThanTheTime) {
  spent_s_ = 12;
  const SessionResult result = run("random", seconds(9), nullptr, 7);
  ASSERT_EQ(result.trials.size(), 1u);
  EXPECT_EQ(result.default_trial, 0u);
  EXPECT_EQ(result.reason, "the time is up");
}

TEST_F(SessionTest, ASetUpThatDoesNotEndEndsTheSessionNearItsTimeAndItIsSaid) {
  stuck_after_ = 0;
  const SessionResult result = run("random", seconds(60), nullptr, 7);
  EXPECT_TRUE(result.trials.empty());
  EXPECT_GE(result.elapsed_s, 60);
  EXPECT_LE(result.elapsed_s, 76);
  EXPECT_EQ(result.reason, "the time is up, and the set-up took all of it");
}

TEST_F(SessionTest, ATenthOfTheTimeIsKeptForTheFinals) {
  finals_.candidates = 5;
  const SessionResult result = run("exhaustive", seconds(8), nullptr, 1);
  EXPECT_EQ(result.trials.size(), 8u) << "0.8 s are kept, and the eighth ends after 7.2 s";
  EXPECT_FALSE(result.finals.has_value()) << "nothing is left of them";
  spent_s_ = 990;
  db::SessionRecord other;
  other.key.kernel = "other";
  id_ = store_.create_session(other);
  const SessionResult longer = run("exhaustive", seconds(1100), nullptr, 1);
  ASSERT_TRUE(longer.finals.has_value());
  EXPECT_GT(longer.finals_s, 0);
  EXPECT_LE(longer.finals_s, 30);
  EXPECT_DOUBLE_EQ(longer.setup_s + longer.search_s + longer.finals_s, longer.elapsed_s);
}

TEST_F(SessionTest, AShortSearchHasShortFinals) {
  finals_.candidates = 5;
  const SessionResult result = run("exhaustive", {}, nullptr, 1);
  EXPECT_EQ(result.search_s, 10);
  EXPECT_LE(result.finals_s, 2.5);
}

TEST_F(SessionTest, EndsOnTimeWhateverIsStillInFlight) {
  stuck_after_ = 3;
  finals_.candidates = 5;
  const SessionResult result = run("exhaustive", seconds(20), nullptr, 1);
  EXPECT_EQ(result.trials.size(), 3u);
  EXPECT_EQ(result.reason, "the time is up");
  EXPECT_NEAR(result.search_s, 18, 0.001);
  EXPECT_NEAR(result.elapsed_s, 25, 0.3) << "the finals hang, and the winner's proof, which may be late";
  EXPECT_TRUE(store_.winner(id_).has_value());
}

// Where nothing is correct: as long as the observer says so.
struct Patient : SessionObserver {
  explicit Patient(int patience) : times(patience) {}
  bool on_nothing_correct(const SessionProgress& progress, const search::Trial& latest) override {
    asked.push_back(progress.failed);
    EXPECT_FALSE(latest.correct());
    return --times >= 0;
  }
  void on_default_failed(const search::Trial& trial) override { default_failure = trial.message; }
  int times;
  std::vector<std::size_t> asked;
  std::string default_failure;
};

TEST_F(SessionTest, ManyFailuresInARowAndNothingCorrectEndItUnlessSomebodySaysToGoOn) {
  most_failures_ = 2;
  broken_below_ = 10;
  SessionResult result = run("exhaustive", {});
  EXPECT_EQ(result.trials.size(), 2u);
  EXPECT_EQ(result.reason, "2 configurations in a row failed, and none was correct");
  Patient once(1);
  result = run("exhaustive", {}, &once);
  EXPECT_EQ(result.trials.size(), 6u);
  EXPECT_EQ(once.asked, (std::vector<std::size_t>{2, 4}));
}

TEST_F(SessionTest, FailuresAfterSomethingCorrectEndNothing) {
  most_failures_ = 2;
  broken_below_ = 9;
  EXPECT_EQ(run("exhaustive", {}, nullptr, 9).trials.size(), 10u);
}

TEST_F(SessionTest, TellsOfADefaultThatFails) {
  Patient observer(0);
  run("exhaustive", {}, &observer, 3);
  EXPECT_EQ(observer.default_failure, "three is wrong");
}

TEST_F(SessionTest, StopsWithoutImprovement) {
  search::BudgetLimits limits;
  limits.stagnation = 3;
  EXPECT_EQ(run("exhaustive", limits).trials.size(), 4u);
}

TEST_F(SessionTest, AnInterruptKeepsWhatWasDone) {
  struct StopAfterTwo : SessionObserver {
    explicit StopAfterTwo(std::atomic<bool>& flag) : stop(flag) {}
    void on_trial(const search::Trial&, const SessionProgress& progress) override { stop = progress.done >= 2; }
    std::atomic<bool>& stop;
  } observer(stop_);
  const SessionResult result = run("exhaustive", {}, &observer);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(store_.trials(id_).size(), 2u);
  EXPECT_EQ(store_.session(id_)->state, db::SessionState::interrupted);
}

TEST_F(SessionTest, ALostDeviceKeepsTheTrialsAndTheWinnerSoFar) {
  lost_after_ = 2;
  const SessionResult result = run("exhaustive", {});
  EXPECT_TRUE(lost_);
  EXPECT_EQ(result.trials.size(), 2u);
  EXPECT_EQ(store_.trials(id_).size(), 2u);
  EXPECT_EQ(store_.winner(id_)->objective, 1);
  EXPECT_EQ(store_.session(id_)->state, db::SessionState::interrupted);
}

TEST_F(SessionTest, RacesAgainstEachNewBest) {
  run("exhaustive", {}, nullptr, 7);
  EXPECT_EQ(evaluator_->raced_against, (std::vector<double>{8, 1}));
}

TEST_F(SessionTest, FinalsSettleTheWinnerItsErrorAndItsTies) {
  finals_.candidates = 5;
  finals_.given = true;  // a visit takes a second on this clock: a quarter of the search is too short
  const SessionResult result = run("exhaustive", {}, nullptr, 1);
  ASSERT_TRUE(result.finals.has_value());
  EXPECT_EQ(space_.key(result.trials.at(*result.best).configuration), "x=0");
  EXPECT_EQ(result.finals->finalists.size(), 2u);  // the best and the default
  EXPECT_EQ(result.trials.size(), 10u);            // visits are no trials
  const auto winner = store_.winner(id_);
  ASSERT_EQ(winner->finalists.size(), 2u);
  EXPECT_EQ(winner->finalists[1].objective, 2);
  EXPECT_DOUBLE_EQ(winner->finalists[1].slower_by, 1);
  EXPECT_EQ(winner->default_objective, 2);
  EXPECT_TRUE(winner->ties.empty());
}

// What the search measured once does not reverse what finals decided; a configuration that was not in them may.
TEST_F(SessionTest, WithoutFinalsOfItsOwnAnEarlierRunsStand) {
  finals_.candidates = 5;
  finals_.given = true;
  search::BudgetLimits six;
  six.trials = 6;
  broken_below_ = 2;
  run("exhaustive", six, nullptr, 4);
  db::Winner decided = store_.winner(id_).value();
  ASSERT_FALSE(decided.finalists.empty());
  const auto was = decided.trial;
  decided.trial = decided.finalists.back().trial;  // as if that had been the faster one in the finals
  std::ranges::reverse(decided.finalists);
  decided.objective = decided.finalists.front().objective = 2.5;
  store_.set_winner(id_, decided);
  finals_.candidates = 0;
  const SessionResult again = run("exhaustive", six, nullptr, 4);
  EXPECT_EQ(store_.winner(id_)->trial, decided.trial);
  EXPECT_EQ(store_.winner(id_)->finalists.size(), decided.finalists.size());
  EXPECT_EQ(again.ids.at(*again.best), decided.trial);
  EXPECT_NE(decided.trial, was);

  decided.objective = 1000;  // then there is a better one that was not compared
  store_.set_winner(id_, decided);
  run("exhaustive", {}, nullptr, 4);
  EXPECT_NE(store_.winner(id_)->trial, decided.trial);
}

TEST_F(SessionTest, WhereTheFirstObjectiveIsEqualTheNextDecides) {
  kernel_.metrics.push_back({"same", search::Expression::constant(std::int64_t{1}), false});
  objective_ = "same,time";
  for (const std::size_t candidates : {std::size_t{0}, std::size_t{5}}) {
    SCOPED_TRACE(candidates);
    finals_.candidates = candidates;
    finals_.given = true;
    id_ = other_session(std::to_string(candidates));
    const SessionResult result = run("random", {}, nullptr, 7);
    EXPECT_EQ(space_.key(result.trials.at(*result.best).configuration), "x=0");
    EXPECT_EQ(result.front, std::vector<std::size_t>{*result.best});
  }
}

// The best of (time - 2.5) is negative, of (2.5 - time) to be large positive; the default lies on the other side.
TEST_F(SessionTest, AnObjectiveMayHaveValuesOnBothSidesOfZero) {
  kernel_.metrics.push_back({"score", search::Expression::parse("1000 * time - 2.5"), false});
  kernel_.metrics.push_back({"gain", search::Expression::parse("2.5 - 1000 * time"), true});
  for (const std::string objective : {"score", "gain"}) {
    SCOPED_TRACE(objective);
    objective_ = objective;
    finals_.candidates = 5;
    finals_.given = true;
    id_ = other_session(objective);
    const SessionResult result = run("exhaustive", {}, nullptr, 7);
    EXPECT_EQ(space_.key(result.trials.at(*result.best).configuration), "x=0");
    const db::Winner winner = store_.winner(id_).value();
    EXPECT_DOUBLE_EQ(winner.objective, -1.5);
    EXPECT_DOUBLE_EQ(winner.default_objective.value(), 5.5);
    for (const db::WinnerFinalist& finalist : winner.finalists) EXPECT_LT(finalist.objective, 0);
  }
}

TEST_F(SessionTest, ATargetReachedByAnEarlierRunEndsTheNextAtOnce) {
  run("exhaustive", {});
  search::BudgetLimits limits;
  limits.target = 1;
  EXPECT_EQ(run("random", limits).reason, "the target is reached");
}

TEST_F(SessionTest, TheSameSeedGivesTheSameConfigurationsInTheSameOrder) {
  run("random", {});
  const auto first = evaluator_->submitted;
  db::SessionRecord other;
  other.key.kernel = "other";
  id_ = store_.create_session(other);
  run("random", {});
  EXPECT_EQ(evaluator_->submitted, first);
}

}  // namespace
}  // namespace warptune::tuner
