#include "tuner/results/check/check.h"

#include <gmock/gmock.h>

#include <limits>

#include "tests/support/temporary_folder.h"
#include "tuner/results/check/policy_text.h"

namespace warptune::tuner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

search::NamedValues configuration(std::int64_t block) {
  return {{"BLOCK", block}};
}

search::Trial measured(double objective, double relative_error = 0.01) {
  search::Trial trial;
  trial.measurement = search::Measurement{{objective}, objective, relative_error, false};
  trial.objectives = {objective};
  return trial;
}

db::Settled recorded(double objective, double relative_error = 0.01) {
  return {.objective = objective, .objective_error = relative_error};
}

search::Trial failed(search::Outcome outcome, const std::string& message) {
  search::Trial trial;
  trial.outcome = outcome;
  trial.message = message;
  return trial;
}

// A session of four configurations of 1, 2, 3 and 4 ms; the default is the third.
class CheckTest : public testing::Test {
 protected:
  CheckTest() {
    db::SessionRecord session;
    session.key.kernel = "add";
    session_ = store_.create_session(session);
    for (const std::int64_t block : {1, 2, 3, 4})
      ids_.push_back(store_.record(session_, configuration(block), measured(static_cast<double>(block))));
    store_.set_winner(session_, {ids_[0], 1.0, 0.01, 3.0, {ids_[1]}});
    answers_ = {{"BLOCK=1", measured(1)}, {"BLOCK=2", measured(2)}, {"BLOCK=3", measured(3)}, {"BLOCK=4", measured(4)}};
  }

  SessionCheck check() {
    const auto measure = [&](const std::vector<search::NamedValues>& configurations) {
      std::vector<search::Trial> trials;
      for (const search::NamedValues& values : configurations) {
        asked_.push_back(search::to_text(values));
        trials.push_back(answers_.at(asked_.back()));
      }
      return trials;
    };
    return check_session(store_.best({}).at(0), standing_, configuration(3), store_, measure, options_);
  }

  TemporaryFolder folder_;
  db::Store store_ = db::Store::open(folder_.path() / "s.db", db::OpenMode::read_write);
  db::SessionId session_ = 0;
  std::vector<db::TrialId> ids_;
  std::map<std::string, search::Trial> answers_;
  std::vector<std::string> asked_;
  Standing standing_;
  CheckOptions options_;
};

TEST_F(CheckTest, MeasuresWinnerDefaultAndRunnersUpOnce) {
  options_.runners_up = 1;
  const SessionCheck result = check();
  EXPECT_EQ(result.verdict, Verdict::ok);
  EXPECT_THAT(asked_, ElementsAre("BLOCK=1", "BLOCK=3", "BLOCK=2"));
  EXPECT_EQ(result.configurations[1].role, "default");
}

TEST_F(CheckTest, AChangeCountsBeyondBothErrorsAndTheTolerance) {
  EXPECT_EQ(verdict_of(recorded(1, 0.01), measured(1.06, 0.01), 0.05), Verdict::ok);
  EXPECT_EQ(verdict_of(recorded(1, 0.01), measured(1.08, 0.01), 0.05), Verdict::regression);
  EXPECT_EQ(verdict_of(recorded(1, 0.05), measured(1.08, 0.01), 0.05), Verdict::ok);
  EXPECT_EQ(verdict_of(recorded(1, 0.01), measured(0.92, 0.01), 0.05), Verdict::improved);
  EXPECT_EQ(verdict_of(recorded(-100), measured(-80), 0.05), Verdict::regression);  // a maximised metric
}

// A metric that was -0.02 and is 3 now has no ratio.
TEST_F(CheckTest, AChangeOfSignCountsWhateverTheTolerance) {
  EXPECT_EQ(verdict_of(recorded(-0.02), measured(3), 0.05), Verdict::regression);
  EXPECT_EQ(verdict_of(recorded(3), measured(-0.02), 0.05), Verdict::improved);
  EXPECT_EQ(verdict_of(recorded(0), measured(0.1), 0.05), Verdict::regression);
  EXPECT_EQ(verdict_of(recorded(0), measured(0), 0.05), Verdict::ok);
  answers_["BLOCK=1"] = measured(-1);
  const SessionCheck crossed = check();
  EXPECT_EQ(crossed.verdict, Verdict::improved);
  EXPECT_FALSE(crossed.configurations[0].drift);
}

