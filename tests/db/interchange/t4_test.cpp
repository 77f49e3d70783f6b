#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/interchange/formats.h"
#include "tests/db/interchange/temporary_files.h"

namespace warptune::db {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

using T4File = TemporaryFiles;

std::string result(const std::string& x, const std::string& rest) {
  return R"({"timestamp": "then", "configuration": {"x": )" + x + R"(, "mode": "a"}, "objectives": ["time"], )" + rest +
         "}";
}

const std::string correct = R"("times": {"compilation": 2, "framework": 0.5, "search_algorithm": 0, "validation": 1,
"runtimes": [0.25, 0.5]}, "invalidity": "correct", "correctness": 1,
"measurements": [{"name": "time", "value": 0.375, "unit": "ms"}, {"name": "GB/s", "value": 7, "unit": ""}])";

std::string failed(const std::string& invalidity, const std::string& value = "\"RuntimeFailedConfig\"") {
  return R"("times": {"compilation": 2}, "invalidity": ")" + invalidity +
         R"(", "correctness": 0, "measurements": [{"name": "time", "value": )" + value + R"(, "unit": ""}])";
}

std::string results(const std::string& list, const std::string& metadata = R"({"timeunit": "miliseconds"})") {
  return R"({"results": [)" + list + R"(], "schema_version": "1.0.0", "metadata": )" + metadata + "}";
}

TEST_F(T4File, GivesUpItsTrials) {
  const RecordedSpace space = read_recorded_space(file(results(result("32", correct) + "," + result("8", correct))));
  ASSERT_EQ(space.trials.size(), 2u);
  const RecordedTrial& trial = space.trials[0];
  EXPECT_THAT(trial.values, ElementsAre(search::Value(std::int64_t{32}), search::Value("a")));
  EXPECT_THAT(trial.times_ms, ElementsAre(0.25, 0.5));
  EXPECT_EQ(trial.phases.compile_ms, 2);
  EXPECT_EQ(trial.phases.verify_ms, 1);
  EXPECT_EQ(trial.phases.benchmark_ms, std::nullopt);
  EXPECT_THAT(trial.measurements, ElementsAre(Pair("time", 0.375), Pair("GB/s", 7)));
}

TEST_F(T4File, LearnsDomainsFromItsConfigurations) {
  const RecordedSpace space = read_recorded_space(file(results(result("32", correct) + "," + result("8", correct))));
  ASSERT_EQ(space.parameters.size(), 2u);
  EXPECT_EQ(space.parameters[0].name, "x");
  EXPECT_THAT(space.parameters[0].values, ElementsAre(search::Value(std::int64_t{8}), search::Value(std::int64_t{32})));
}

TEST_F(T4File, NamesEveryKindOfFailure) {
  const std::vector<std::pair<std::string, search::Outcome>> kinds{
      {"timeout", search::Outcome::timeout},
      {"compile", search::Outcome::compile_error},
      {"runtime", search::Outcome::launch_error},
      {"correctness", search::Outcome::wrong_result},
      {"constraints", search::Outcome::constraint_violation}};
  for (const auto& [name, outcome] : kinds) {
    const RecordedSpace space = read_recorded_space(file(results(result("1", failed(name)))));
    EXPECT_EQ(space.trials[0].outcome, outcome) << name;
    EXPECT_EQ(space.trials[0].message, "RuntimeFailedConfig") << name;
  }
  EXPECT_THROW(read_recorded_space(file(results(result("1", failed("luck"))))), InterchangeError);
}

TEST_F(T4File, IsScaledToMilliseconds) {
  const auto compile_ms = [&](const std::string& metadata) {
    return read_recorded_space(file(results(result("1", correct), metadata))).trials[0].phases.compile_ms;
  };
  EXPECT_EQ(compile_ms(R"({"timeunit": "seconds"})"), 2000);
  EXPECT_EQ(compile_ms(R"({"timeunit": "microseconds"})"), 0.002);
  EXPECT_EQ(compile_ms("{}"), 2000);
  EXPECT_THROW(compile_ms(R"({"timeunit": "fortnights"})"), InterchangeError);
}

TEST_F(T4File, IsRefusedWhenItIsCutShort) {
  const std::string whole = results(result("1", correct));
  EXPECT_THAT(message_of<InterchangeError>([&] { read_recorded_space(file(whole.substr(0, whole.find("schema")))); }),
              HasSubstr("expected"));
  EXPECT_THAT(
      message_of<InterchangeError>([&] { read_recorded_space(file(R"({"results": [)" + result("1", correct))); }),
      HasSubstr("the text ends within \"results\""));
}

TEST_F(T4File, IsRefusedWhereAResultLacksSomething) {
  EXPECT_THAT(message_of<InterchangeError>([&] { read_recorded_space(file(results(result("1", R"("times": {})")))); }),
              HasSubstr("expected a member \"invalidity\""));
  EXPECT_THAT(message_of<InterchangeError>(
                  [&] { read_recorded_space(file(results(result("1", R"("times": {}, "invalidity": "correct")")))); }),
              HasSubstr("has no measurement \"time\""));
}

TEST_F(T4File, RoundTripsExactly) {
  RecordedSpace space = read_recorded_space(file(
      results(result("32", correct) + "," + result("8", failed("runtime")) + "," + result("8", failed("compile")))));
  space.kernel = "add";
  space.device = "Some GPU";
  space.problem_size = {std::int64_t{4096}};
  space.parameters[0].values.push_back(std::int64_t{64});  // never tried
  space.trials[2].outcome = search::Outcome::crash;
  space.trials[2].message = "signal 11";
  space.trials[0].measurements[0].second = 0.1 + 0.2;
  write_recorded_space(space, write_t4, path("again.json"));
  EXPECT_TRUE(read_recorded_space(path("again.json")) == space);
}

TEST_F(T4File, AndACacheFileHoldTheSameTrials) {
  RecordedSpace space =
      read_recorded_space(file(results(result("32", correct) + "," + result("8", failed("runtime")))));
  write_recorded_space(space, write_kernel_tuner, path("cache.json"));
  EXPECT_TRUE(read_recorded_space(path("cache.json")) == space);
}

}  // namespace
}  // namespace warptune::db
