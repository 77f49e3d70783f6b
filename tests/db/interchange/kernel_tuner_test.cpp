#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/interchange/formats.h"
#include "tests/db/interchange/temporary_files.h"

namespace warptune::db {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

using KernelTunerFile = TemporaryFiles;

constexpr const char* header = R"({
"device_name": "Some GPU", "kernel_name": "add", "problem_size": [4096, 16],
"tune_params_keys": ["x", "mode", "scale", "fast"],
"tune_params": {"x": [16, 32], "mode": ["a", "b,c"], "scale": [0.5, 100000.0], "fast": [true, false]},
"objective": "time",
"cache": {)";

constexpr const char* good_entry =
    R"("16,a,0.5,True": {"x": 16, "mode": "a", "scale": 0.5, "fast": true, "time": 0.1, "times": [0.30000000000000004, 1e-3],
"compile_time": 12.5, "verification_time": 0, "benchmark_time": 3.25, "strategy_time": 0, "framework_time": 1.5,
"GFLOP/s": 8476.698316499354, "timestamp": "2023-12-22 09:54:05+00:00", "clocks": [1, 2]})";

std::string failing(const std::string& fields) {
  return R"("32,a,0.5,True": {"x": 32, "mode": "a", "scale": 0.5, "fast": true, "compile_time": 3, )" + fields + "}";
}

TEST_F(KernelTunerFile, GivesUpItsHeaderAndItsTrials) {
  const RecordedSpace space = read_recorded_space(file(std::string(header) + good_entry + "}\n}"));
  EXPECT_EQ(space.device, "Some GPU");
  EXPECT_EQ(space.kernel, "add");
  EXPECT_THAT(space.problem_size, ElementsAre(search::Value(std::int64_t{4096}), search::Value(std::int64_t{16})));
  ASSERT_EQ(space.parameters.size(), 4u);
  EXPECT_THAT(space.parameters[1].values, ElementsAre(search::Value("a"), search::Value("b,c")));
  EXPECT_FALSE(space.unfinished);
  ASSERT_EQ(space.trials.size(), 1u);
  const RecordedTrial& trial = space.trials[0];
  EXPECT_THAT(trial.values, ElementsAre(search::Value(std::int64_t{16}), search::Value("a"), search::Value(0.5),
                                        search::Value(true)));
  EXPECT_EQ(trial.outcome, search::Outcome::correct);
  EXPECT_THAT(trial.times_ms, ElementsAre(0.30000000000000004, 1e-3));
  EXPECT_THAT(trial.measurements, ElementsAre(Pair("time", 0.1), Pair("GFLOP/s", 8476.698316499354)));
  EXPECT_EQ(trial.phases.compile_ms, 12.5);
  EXPECT_EQ(trial.phases.benchmark_ms, 3.25);
  EXPECT_EQ(trial.timestamp, "2023-12-22 09:54:05+00:00");
}

TEST_F(KernelTunerFile, KnowsFailuresOfEveryAge) {
  const std::vector<std::pair<std::string, search::Outcome>> forms{
      {R"("time": "CompilationFailedConfig")", search::Outcome::compile_error},
      {R"("time": "RuntimeFailedConfig")", search::Outcome::launch_error},
      {R"("time": "InvalidConfig")", search::Outcome::constraint_violation},
      {R"("__error__": "CompilationFailedConfig")", search::Outcome::compile_error},
      {R"("time": "InvalidConfig", "__error__": "InvalidConfig")", search::Outcome::constraint_violation},
      {R"("__error__": "ErrorConfig")", search::Outcome::crash},
      {R"("time": 1e20)", search::Outcome::launch_error},
  };
  for (const auto& [fields, outcome] : forms) {
    const RecordedSpace space = read_recorded_space(file(header + failing(fields) + "}}"));
    ASSERT_EQ(space.trials.size(), 1u) << fields;
    EXPECT_EQ(space.trials[0].outcome, outcome) << fields;
    EXPECT_FALSE(space.trials[0].message.empty()) << fields;
    EXPECT_THAT(space.trials[0].measurements, ElementsAre()) << fields;
    EXPECT_EQ(space.trials[0].phases.compile_ms, 3) << fields;
  }
}