// One round of finals gives no error, and recordings have none.
TEST_F(CheckTest, AnErrorThatIsNotKnownExcusesNoSlowdown) {
  const double unknown = std::numeric_limits<double>::infinity();
  EXPECT_EQ(verdict_of(recorded(1, unknown), measured(25, 0.01), 0.05), Verdict::regression);
  EXPECT_EQ(verdict_of(recorded(1, 0.01), measured(25, unknown), 0.05), Verdict::regression);
  EXPECT_EQ(verdict_of(recorded(1, unknown), measured(25, unknown), 0.05), Verdict::regression);
  EXPECT_EQ(verdict_of(recorded(1, unknown), measured(1.06, 0.01), 0.05), Verdict::ok);  // the other error, twice
  EXPECT_EQ(verdict_of(recorded(1, 0), measured(1.06, 0.01), 0.05), Verdict::ok);
  EXPECT_EQ(verdict_of(recorded(1, unknown), measured(0.5, 0.01), 0.05), Verdict::improved);
}

TEST(Drift, OfARateIsThatOfTheTime) {
  EXPECT_DOUBLE_EQ(drift_of(2, 3).value(), 0.5);
  EXPECT_DOUBLE_EQ(drift_of(-100, -200).value(), -0.5);  // twice the rate is half the time
  EXPECT_DOUBLE_EQ(drift_of(-100, -50).value(), 1);
  EXPECT_FALSE(drift_of(0, 1));  // an error of 0, say
}

TEST_F(CheckTest, TheWinnerDecidesTheVerdict) {
  answers_["BLOCK=2"] = measured(9);
  EXPECT_EQ(check().verdict, Verdict::ok);
  answers_["BLOCK=1"] = measured(1.2);
  const SessionCheck slower = check();
  EXPECT_EQ(slower.verdict, Verdict::regression);
  EXPECT_NEAR(slower.configurations[0].drift.value(), 0.2, 1e-12);
  answers_["BLOCK=1"] = measured(0.5);
  EXPECT_EQ(check().verdict, Verdict::improved);
  answers_["BLOCK=1"] = failed(search::Outcome::compile_error, "no");
  EXPECT_EQ(check().verdict, Verdict::failure);
}

// A busy machine, or a hot one.
TEST_F(CheckTest, WhereTheDefaultMovesAlikeTheMachineIsSlower) {
  answers_ = {
      {"BLOCK=1", measured(1.4)}, {"BLOCK=2", measured(2.7)}, {"BLOCK=3", measured(4.1)}, {"BLOCK=4", measured(9)}};
  const SessionCheck slower = check();
  EXPECT_EQ(slower.verdict, Verdict::slower_machine);
  EXPECT_EQ(to_string(slower.verdict), "slower machine");
  EXPECT_THAT(slower.message,
              HasSubstr("the machine is slower, and not this configuration: the default drifted by +37 %"));
  EXPECT_EQ(slower.configurations[0].verdict, Verdict::slower_machine);
  EXPECT_EQ(slower.configurations[1].verdict, Verdict::slower_machine);
  EXPECT_EQ(slower.configurations[2].verdict, Verdict::slower_machine);
  EXPECT_EQ(slower.configurations[3].verdict, Verdict::regression);  // by more than the default
}

TEST_F(CheckTest, ARegressionIsWhatGrewBesideTheDefault) {
  answers_["BLOCK=1"] = measured(1.4);
  EXPECT_EQ(check().verdict, Verdict::regression);
  answers_["BLOCK=3"] = measured(3.6);
  EXPECT_EQ(check().verdict, Verdict::regression);
  answers_["BLOCK=1"] = measured(1.09);
  answers_["BLOCK=3"] = measured(3.05);  // within its own errors
  EXPECT_EQ(check().verdict, Verdict::regression);
  answers_["BLOCK=3"] = measured(3.2);
  EXPECT_EQ(check().verdict, Verdict::slower_machine);
  answers_["BLOCK=3"] = failed(search::Outcome::timeout, "no");
  EXPECT_EQ(check().verdict, Verdict::regression);  // the runner-up stands for it, which has not moved
  answers_["BLOCK=2"] = measured(2.2);
  EXPECT_EQ(check().verdict, Verdict::slower_machine);
}

TEST_F(CheckTest, ARunnerUpIsTheYardstickOfADefaultThatWon) {
  const auto check_with_default = [&](double runner_up) {
    const auto measure = [&](const std::vector<search::NamedValues>& configurations) {
      std::vector<search::Trial> trials(configurations.size(), measured(runner_up));
      trials.front() = measured(1.5);
      return trials;
    };
    options_.runners_up = 1;
    return check_session(store_.best({}).at(0), {}, configuration(1), store_, measure, options_);
  };
  EXPECT_EQ(check_with_default(2).verdict, Verdict::regression);
  const SessionCheck slower = check_with_default(3);
  EXPECT_EQ(slower.verdict, Verdict::slower_machine);
  EXPECT_THAT(slower.message, HasSubstr("the runner-up drifted by +50 %"));
}

