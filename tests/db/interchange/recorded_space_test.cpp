#include "db/interchange/recorded_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "db/interchange/formats.h"

namespace warptune::db {
namespace {

using testing::ElementsAre;

RecordedSpace space_with(RecordedTrial trial, std::vector<std::string> objectives = {"time"}) {
  RecordedSpace space;
  space.objectives = std::move(objectives);
  space.parameters = {{"x", {std::int64_t{1}}}};
  space.trials = {std::move(trial)};
  return space;
}

RecordedTrial good_trial() {
  RecordedTrial trial;
  trial.values = {std::int64_t{1}};
  trial.times_ms = {4, 1, 3};
  trial.measurements = {{"time", 2.5}, {"GFLOP/s", 100}};
  trial.phases = {.compile_ms = 10, .verify_ms = 5, .benchmark_ms = 20, .framework_ms = 1, .strategy_ms = 0};
  return trial;
}

TEST(ToTrial, ChargesTheRunsForMeasuring) {
  const RecordedSpace space = space_with(good_trial());
  const search::Trial trial = to_trial(space, space.trials[0]);
  EXPECT_EQ(trial.phases.measure_ms, 8);
  EXPECT_EQ(trial.phases.compile_ms, 10);
  EXPECT_EQ(trial.measurement->median_ms, 3);
  EXPECT_THAT(trial.objectives, ElementsAre(2.5));
}

TEST(ToTrial, NegatesWhatIsToBeMaximised) {
  const RecordedSpace space = space_with(good_trial(), {"GFLOP/s", "time"});
  EXPECT_THAT(to_trial(space, space.trials[0]).objectives, ElementsAre(-100, 2.5));
}

TEST(ToTrial, KeepsAFailureAFailure) {
  RecordedTrial failed;
  failed.outcome = search::Outcome::compile_error;
  failed.message = "CompilationFailedConfig";
  failed.phases.compile_ms = 7;
  failed.phases.benchmark_ms = 0.5;
  const RecordedSpace space = space_with(failed);
  const search::Trial trial = to_trial(space, space.trials[0]);
  EXPECT_EQ(trial.outcome, search::Outcome::compile_error);
  EXPECT_EQ(trial.message, "CompilationFailedConfig");
  EXPECT_FALSE(trial.measurement.has_value());
  EXPECT_TRUE(trial.objectives.empty());
  EXPECT_EQ(trial.phases.compile_ms, 7);
}

TEST(Csv, QuotesWhatNeedsIt) {
  RecordedTrial failed;
  failed.values = {std::int64_t{1}};
  failed.outcome = search::Outcome::launch_error;
  failed.message = "no \"room\", sorry";
  RecordedSpace space = space_with(good_trial());
  space.trials.push_back(failed);
  std::ostringstream out;
  write_csv(space, out);
  EXPECT_EQ(out.str(),
            "x,outcome,time_ms,GFLOP/s,compile_ms,verify_ms,benchmark_ms,framework_ms,strategy_ms,timestamp,message\r\n"
            "1,correct,2.5,100.0,10.0,5.0,20.0,1.0,0.0,,\r\n"
            "1,launch_error,,,,,,,,,\"no \"\"room\"\", sorry\"\r\n");
}

}  // namespace
}  // namespace warptune::db
