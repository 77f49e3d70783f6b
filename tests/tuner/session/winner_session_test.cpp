// Which winner a session keeps that goes on: the earlier run's or its own. And what finals leave behind that time cuts.
#include <gtest/gtest.h>

#include "tests/tuner/session/formula_session.h"

namespace warptune::tuner {
namespace {

// A visit takes a second on the formula's clock.
class WinnerSession : public SessionTest {
 protected:
  WinnerSession() {
    finals_.candidates = 3;
    finals_.given = true;
  }

  SessionResult run_with_finals(double seconds, std::int64_t start) {
    finals_.max_seconds = seconds;
    return run("exhaustive", {}, nullptr, start);
  }

  std::string winner(const SessionResult& result) const {
    EXPECT_EQ(result.ids.at(*result.best), store_.winner(id_)->trial) << "what is shown is what is stored";
    return space_.key(result.trials.at(*result.best).configuration);
  }
};

TEST_F(WinnerSession, AShortSecondRunReplacesNoWinnerOfLongFinals) {
  run_with_finals(FinalsOptions::most_seconds, 1);
  const db::Winner before = store_.winner(id_).value();
  ASSERT_GT(before.finalists.front().visits, 2);
  visit_ms_of_ = [](double x) { return x == 0 ? 2.93 : 1.74; };  // the machine is busy
  const SessionResult again = run_with_finals(5, 1);
  EXPECT_EQ(winner(again), "x=0");
  EXPECT_TRUE(again.earlier_stands);
  EXPECT_EQ(store_.winner(id_)->decided_at, before.decided_at);
  EXPECT_EQ(again.finals->rounds, static_cast<std::size_t>(before.finalists.front().visits));
}

TEST_F(WinnerSession, FinalsThatTellTheTwoApartReplaceIt) {
  run_with_finals(FinalsOptions::most_seconds, 1);
  visit_ms_of_ = [](double x) { return x == 0 ? 2.93 : 1.74; };
  const SessionResult again = run_with_finals(FinalsOptions::most_seconds, 1);
  EXPECT_EQ(winner(again), "x=1");
  EXPECT_FALSE(again.earlier_stands);
}

TEST_F(WinnerSession, TheEarlierWinnerIsAFinalistHoweverSlowTheSearchFoundIt) {
  visit_ms_of_ = [](double x) { return x == 7 ? 0.5 : x + 1; };  // the default, which the search found slow
  EXPECT_EQ(winner(run_with_finals(FinalsOptions::most_seconds, 7)), "x=7");
  const SessionResult again = run_with_finals(FinalsOptions::most_seconds, 1);
  EXPECT_EQ(winner(again), "x=7");
  EXPECT_EQ(again.finals->finalists.size(), 3u) << "with the search's best and the default";
}

TEST_F(WinnerSession, FewRoundsReverseNothingThatTheSearchCouldTell) {
  visit_ms_of_ = [](double x) { return x == 0 ? 2.93 : 1.74; };
  for (const double seconds : {3.5, 5.0}) {  // for one round, and for two
    id_ = other_session(std::to_string(seconds));
    const SessionResult result = run_with_finals(seconds, 1);
    EXPECT_EQ(winner(result), "x=0");
    EXPECT_FALSE(result.finals);
    EXPECT_EQ(store_.winner(id_)->relative_error, 0.001);
  }
}

TEST_F(WinnerSession, WhatTheSearchMeasuredUnderLessLoadReplacesNoWinnerOfFinals) {
  visit_ms_of_ = [](double x) { return 5 * (x + 1); };
  search::BudgetLimits seven;
  seven.trials = 7;
  broken_below_ = 4;
  run("exhaustive", seven, nullptr, 5);
  const db::Winner before = store_.winner(id_).value();
  EXPECT_EQ(before.objective, 25) << "of which the search measured 5";
  finals_.candidates = 0;
  const SessionResult again = run("exhaustive", {}, nullptr, 5);
  EXPECT_EQ(again.trials.size(), 10u);
  EXPECT_EQ(store_.winner(id_)->trial, before.trial);
}

// Finals that time cuts in their third visit, which has begun then and comes back behind them.
class CutFinals : public WinnerSession {
 protected:
  CutFinals() {
    finals_.max_seconds = 5;
    begun_ = 1;
    stuck_after_ = 13;
    stuck_until_ = 15;
    counters_ = true;
  }
};

TEST_F(CutFinals, LeaveNoTrialBehind) {
  struct Count : SessionObserver {
    void on_trial(const search::Trial&, const SessionProgress&) override { ++trials; }
    std::size_t trials = 0;
  } count;
  visit_ms_of_ = [](double) { return 70.0; };
  const SessionResult result = run("exhaustive", {}, &count, 1);
  EXPECT_EQ(evaluator_->submitted.size(), 10u + 4u + 1u) << "two rounds of finals, and counters";
  EXPECT_EQ(count.trials, 10u);
  EXPECT_EQ(result.trials.size(), 10u);
  for (const db::StoredTrial& stored : store_.trials(id_))
    if (stored.trial.correct()) {
      EXPECT_LE(stored.trial.measurement->median_ms, 10) << "not a visit's";
    }
  EXPECT_EQ(result.trials[*result.best].counters->values.at("dram_bytes"), 0) << "of x=0, not of what was visited";
}

TEST_F(CutFinals, RuleOutNothingThatHasTheBits) {
  same_bits_ = same_bits_from_text("default");
  bits_of_ = [](double) { return search::OutputBits{"00000000000000da", "00000000000000b0"}; };
  const SessionResult result = run("exhaustive", {}, nullptr, 1);
  EXPECT_EQ(result.trials.size(), 10u);
  for (const db::StoredTrial& stored : store_.trials(id_))
    if (stored.trial.correct()) {
      EXPECT_TRUE(may_win(stored.trial)) << search::to_text(stored.values);
    }
  EXPECT_EQ(winner(result), "x=0");
  EXPECT_EQ(store_.winner(id_)->objective, 1);
}

}  // namespace
}  // namespace warptune::tuner