TEST_F(CheckTest, TheDefaultOfTheSessionIsMeasuredWhereTodaysIsAnother) {
  db::Winner winner{.trial = ids_[0], .objective = 1, .default_objective = 3};
  winner.default_trial = ids_[2];
  store_.set_winner(session_, winner);
  const auto measure = [&](const std::vector<search::NamedValues>& configurations) {
    EXPECT_EQ(configurations.at(1), configuration(3));
    return std::vector<search::Trial>(configurations.size(), measured(1));
  };
  EXPECT_EQ(check_session(store_.best({}).at(0), {}, {}, store_, measure, options_).configurations[1].role, "default");
}

// What changed may be what slows both down.
TEST_F(CheckTest, UnderAnotherKeyTheMachineIsNotBlamed) {
  for (auto& [name, trial] : answers_) trial = measured(2 * trial.objectives.front());
  EXPECT_EQ(check().verdict, Verdict::slower_machine);
  standing_.differences = {{"source", "5ce1", "0bad", true}};
  EXPECT_EQ(check().verdict, Verdict::regression);
}

TEST_F(CheckTest, AStaleSessionIsMeasuredAllTheSameAndARegressionSaysMore) {
  standing_.differences = {{"driver", "1", "2"}};
  EXPECT_EQ(check().verdict, Verdict::stale);
  EXPECT_FALSE(asked_.empty());
  answers_["BLOCK=1"] = measured(2);
  EXPECT_EQ(check().verdict, Verdict::regression);
}

// The search had measured 1, 2 and 3 ms; side by side it was 1.5, 2.5 and 4.
TEST_F(CheckTest, ComparesWithWhatTheFinalsMeasured) {
  db::Winner winner{.trial = ids_[0], .objective = 1.5, .relative_error = 0.001, .default_objective = 4};
  winner.default_trial = ids_[2];
  winner.finalists = {{ids_[0], 1.5, 0.001, 9, 0, 0, 0, 1.5, 0.001},
                      {ids_[1], 2.5, 0.001, 9, 0.6, 0.5, 0.7, 2.5, 0.001},
                      {ids_[2], 4, 0.001, 9, 1.6, 1.5, 1.7, 4, 0.001}};
  store_.set_winner(session_, winner);
  answers_ = {
      {"BLOCK=1", measured(1.5)}, {"BLOCK=2", measured(2.5)}, {"BLOCK=3", measured(4)}, {"BLOCK=4", measured(4)}};
  options_.runners_up = 1;
  const SessionCheck result = check();
  EXPECT_EQ(result.verdict, Verdict::ok);
  for (const CheckedConfiguration& checked : result.configurations) {
    EXPECT_EQ(checked.verdict, Verdict::ok) << checked.role;
    EXPECT_EQ(checked.drift, 0) << checked.role;
  }
  record_check(result, store_);
  EXPECT_EQ(store_.checks(session_).at(0).recorded_objective, 1.5);
}

TEST_F(CheckTest, OutputsThatAreNotTheRecordedOnesAreNoted) {
  const auto with_bits = [](const std::string& data, const std::string& outputs) {
    search::Trial trial = measured(1);
    trial.bits = search::OutputBits{data, outputs};
    return trial;
  };
  store_.record(session_, configuration(1), with_bits("d", "o"));
  const auto noted = [&](const search::Trial& answer) {
    answers_["BLOCK=1"] = answer;
    const SessionCheck result = check();
    EXPECT_EQ(result.verdict, Verdict::ok);
    EXPECT_EQ(result.message.empty(), !result.configurations[0].other_outputs);
    return result.configurations[0].other_outputs;
  };
  EXPECT_FALSE(noted(with_bits("d", "o")));
  EXPECT_TRUE(noted(with_bits("d", "other")));
  EXPECT_FALSE(noted(with_bits("other data", "other")));
  EXPECT_FALSE(noted(with_bits("d", "")));  // they may differ from run to run
  EXPECT_FALSE(noted(measured(1)));
}

TEST_F(CheckTest, WhatCannotBeMeasuredIsAFailureThatSaysWhy) {
  const auto measure = [](const std::vector<search::NamedValues>&) -> std::vector<search::Trial> {
    throw std::runtime_error("the device is gone");
  };
  const SessionCheck result = check_session(store_.best({}).at(0), {}, {}, store_, measure, {});
  EXPECT_EQ(result.verdict, Verdict::failure);
  EXPECT_EQ(result.message, "the device is gone");
}

