// Recordings of other tuners, as users meet them: imported, exported, and what strategies are compared on.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/places.h"
#include "tests/support/program.h"

namespace warptune::tuner {
namespace {

using json = nlohmann::ordered_json;  // a recording is read as a stream: its header comes before its trials
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// 40 configurations in Kernel Tuner's format: time = 1 + |x - 7| + |y - 2| ms, and x = 5 does not compile.
std::string valley() {
  json file = {{"device_name", "Some GPU"}, {"kernel_name", "valley"}, {"problem_size", {64}}, {"objective", "time"}};
  file["tune_params_keys"] = {"x", "y"};
  file["tune_params"] = {{"x", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}, {"y", {0, 1, 2, 3}}};
  for (int x = 0; x < 10; ++x)
    for (int y = 0; y < 4; ++y) {
      json record = {{"x", x}, {"y", y}, {"compile_time", 100}, {"verification_time", 0}, {"benchmark_time", 10}};
      const double time_ms = 1.0 + std::abs(x - 7) + std::abs(y - 2);
      record["time"] = x == 5 ? json("CompilationFailedConfig") : json(time_ms);
      if (x != 5) record["times"] = {time_ms, time_ms};
      file["cache"][fmt::format("{},{}", x, y)] = record;
    }
  return file.dump();
}

class CliRecordings : public testing::Test {
 protected:
  CliRecordings() {
    std::filesystem::create_directory(path("valleys"));
    std::ofstream(recording()) << valley();
  }

