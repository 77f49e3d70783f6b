// What every Evaluator must do (tuner/measure/evaluator.h), seen through the interface alone: the one that measures in
// this process, of a template and of functions, the pool of workers, that pool with an agent, and a recording. They run
// over the same space, whose modes work, give a wrong result, or do not compile.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "tests/conformance/evaluators.h"

namespace warptune::tuner {
namespace {

class EvaluatorConformance : public ::testing::TestWithParam<EvaluatorCase> {
 protected:
  search::Configuration configuration(const std::string& mode, std::int64_t block = 32) const {
    return *space().find({{"BLOCK", block}, {"MODE", mode}});
  }
  std::string key(const search::Trial& trial) const { return space().key(trial.configuration); }
  std::multiset<std::string> keys_of_next(std::size_t count) {
    std::multiset<std::string> keys;
    for (std::size_t i = 0; i < count; ++i) keys.insert(key(evaluator().next()));
    return keys;
  }

  const search::SearchSpace& space() const { return world_->space(); }
  Evaluator& evaluator() { return world_->evaluator(); }
  void destroy() { world_.reset(); }

 private:
  std::unique_ptr<EvaluatorWorld> world_ = GetParam().make();
};

TEST_P(EvaluatorConformance, EachEvaluationComesBackOnceAndAFailureIsATrial) {
  EXPECT_FALSE(evaluator().device().id.empty());
  ASSERT_GE(evaluator().capacity(), 1u);
  for (const char* mode : {"broken", "right", "wrong"}) evaluator().submit({configuration(mode)});
  std::map<std::string, search::Trial> trials;
  double before = evaluator().now_s();
  for (int i = 0; i < 3; ++i) {
    search::Trial trial = evaluator().next();
    EXPECT_GE(evaluator().now_s(), before);
    before = evaluator().now_s();
    trials[search::to_text(space().values(trial.configuration)[1].second)] = trial;
  }
  ASSERT_EQ(trials.size(), 3u);
  EXPECT_TRUE(trials["right"].correct()) << trials["right"].message;
  ASSERT_TRUE(trials["right"].measurement);
  EXPECT_GT(trials["right"].measurement->median_ms, 0);
  EXPECT_FALSE(trials["right"].measurement->samples_ms.empty());
  EXPECT_EQ(trials["wrong"].outcome, search::Outcome::wrong_result);
  EXPECT_EQ(trials["broken"].outcome, search::Outcome::compile_error);
  for (const char* mode : {"wrong", "broken"}) {
    EXPECT_FALSE(trials[mode].message.empty()) << mode;
    EXPECT_FALSE(trials[mode].measurement) << mode;
  }
}

TEST_P(EvaluatorConformance, WaitingEndsWithTheTrialOrTheTime) {
  EXPECT_TRUE(evaluator().wait(1000)) << "for nothing";
  evaluator().submit({configuration("right")});
  evaluator().wait(0);
  while (!evaluator().wait(0.05)) continue;
  EXPECT_TRUE(evaluator().wait(0)) << "the trial is still there";
  EXPECT_TRUE(evaluator().next().correct());
}

TEST_P(EvaluatorConformance, TakesMoreThanItsCapacityAndTheSameAgain) {
  const std::size_t many = evaluator().capacity() + 2;
  for (std::size_t i = 0; i < many; ++i) evaluator().submit({configuration("right")});
  EXPECT_EQ(keys_of_next(many).count("BLOCK=32,MODE=right"), many);
}

TEST_P(EvaluatorConformance, AFinalistIsMeasuredAgainAndNothingIsCutOfIt) {
  evaluator().submit({configuration("right")});
  ASSERT_TRUE(evaluator().next().correct());
  evaluator().race_against({.best_ms = 1e-9});
  evaluator().submit({configuration("right"), Purpose::finalist});
  const search::Trial visit = evaluator().next();
  EXPECT_TRUE(visit.correct()) << visit.message;
  ASSERT_TRUE(visit.measurement);
  EXPECT_FALSE(visit.measurement->cut_short);
}

TEST_P(EvaluatorConformance, AProofMeasuresNothing) {
  if (!evaluator().can_measure_again()) GTEST_SKIP() << "a recording proves nothing";
  evaluator().submit({configuration("right"), Purpose::proof});
  const search::Trial proof = evaluator().next();
  EXPECT_TRUE(proof.correct()) << proof.message;
  EXPECT_FALSE(proof.measurement);
}

// Whether it can or not, and if not, why.
TEST_P(EvaluatorConformance, CountsARightConfigurationOrSaysWhyNot) {
  if (!evaluator().can_measure_again()) GTEST_SKIP() << "a recording counts nothing";
  evaluator().submit({configuration("right"), Purpose::counted});
  const search::Trial counted = evaluator().next();
  EXPECT_TRUE(counted.correct()) << counted.message;
  EXPECT_FALSE(counted.measurement);
  ASSERT_TRUE(counted.counters);
  EXPECT_EQ(counted.counters->values.empty(), !counted.counters->failure.empty());
  if (!counted.counters->values.empty()) {
    EXPECT_EQ(counted.counters->launches.size(), 1u);
    EXPECT_EQ(counted.counters->values.at("global_load_bytes"), 400);
    EXPECT_EQ(counted.counters->values.at("blocks"), 4);
  }
  evaluator().submit({configuration("broken"), Purpose::counted});
  EXPECT_FALSE(counters_of_run(evaluator().next()).failure.empty());
}

TEST_P(EvaluatorConformance, RefusesWhatIsNotOfTheSpaceAndQueuesNothingOfIt) {
  search::Configuration outside = configuration("right");
  outside.choices[1] = 17;
  EXPECT_THROW(evaluator().submit({outside}), std::invalid_argument);
  EXPECT_THROW(evaluator().submit({search::Configuration{}}), std::invalid_argument);
  EXPECT_THROW(evaluator().next(), std::logic_error);
}

TEST_P(EvaluatorConformance, WhatIsCancelledDoesNotComeBackAndMoreMayBeSubmitted) {
  EXPECT_EQ(evaluator().cancel(), 0u);
  for (const char* mode : {"right", "wrong", "broken"})
    for (const int block : {32, 64}) evaluator().submit({configuration(mode, block)});
  const std::size_t left = evaluator().cancel();
  ASSERT_LE(left, 6u);
  EXPECT_EQ(keys_of_next(left).size(), left);
  EXPECT_THROW(evaluator().next(), std::logic_error);
  evaluator().submit({configuration("right")});
  EXPECT_TRUE(evaluator().next().correct());
}

TEST_P(EvaluatorConformance, MayBeDestroyedWithWorkInFlight) {
  for (const char* mode : {"right", "wrong", "broken", "right"}) evaluator().submit({configuration(mode)});
  evaluator().next();
  destroy();
}

INSTANTIATE_TEST_SUITE_P(All, EvaluatorConformance, ::testing::ValuesIn(evaluator_cases()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace warptune::tuner