TEST_F(KernelTunerFile, MayLackItsEnd) {
  for (const std::string end :
       {"", ",", ",\n", R"(,)", R"(,"32,a": {"x": 3)", R"(,"32,a": {"x": 32, "times": [1.5, 2.)", R"(,"32,)", "}"}) {
    const RecordedSpace space = read_recorded_space(file(std::string(header) + good_entry + end));
    EXPECT_EQ(space.trials.size(), 1u) << end;
    EXPECT_TRUE(space.unfinished) << end;
  }
  EXPECT_TRUE(read_recorded_space(file(header)).trials.empty());
}

TEST_F(KernelTunerFile, IsRefusedWhereItIsDamaged) {
  const std::string unclosed_string = std::string(header) + "\n\"16,a: {\"x\": 16}}}";
  EXPECT_THAT(message_of<InterchangeError>([&] { read_recorded_space(file(unclosed_string)); }),
              testing::AllOf(HasSubstr("file.json, line 7 (byte "), HasSubstr("expected")));
  // A lost bracket makes the next record a part of this one; an end in there is no unfinished file.
  const std::string lost_bracket = std::string(header) + R"("k": {"x": 16, )" + good_entry;
  EXPECT_THAT(message_of<InterchangeError>([&] { read_recorded_space(file(lost_bracket)); }),
              HasSubstr("unexpected end of input; expected"));
  EXPECT_THROW(read_recorded_space(file(lost_bracket + "}\n}}")), InterchangeError);
  EXPECT_THROW(read_recorded_space(file(std::string(header) + good_entry + "}} trailing")), InterchangeError);
  EXPECT_THROW(read_recorded_space(file("")), InterchangeError);
  EXPECT_THROW(read_recorded_space(file("[1, 2]")), InterchangeError);
}

TEST_F(KernelTunerFile, IsRefusedWhereARecordDoesNotFit) {
  const auto message = [&](const std::string& record) {
    return message_of<InterchangeError>([&] { read_recorded_space(file(std::string(header) + "\n" + record + "}}")); });
  };
  EXPECT_THAT(message(R"("k": {"x": 16, "mode": "a", "scale": 1.0})"),
              testing::AllOf(HasSubstr("line 7"), HasSubstr("expected a member \"fast\"")));
  EXPECT_THAT(message(R"("k": {"x": [1], "mode": "a", "scale": 1.0, "fast": true})"),
              HasSubstr("x: expected a number, a boolean or a string, found [1]"));
  EXPECT_THAT(message(failing(R"("time": "soon")")), HasSubstr("neither a number under \"time\" nor"));
  EXPECT_THAT(message(failing(R"("time": 1, "times": "all")")), HasSubstr("times: expected an array of numbers"));
  for (const char* time : {R"("time": -5)", R"("time": 0)", R"("time": 1, "times": [1, -1])"})
    EXPECT_THAT(message(failing(time)), HasSubstr("expected a time above 0")) << time;
}

// Python's json module writes them, and no other reader takes them.
TEST_F(KernelTunerFile, NumbersThatAreNoneCostOneRecordAtMost) {
  const std::string spoilt = failing(R"("time": NaN, "times": [NaN, 0.5])") + ",\n" +
                             R"("16,b,c,0.5,True": {"x": 16, "mode": "b,c", "scale": 0.5, "fast": true, "time": 0.25,
"times": [0.25, Infinity], "compile_time": NaN, "gflops": -Infinity, "note": "NaN \" Infinity"})";
  const RecordedSpace space = read_recorded_space(file(header + (good_entry + (",\n" + spoilt)) + "}}"));
  ASSERT_EQ(space.trials.size(), 3u);
  EXPECT_EQ(space.trials[1].outcome, search::Outcome::launch_error);
  EXPECT_THAT(space.trials[1].message, HasSubstr("time is no number"));
  EXPECT_EQ(space.trials[2].outcome, search::Outcome::correct);
  EXPECT_THAT(space.trials[2].times_ms, ElementsAre(0.25));
  EXPECT_THAT(space.trials[2].measurements, ElementsAre(Pair("time", 0.25)));
  EXPECT_EQ(space.trials[2].phases.compile_ms, std::nullopt);
  EXPECT_THAT(space.notes, ElementsAre(testing::AllOf(HasSubstr("line 9"), HasSubstr("counts as a failure"))));
}

