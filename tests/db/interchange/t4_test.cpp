#include <fmt/format.h>
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
  EXPECT_THROW(compile_ms(R"({"timeunit": "fortnights"})"), InterchangeError);
}

// {"time": 90.5, "unit": UNIT} and runs of 90.5 in the same unit.
std::string timed(const std::string& unit, const std::string& objective = "time") {
  return R"({"configuration": {"x": 1}, "objectives": [")" + objective +
         R"("], "times": {"compilation_time": 4000, "runtimes": [90.5]}, "invalidity": "correct", "correctness": 1,
"measurements": [{"name": ")" +
         objective + R"(", "value": 90.5)" + (unit.empty() ? "" : R"(, "unit": ")" + unit + '"') +
         R"(}, {"name": "sectors", "value": 4828, "unit": ""}]})";
}

TEST_F(T4File, TakesEachTimeByTheUnitThatItSays) {
  const auto expect = [&](const std::string& unit, const std::string& metadata, double ms, const char* objective) {
    const RecordedSpace space = read_recorded_space(file(results(timed(unit, objective), metadata)));
    const RecordedTrial& trial = space.trials.at(0);
    EXPECT_DOUBLE_EQ(trial.times_ms.at(0), 90.5 * ms) << unit << metadata;
    EXPECT_DOUBLE_EQ(*trial.phases.compile_ms, 4000 * ms) << unit << metadata;
    EXPECT_DOUBLE_EQ(*find_measurement(trial, objective), 90.5 * ms) << unit << metadata;
    EXPECT_EQ(find_measurement(trial, "sectors"), 4828) << unit << metadata;
    return space.notes;
  };
  for (const char* unit : {"us", "usec", "\u00b5s", "\u03bcs", "Microseconds", "microsecond"})
    expect(unit, "{}", 1e-3, "time");
  for (const char* unit : {"ms", "milliseconds", "miliseconds"}) expect(unit, "{}", 1, "TotalDuration");
  expect("ns", "{}", 1e-6, "TotalDuration");
  expect("s", "null", 1e3, "time");
  EXPECT_THAT(expect("", R"({"timeunit": "Microseconds"})", 1e-3, "time"), testing::IsEmpty());
  EXPECT_THAT(expect("", R"({"timeunit": "microseconds"})", 1e-3, "TotalDuration"), testing::IsEmpty());
  EXPECT_THAT(expect("", "{}", 1e3, "time"), ElementsAre(HasSubstr("taken as seconds")));
}

TEST_F(T4File, SaysWhichRecordHasAnUnknownUnit) {
  const RecordedSpace space = read_recorded_space(file(results(timed("us") + ",\n" + timed("fortnights"), "{}")));
  EXPECT_EQ(space.trials.size(), 1u);
  EXPECT_THAT(space.notes, ElementsAre(testing::AllOf(HasSubstr("line 4"), HasSubstr("the unit 'fortnights'"),
                                                      HasSubstr("it is left out"))));
  EXPECT_THAT(message_of<InterchangeError>([&] { read_recorded_space(file(results(timed("fortnights"), "{}"))); }),
              HasSubstr("the unit 'fortnights'; expected seconds"));
}

TEST_F(T4File, IsWrittenInTheUnitThatItSays) {
  const RecordedSpace space = read_recorded_space(file(results(timed("us", "TotalDuration"), "{}")));
  write_recorded_space(space, write_t4, path("again.json"));
  EXPECT_TRUE(read_recorded_space(path("again.json")) == space);
  EXPECT_THAT(text(path("again.json")), HasSubstr(R"("name":"TotalDuration","value":0.0905,"unit":"ms")"));
}

