// Sessions in which only a class of equal bits may win.
#include <gtest/gtest.h>

#include "tests/tuner/session/formula_session.h"

namespace warptune::tuner {
namespace {

// Even numbers have one class, odd ones another.
std::optional<search::OutputBits> by_parity(double x) {
  const char* odd = static_cast<int>(x) % 2 ? "00000000000000b1" : "00000000000000b0";
  return search::OutputBits{"00000000000000da", odd};
}

TEST_F(SessionTest, OnlyTheDefaultsClassOfBitsMayWin) {
  same_bits_ = same_bits_from_text("default");
  bits_of_ = by_parity;
  finals_.candidates = 5;
  finals_.given = true;
  const SessionResult result = run("exhaustive", {}, nullptr, 7);
  EXPECT_EQ(space_.key(result.trials.at(*result.best).configuration), "x=1");
  ASSERT_TRUE(result.finals.has_value());
  for (const Finalist& finalist : result.finals->finalists)
    EXPECT_TRUE(may_win(result.trials[finalist.trial])) << finalist.trial;
  const auto winner = store_.winner(id_);
  EXPECT_EQ(winner->objective, 2);
  EXPECT_DOUBLE_EQ(winner->default_objective.value_or(0), 8);
  for (const db::StoredTrial& stored : store_.trials(id_)) {
    const double x = search::to_double(stored.values[0].second);
    if (x == 3) continue;
    EXPECT_TRUE(stored.trial.correct());
    EXPECT_EQ(stored.trial.measurement->median_ms, x + 1) << "what may not win is measured all the same";
    EXPECT_EQ(may_win(stored.trial), static_cast<int>(x) % 2 == 1) << x;
  }
  for (const db::StoredTrial& best : store_.best_trials(id_, 10))
    EXPECT_EQ(static_cast<int>(search::to_double(best.values[0].second)) % 2, 1);
}

TEST_F(SessionTest, NothingElseIsAskedBeforeTheDefaultsBitsAreKnown) {
  same_bits_ = same_bits_from_text("default");
  bits_of_ = by_parity;
  // The evaluator is made by run(): asked through the fixture's pointer.
  struct Watch : SessionObserver {
    explicit Watch(const std::unique_ptr<FormulaEvaluator>& made) : evaluator(made) {}
    void on_trial(const search::Trial&, const SessionProgress&) override {
      if (submitted == 0) submitted = evaluator->submitted.size();
    }
    const std::unique_ptr<FormulaEvaluator>& evaluator;
    std::size_t submitted = 0;
  } watch(evaluator_);
  run("exhaustive", {}, &watch, 7);
  EXPECT_EQ(watch.submitted, 1u);
}

TEST_F(SessionTest, AResumedSessionKeepsToTheSameClass) {
  same_bits_ = same_bits_from_text("default");
  bits_of_ = by_parity;
  search::BudgetLimits four;
  four.trials = 4;
  run("random", four, nullptr, 8);
  const SessionResult result = run("random", {}, nullptr, 8);
  EXPECT_EQ(result.resumed, 4u);
  EXPECT_EQ(space_.key(result.trials.at(*result.best).configuration), "x=0");
  for (const search::Trial& trial : result.trials) {
    const bool even = trial.bits && trial.bits->outputs == "00000000000000b0";
    EXPECT_EQ(may_win(trial), even) << space_.key(trial.configuration);
  }
}

TEST_F(SessionTest, ADefaultAloneWithItsBitsWins) {
  same_bits_ = same_bits_from_text("default");
  bits_of_ = [](double x) {
    return search::OutputBits{"00000000000000da", x == 7 ? "00000000000000b1" : "00000000000000b0"};
  };
  const SessionResult result = run("random", {}, nullptr, 7);
  EXPECT_EQ(result.best, result.default_trial);
}

TEST_F(SessionTest, EndsAtOnceWhereNothingCanHaveTheBits) {
  same_bits_ = same_bits_from_text("default");
  SessionResult result = run("random", {}, nullptr, 3);
  EXPECT_EQ(result.trials.size(), 1u);
  EXPECT_EQ(result.reason, "the default configuration failed, so that nothing can have its bits");
  id_ = other_session("varying");
  bits_of_ = [](double) { return search::OutputBits{"00000000000000da", ""}; };
  result = run("random", {}, nullptr, 7);
  EXPECT_EQ(result.trials.size(), 1u);
  EXPECT_NE(result.reason.find("declared nondeterministic"), std::string::npos) << result.reason;
  EXPECT_FALSE(result.best);
  id_ = other_session("of other inputs");
  bits_of_ = by_parity;
  same_bits_ = same_bits_from_text("00000000000000db-00000000000000b1");
  result = run("random", {}, nullptr, 7);
  EXPECT_LE(result.trials.size(), 3u);
  EXPECT_NE(result.reason.find("cannot be compared"), std::string::npos) << result.reason;
  EXPECT_FALSE(result.best);
}

TEST_F(SessionTest, KnownBitsMayBeOthersThanTheDefaults) {
  same_bits_ = same_bits_from_text("00000000000000da-00000000000000b0");
  bits_of_ = by_parity;
  finals_.candidates = 5;
  finals_.given = true;
  const SessionResult result = run("exhaustive", {}, nullptr, 7);
  EXPECT_EQ(space_.key(result.trials.at(*result.best).configuration), "x=0");
  EXPECT_FALSE(store_.winner(id_)->default_objective) << "it may not win";
  EXPECT_EQ(store_.winner(id_)->default_time_ms, 8) << "and is compared by its time";
}

}  // namespace
}  // namespace warptune::tuner