TEST_F(KernelTunerFile, OneBadRecordCostsOneRecord) {
  const std::string bad = R"("k": {"x": 32, "mode": "a"}, )" + failing(R"("time": 0)");
  const RecordedSpace space = read_recorded_space(file(header + bad + ", " + good_entry + "}}"));
  ASSERT_EQ(space.trials.size(), 2u);
  EXPECT_EQ(space.trials[0].outcome, search::Outcome::launch_error);
  EXPECT_THAT(space.trials[0].message, HasSubstr("took 0 ms"));
  EXPECT_THAT(space.notes, ElementsAre(HasSubstr("a member \"scale\""), HasSubstr("took 0 ms")));
}

TEST_F(KernelTunerFile, SaysAFewBadRecordsAndCountsTheRest) {
  std::string bad;
  for (int i = 0; i < 10; ++i) bad += R"("k": {"x": 32}, )";
  const RecordedSpace space = read_recorded_space(file(header + bad + good_entry + "}}"));
  EXPECT_EQ(space.trials.size(), 1u);
  ASSERT_EQ(space.notes.size(), 4u);
  EXPECT_EQ(space.notes[3], "7 more records are not taken as they stand");
}

TEST_F(KernelTunerFile, GivesValuesTheTypeThatTheirDomainHas) {
  std::string entry = good_entry;
  entry.replace(entry.find(R"("x": 16)"), 7, R"("x": "16")");
  EXPECT_EQ(read_recorded_space(file(header + entry + "}}")).trials.at(0).values[0], search::Value(std::int64_t{16}));
}

TEST_F(KernelTunerFile, IsRefusedWithoutParameters) {
  EXPECT_THAT(message_of<InterchangeError>([&] { read_recorded_space(file(R"({"cache": {"1": {"x": 1}}})")); }),
              HasSubstr("expected a member \"tune_params\""));
  EXPECT_THAT(message_of<InterchangeError>(
                  [&] { read_recorded_space(file(R"({"tune_params_keys": ["x"], "tune_params": {}, "cache": {}})")); }),
              HasSubstr("has no values for x"));
  EXPECT_THAT(message_of<InterchangeError>([&] { read_recorded_space(file(R"({"a": 1})")); }),
              HasSubstr("neither a Kernel Tuner cache file"));
}

TEST_F(KernelTunerFile, RoundTripsExactly) {
  const std::string text = std::string(header) + good_entry + ",\n" +
                           failing(R"("time": "RuntimeFailedConfig", "__error__": "RuntimeFailedConfig")") + "}}";
  RecordedSpace space = read_recorded_space(file(text));
  space.trials.push_back(space.trials[0]);
  space.trials[2].values[2] = 100000.0;
  space.trials[2].outcome = search::Outcome::resource_limit;
  space.trials[2].message = "too much \"shared\" memory";
  space.trials[2].measurements.clear();
  write_recorded_space(space, write_kernel_tuner, path("again.json.gz"));
  EXPECT_TRUE(read_recorded_space(path("again.json.gz")) == space);
}

TEST_F(KernelTunerFile, IsWrittenAsKernelTunerReadsIt) {
  RecordedSpace space = read_recorded_space(file(std::string(header) + good_entry + "}\n}"));
  space.trials[0].values[2] = 100000.0;
  write_recorded_space(space, write_kernel_tuner, path("again.json"));
  const std::string text = this->text(path("again.json"));
  EXPECT_THAT(text, HasSubstr("\"16,a,100000.0,True\": {"));  // Python's str() of the values
  EXPECT_EQ(text.substr(text.size() - 3), "}\n}");            // by which Kernel Tuner knows that it is complete
}

}  // namespace
}  // namespace warptune::db