  ProgramRun run(const std::string& arguments) {
    return run_program(folder_, "WARPTUNE_DB=" + path("store.db") + " " + warptune_program() + " " + arguments);
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  // Its folder is a part of its name, and that of the seeds of what is compared on it.
  std::string recording() const { return path("valleys/valley.json"); }

  TemporaryFolder folder_;
};

TEST_F(CliRecordings, AreImportedAsFinishedSessionsWithTheirWinner) {
  const ProgramRun imported = run("import " + recording());
  EXPECT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_THAT(imported.err, HasSubstr("40 trials of valley on Some GPU: session 1"));
  EXPECT_THAT(run("best valley --format csv").out, HasSubstr("x=7,y=2"));
}

TEST_F(CliRecordings, ImportedTwiceAreThereOnce) {
  run("import " + recording());
  run("import " + recording());
  const json history = json::parse(run("history --format json").out)["sessions"];
  ASSERT_EQ(history.size(), 1u);
  EXPECT_EQ(history[0]["trials"], 40);
}

TEST_F(CliRecordings, AreReadFromAPipe) {
  const std::string file = recording(),
                    import = "WARPTUNE_DB=" + path("store.db") + " " + warptune_program() + " import ";
  const std::string sessions = path("sessions.json");
  for (const std::string& command :
       {"cat " + file + " | " + import + "/dev/stdin",
        "mkfifo " + path("pipe") + "; gzip -c " + file + " >" + path("pipe") + " & " + import + path("pipe")}) {
    const ProgramRun run = run_program(folder_, command);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr("40 trials of valley on Some GPU: session 1")) << command;
  }
  ASSERT_EQ(run("export valley --format warptune-json -o " + sessions).exit_code, 0);
  EXPECT_THAT(run_program(folder_, "cat " + sessions + " | " + import + "/dev/stdin").err, HasSubstr("1 session"));
}

TEST_F(CliRecordings, SayWhatIsNotTakenAsItStands) {
  json file = json::parse(valley());
  file["cache"]["7,2"]["time"] = 0;
  std::ofstream(recording()) << file.dump(1);
  for (const std::string& command :
       {"import " + recording(), "compare --spaces " + recording() + " --strategies random",
        "tune --device replay:" + recording() + " --budget 3"})
    EXPECT_THAT(run(command).err, AllOf(HasSubstr("note: " + recording() + ", line"), HasSubstr("took 0 ms")))
        << command;
  EXPECT_THAT(run("best valley --format csv").out, Not(HasSubstr("x=7,y=2")));
}

TEST_F(CliRecordings, ComeOutAsTheyWentIn) {
  run("import " + recording());
  const ProgramRun exported = run("export valley --format kernel-tuner -o " + path("out.json"));
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  const json before = json::parse(std::ifstream(recording())), after = json::parse(std::ifstream(path("out.json")));
  ASSERT_EQ(after["cache"].size(), 40u);
  for (const auto& [key, record] : before["cache"].items())
    for (const char* field : {"x", "y", "time", "compile_time"})
      EXPECT_EQ(after["cache"][key][field], record[field]) << key << " " << field;
}

// Another tool says float of its problem; no size of ours, which are integers, can.
TEST_F(CliRecordings, HaveIntegersAloneAsSizesOfWisdom) {
  json file = json::parse(valley());
  json other = {{"device_name", file["device_name"]}, {"kernel_name", "valley"}};
  other["problem_size"] = {64, "float", false, 0.5};
  for (const auto& [name, member] : file.items())
    if (!other.contains(name)) other[name] = member;
  std::ofstream(recording()) << other.dump();
  ASSERT_EQ(run("import " + recording()).exit_code, 0);
  ASSERT_EQ(run("export valley --format wisdom -o " + path("wisdom.json")).exit_code, 0);
  const ProgramRun read = run("export --format json --from " + path("wisdom.json"));
  ASSERT_EQ(read.exit_code, 0) << read.err;
  const json winner = json::parse(read.out)["winners"][0];
  EXPECT_EQ(winner["problem_size"].dump(), R"({"n0":64})");
  EXPECT_EQ(winner["variants"].dump(), R"({"n1":"float","n2":false,"n3":0.5})");
}

TEST_F(CliRecordings, ThatAreDamagedAreRefusedWithTheirName) {
  std::ofstream(recording()) << R"({"device_name": "Some GPU", "cache": 7})";
  const ProgramRun imported = run("import " + recording());
  EXPECT_EQ(imported.exit_code, 3);
  EXPECT_THAT(imported.err, HasSubstr("valley.json"));
}

TEST_F(CliRecordings, AreNotMistakenForOtherFilesWhichAreNamedForWhatTheyAre) {
  run("import " + recording());
  run("export valley --format json -o " + path("printed.json"));
  run("export valley --format wisdom -o " + path("wisdom.json"));
  std::ofstream(path("kernel.cu")) << "__global__ void f() {}\n";
  std::ofstream(path("table.csv")) << "x,y,time\n1,2,3\n";
  std::ofstream(path("nothing.json"));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"store.db", "found a store (SQLite): `--db " + path("store.db") + "` reads it in place, `warptune merge "},
      {"printed.json", "found what `--format json` prints"},
      {"wisdom.json", "found wisdom"},
      {"kernel.cu", "found a source: `warptune init "},
      {"table.csv", "found a table"},
      {"nothing.json", "found an empty file"}};
  for (const auto& [file, wanted] : cases) {
    const ProgramRun imported = run("import " + path(file));
    EXPECT_EQ(imported.exit_code, 3) << file;
    EXPECT_THAT(imported.err, HasSubstr(path(file) + ": expected a recording, " + wanted));
  }
  EXPECT_THAT(run("tune --device replay:" + path("store.db")).err, HasSubstr("found a store"));
}

TEST_F(CliRecordings, StandForADeviceThatIsTunedOn) {
  const std::string tune = "tune --device replay:" + recording() + " --budget 200";
  const ProgramRun tuned = run(tune + " --format csv");
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_THAT(tuned.err,
              AllOf(HasSubstr("40 of 40 configurations"), HasSubstr("40 trials in"), HasSubstr("exhausted")));
  EXPECT_THAT(tuned.out, HasSubstr("x=7,y=2"));
  const ProgramRun again = run(tune);
  EXPECT_THAT(again.err, HasSubstr("\n0 trials in")) << "the same command continues its session";
  const ProgramRun other = run(tune + " --seed 1 --strategy random");
  EXPECT_THAT(other.err, HasSubstr("40 trials in")) << "another run must not know what the first one found";
  const json history = json::parse(run("history valley --format json").out)["sessions"];
  ASSERT_EQ(history.size(), 2u);
  EXPECT_EQ(history[0]["trials"], 40);
}

TEST_F(CliRecordings, EndASessionAtTheirOwnClock) {
  // A trial costs 0.1 s of compiling and a few milliseconds of runs: 2 s are some 18 trials, and pass at once.
  const ProgramRun tuned = run("tune --device replay:" + recording() + " --budget 2s");
  EXPECT_THAT(tuned.err, HasSubstr("the time is up"));
  EXPECT_THAT(tuned.err, testing::AnyOf(HasSubstr("17 trials"), HasSubstr("18 trials"), HasSubstr("19 trials")));
}