TEST_F(CheckTest, AWrongWinnerLosesItsPlaceToTheBestThatIsLeft) {
  answers_["BLOCK=1"] = failed(search::Outcome::wrong_result, "element 5");
  const SessionCheck result = check();
  EXPECT_EQ(result.verdict, Verdict::wrong);
  EXPECT_TRUE(record_check(result, store_));
  EXPECT_EQ(store_.trials(session_)[0].trial.outcome, search::Outcome::wrong_result);
  EXPECT_EQ(store_.winner(session_)->trial, ids_[1]);
  EXPECT_EQ(store_.winner(session_)->objective, 2);
  EXPECT_EQ(store_.winner(session_)->default_objective, 3);
  EXPECT_EQ(store_.checks(session_)[0].recorded_objective, 1);  // what was believed is not lost
}

TEST_F(CheckTest, AWrongRunnerUpIsWrongTooButTheWinnerStays) {
  answers_["BLOCK=2"] = failed(search::Outcome::wrong_result, "element 5");
  const SessionCheck result = check();
  EXPECT_EQ(result.verdict, Verdict::wrong);
  EXPECT_FALSE(record_check(result, store_));
  EXPECT_EQ(store_.winner(session_)->trial, ids_[0]);
  EXPECT_EQ(store_.trials(session_)[1].trial.outcome, search::Outcome::wrong_result);
}

// A kernel that is broken for a day is right again the next day, under its old key.
TEST_F(CheckTest, AWrongResultUnderAnotherKeyTakesNothingFromTheSession) {
  standing_.differences = {{"source", "5ce1", "0bad", true}};
  for (auto& [name, trial] : answers_) trial = failed(search::Outcome::wrong_result, "all");
  const SessionCheck result = check();
  EXPECT_EQ(result.verdict, Verdict::wrong);
  EXPECT_FALSE(record_check(result, store_));
  for (const db::StoredTrial& trial : store_.trials(session_))
    EXPECT_EQ(trial.trial.outcome, search::Outcome::correct) << trial.id;
  EXPECT_EQ(store_.winner(session_)->trial, ids_[0]);
  EXPECT_EQ(store_.winner(session_)->ties, std::vector{ids_[1]});
  EXPECT_EQ(store_.checks(session_).at(0).outcome, search::Outcome::wrong_result);
}

TEST_F(CheckTest, WithNothingRightThereIsNoWinner) {
  options_.runners_up = 9;
  for (auto& [name, trial] : answers_) trial = failed(search::Outcome::wrong_result, "all");
  record_check(check(), store_);
  EXPECT_FALSE(store_.winner(session_).has_value());
}

TEST_F(CheckTest, DriftIsRecordedBesideTheTrialAndChangesNothing) {
  answers_["BLOCK=1"] = measured(1.5);
  standing_.differences = {{"driver", "1", "2"}};
  EXPECT_FALSE(record_check(check(), store_));
  EXPECT_EQ(store_.trials(session_)[0].trial.objectives, std::vector{1.0});
  const auto checks = store_.checks(session_);
  ASSERT_EQ(checks.size(), 4u);
  EXPECT_EQ(checks[0].objective, 1.5);
  EXPECT_THAT(checks[0].differs, HasSubstr("driver (1 then, 2 now)"));
}

TEST(PolicyText, IsReadBackExactlyOrNotAtAll) {
  MeasurePolicy policy;
  policy.verify = Verify::once;
  policy.cold_cache = true;
  policy.race = 0;
  policy.precision = 0.0125;
  policy.min_samples = 3;
  policy.max_samples = 55;
  policy.as = LaunchAs::graph;
  policy.clock_mhz = 1200;
  policy.power_cap_w = 300;
  EXPECT_THAT(policy.text(), HasSubstr(" as=graph clock_mhz=1200 power_cap_w=300"));
  ASSERT_TRUE(policy_from_text(policy.text()).has_value());
  EXPECT_EQ(policy_from_text(policy.text())->text(), policy.text());
  EXPECT_FALSE(policy_from_text(policy.text() + " later=1").has_value());
  EXPECT_FALSE(policy_from_text("imported").has_value());
  EXPECT_FALSE(policy_from_text(policy.text() + " as=telepathy").has_value());
}

// Sessions of stores that are there go on.
TEST(PolicyText, IsWhatItWasWhereNothingNewIsSaid) {
  EXPECT_EQ(MeasurePolicy{}.text(),
            "verify=always cache=warm precision=0.01 samples=3..200 seconds=2 warmup=0.02 sample_ms=0.05 race=3 "
            "slack=0.25 energy=0");
}

}  // namespace
}  // namespace warptune::tuner
