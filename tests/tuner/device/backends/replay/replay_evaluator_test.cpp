#include "tuner/session/replay/replay_evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/tuner/device/backends/replay/small_recording.h"

namespace warptune::tuner::replay {
namespace {

using testing::HasSubstr;

// x = 1, 2, 3, 4 take 1 s, 2 s, 3 s, 4 s; x = 5 fails after 10 s.
class Replay : public testing::Test {
 protected:
  search::Configuration x(std::int64_t value) const { return *recording_.space().find({{"x", value}}); }
  std::int64_t finished(ReplayEvaluator& evaluator) const {
    return std::get<std::int64_t>(recording_.space().values(evaluator.next().configuration)[0].second);
  }

  Recording recording_{
      recorded_space({{1, 500, 500}, {2, 1000, 1000}, {3, 1000, 2000}, {4, 1000, 3000}, {5, -1, 10000}}), "small"};
};

TEST_F(Replay, AnswersWithWhatWasRecorded) {
  ReplayEvaluator evaluator(recording_);
  evaluator.submit({x(3)});
  const search::Trial trial = evaluator.next();
  EXPECT_TRUE(trial.correct());
  EXPECT_EQ(trial.measurement->median_ms, 1000);
  EXPECT_EQ(trial.phases.compile_ms, 2000);
  EXPECT_EQ(evaluator.now_s(), 3);
  EXPECT_EQ(evaluator.device().id, "replay:small");
}

TEST_F(Replay, AFailureCostsItsTimeAndKeepsItsReason) {
  ReplayEvaluator evaluator(recording_);
  evaluator.submit({x(5)});
  const search::Trial trial = evaluator.next();
  EXPECT_EQ(trial.outcome, search::Outcome::compile_error);
  EXPECT_EQ(trial.message, "CompilationFailedConfig");
  EXPECT_TRUE(trial.objectives.empty());
  EXPECT_EQ(evaluator.now_s(), 10);
}

TEST_F(Replay, OneSlotWorksInOrderOfSubmission) {
  ReplayEvaluator evaluator(recording_);
  for (int i : {4, 1, 2}) evaluator.submit({x(i)});
  EXPECT_EQ(finished(evaluator), 4);
  EXPECT_EQ(finished(evaluator), 1);
  EXPECT_EQ(evaluator.now_s(), 5);
  EXPECT_EQ(finished(evaluator), 2);
  EXPECT_EQ(evaluator.now_s(), 7);
}

TEST_F(Replay, SeveralSlotsAnswerInOrderOfCompletion) {
  ReplayEvaluator evaluator(recording_, 2);
  EXPECT_EQ(evaluator.capacity(), 2u);
  for (int i : {4, 1, 2}) evaluator.submit({x(i)});  // 4 until 4 s; 1 until 1 s, then 2 until 3 s
  EXPECT_EQ(finished(evaluator), 1);
  EXPECT_EQ(finished(evaluator), 2);
  EXPECT_EQ(evaluator.now_s(), 3);
  evaluator.submit({x(3)});  // on the slot that is free now
  EXPECT_EQ(finished(evaluator), 4);
  EXPECT_EQ(finished(evaluator), 3);
  EXPECT_EQ(evaluator.now_s(), 6);
}

TEST_F(Replay, NothingBeginsBeforeItIsSubmitted) {
  ReplayEvaluator evaluator(recording_, 2);
  evaluator.submit({x(4)});
  finished(evaluator);
  evaluator.submit({x(1)});
  finished(evaluator);
  EXPECT_EQ(evaluator.now_s(), 5);
}

TEST_F(Replay, TimeSpentOnThinkingPassesWhileTheDeviceWorks) {
  ReplayEvaluator evaluator(recording_);
  evaluator.submit({x(2)});
  evaluator.pass_s(1.5);
  finished(evaluator);
  EXPECT_EQ(evaluator.now_s(), 2);
  evaluator.pass_s(3);
  evaluator.submit({x(1)});
  finished(evaluator);
  EXPECT_EQ(evaluator.now_s(), 6);
}

TEST_F(Replay, CancelForgetsWhatHasNotBegun) {
  ReplayEvaluator evaluator(recording_, 2);
  for (int i : {4, 1, 2, 3}) evaluator.submit({x(i)});
  EXPECT_EQ(finished(evaluator), 1);  // at 1 s, when 2 begins
  EXPECT_EQ(evaluator.cancel(), 2u);
  EXPECT_EQ(finished(evaluator), 2);
  EXPECT_EQ(finished(evaluator), 4);
  EXPECT_EQ(evaluator.now_s(), 4);
  EXPECT_THROW(evaluator.next(), std::logic_error);
  evaluator.submit({x(1)});
  finished(evaluator);
  EXPECT_EQ(evaluator.now_s(), 5);
}

TEST_F(Replay, SaysWhenAConfigurationWasNotRecorded) {
  db::RecordedSpace space = recorded_space({{1, 500, 500}});
  space.parameters[0].values.push_back(std::int64_t{2});
  const Recording gaps(std::move(space), "gaps");
  ReplayEvaluator evaluator(gaps);
  evaluator.submit({search::Configuration{{1}}});
  const search::Trial trial = evaluator.next();
  EXPECT_EQ(trial.outcome, search::Outcome::constraint_violation);
  EXPECT_EQ(trial.configuration, search::Configuration{{1}});
  EXPECT_THAT(trial.message, HasSubstr("not recorded in gaps"));
  EXPECT_EQ(evaluator.now_s(), 0);
}

}  // namespace
}  // namespace warptune::tuner::replay