TEST_F(CliRecordings, AreSearchedUntilNothingMoreIsExpectedWithoutABudget) {
  EXPECT_THAT(run("tune --device replay:" + recording()).err,
              AllOf(HasSubstr("no --budget: ends by itself, after 500 trials without an improvement"),
                    HasSubstr("trials in"), Not(HasSubstr("10 min"))));
  EXPECT_THAT(run("tune --seed 5 --strategy exhaustive --device replay:" + recording()).err,
              AllOf(HasSubstr("no --budget: the whole space is tried"), HasSubstr("40 trials in")));
}

TEST_F(CliRecordings, NeedNotBeSearchedToTheEndForALittleGain) {
  const std::string tune = "tune --device replay:" + recording() + " --budget improvement:";
  EXPECT_THAT(run(tune + "0.05").err, HasSubstr("no configuration is expected to be much better"));
  const ProgramRun refused = run(tune + "much");
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("an improvement is a fraction from 0 to 1"));
}

TEST_F(CliRecordings, AreRefusedBesideATemplateOrSizes) {
  for (const char* extra : {" --size n=3", " --objective joules", " --preset large"}) {
    const ProgramRun refused = run("tune --budget 3 --device replay:" + recording() + extra);
    EXPECT_EQ(refused.exit_code, 3) << extra;
    EXPECT_THAT(refused.err, HasSubstr("valley.json")) << extra;
  }
  EXPECT_EQ(run("tune --device replay:" + path("absent.json")).exit_code, 3);
  EXPECT_THAT(run("tune --budget 3").err, HasSubstr("a template to tune"));
}

TEST_F(CliRecordings, RankStrategiesThatAreCompared) {
  const ProgramRun compared = run("compare --spaces " + recording() +
                                  " --strategies random,hill_climbing --repeats 20 --p-replicates 0 --format json");
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  const json result = json::parse(compared.out);
  const auto& strategies = result["strategies"];
  ASSERT_EQ(strategies.size(), 2u);
  EXPECT_EQ(strategies[1]["strategy"], "hill_climbing");
  EXPECT_GT(strategies[1]["overall"]["p_direct"]["value"], strategies[0]["overall"]["p_direct"]["value"]);
}

TEST_F(CliRecordings, AreHeldAgainstTheOptimumAfterTheEvaluationsThatAreAskedFor) {
  const ProgramRun compared = run("compare --spaces " + recording() +
                                  " --strategies random --repeats 2 --p-replicates 0 --format csv --after 5,16");
  EXPECT_THAT(compared.out, AllOf(HasSubstr("ratio_5,"), HasSubstr("ratio_16,"), Not(HasSubstr("ratio_25,"))));
}

TEST_F(CliRecordings, HaveTheNamesOfTheTemplatesThatTheyLieBeside) {
  std::filesystem::create_directory(path("valleys/recorded"));
  std::filesystem::copy_file(recording(), path("valleys/recorded/valley.json"));
  const std::string options = " --strategies random --repeats 2 --p-replicates 0";
  for (const std::string& file : {recording(), path("valleys/recorded/valley.json")})
    EXPECT_THAT(run("compare --spaces " + file + options).out, HasSubstr("VALLEYS/VALLEY")) << file;
}

TEST_F(CliRecordings, AreComparedTheSameWayUnderTheSameSeed) {
  const std::string arguments = "compare --spaces " + recording() +
                                " --strategies annealing --repeats 5 --seed 3 --p-replicates 0 --format csv --jobs ";
  const auto figures = [&](const std::string& jobs) {
    std::string text = run(arguments + jobs).out;
    return text.substr(0, text.find("cpu"));
  };
  EXPECT_EQ(figures("1"), figures("2"));
}

TEST_F(CliRecordings, AreNotComparedUnderAnUnknownHyperparameter) {
  const ProgramRun compared = run("compare --spaces " + recording() + " --strategies annealing:colour=3 --repeats 2");
  EXPECT_EQ(compared.exit_code, 2);
  EXPECT_THAT(compared.err, HasSubstr("colour"));
}

}  // namespace
}  // namespace warptune::tuner