TEST_F(T4File, OneBadRecordCostsOneRecord) {
  const std::string bad = R"("times": {"runtimes": [0.5]}, "invalidity": "correct", "correctness": 1,
"measurements": [{"name": "time", "unit": "ms", "value": )";
  const RecordedSpace space = read_recorded_space(file(
      results(result("1", bad + "NaN}]") + "," + result("2", bad + "0.0}]") + "," + result("3", failed("luck")) + "," +
              result("4", correct) + "," + result("5", bad + "0.5}, {\"name\": \"power\", \"value\": Infinity}]"))));
  ASSERT_EQ(space.trials.size(), 4u);
  EXPECT_EQ(space.trials[0].outcome, search::Outcome::launch_error);
  EXPECT_THAT(space.trials[0].message, HasSubstr("time is no number"));
  EXPECT_EQ(space.trials[1].outcome, search::Outcome::launch_error);
  EXPECT_EQ(space.trials[2].outcome, search::Outcome::correct);
  EXPECT_THAT(space.trials[3].measurements, ElementsAre(Pair("time", 0.5)));
  EXPECT_THAT(space.notes,
              ElementsAre(HasSubstr("counts as a failure"), HasSubstr("took 0 ms"), HasSubstr("found luck")));
}

TEST_F(T4File, TakesTheRunsOfOneConfigurationTogether) {
  const auto run = [](const std::string& x, const std::string& ms) {
    return R"({"configuration": {"x": )" + x + R"(}, "times": {"runtimes": [)" + ms +
           R"(]}, "invalidity": "correct", "objectives": ["time"], "measurements": [{"name": "time", "value": )" + ms +
           "}]}";
  };
  const RecordedSpace space = read_recorded_space(
      file(results(run("8", "1") + "," + run("32", "4") + "," + run("8", "3") + "," + run("8", "2"))));
  ASSERT_EQ(space.trials.size(), 2u);
  EXPECT_THAT(space.trials[0].times_ms, ElementsAre(1, 3, 2));
  EXPECT_EQ(find_measurement(space.trials[0], "time"), 2);
  EXPECT_THAT(space.notes, ElementsAre("4 records are of 2 configurations: the runs of one are taken together"));
}

TEST_F(T4File, TakesNumbersWrittenAsTextForNumbers) {
  const auto values = [&](const std::string& a, const std::string& b,
                          const std::string& metadata = "{\"timeunit\": \"ms\"}") {
    const RecordedSpace space =
        read_recorded_space(file(results(result(a, correct) + "," + result(b, correct), metadata)));
    return std::pair(space.trials[0].values[0], space.trials[1].values[0]);
  };
  using search::Value;
  EXPECT_EQ(values(R"("32")", R"("128")"), std::pair(Value(std::int64_t{32}), Value(std::int64_t{128})));
  EXPECT_EQ(values(R"("0.5")", "1"), std::pair(Value(0.5), Value(std::int64_t{1})));
  EXPECT_EQ(values(R"("32")", R"("auto")"), std::pair(Value("32"), Value("auto")));
  EXPECT_EQ(values(R"("007")", R"("008")"), std::pair(Value("007"), Value("008")));
  const std::string texts = R"({"timeunit": "ms", "tune_params": {"x": ["32", "64"]}})";
  EXPECT_EQ(values(R"("32")", R"("64")", texts), std::pair(Value("32"), Value("64")));
}

TEST_F(T4File, NamesItsDeviceAsKttOrAsWarptune) {
  for (const char* name : {"device", "device_name"})
    EXPECT_EQ(read_recorded_space(file(results(timed("ms"), fmt::format(R"({{"{}": "Some GPU"}})", name)))).device,
              "Some GPU");
  EXPECT_EQ(read_recorded_space(file(results(timed("ms"), R"({"device": {"id": 0}})"))).device, "");
}

TEST_F(T4File, TellsATimeByTheRunsWhereNoMeasurementDoes) {
  const RecordedSpace space = read_recorded_space(
      file(results(result("1", R"("times": {"runtimes": [3, 1, 2]}, "invalidity": "correct", "correctness": 1)"))));
  EXPECT_EQ(find_measurement(space.trials.at(0), "time"), 2);
}

TEST_F(T4File, WithoutResultsIsEmpty) {
  EXPECT_TRUE(read_recorded_space(file(results(""))).trials.empty());
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
      results(result("32", correct) + "," + result("8", failed("runtime")) + "," + result("16", failed("compile")))));
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
