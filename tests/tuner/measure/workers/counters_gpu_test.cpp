// --counters against the fake driver, NVRTC and CUPTI: what is counted, and that nothing which goes wrong there costs a
// trial or the session.
#include <nlohmann/json.hpp>

#include "tests/tuner/measure/workers/fault_suite_gpu.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class FakeGpuCounters : public FakeGpuFaults {
 protected:
  FakeGpuCounters() { write_template("0", 4); }

  // Every finalist's counters, as the store has them. None may have cost its trial.
  std::vector<search::Counters> counted(const std::string& options) {
    const ProgramRun tuned = tune("--device cuda:0 --compile-jobs 1 --counters " + options);
    EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
    out_ = tuned.out;
    std::vector<search::Counters> all;
    for (const db::StoredTrial& stored : trials()) {
      EXPECT_TRUE(stored.trial.correct()) << stored.trial.message;
      if (stored.trial.counters) all.push_back(*stored.trial.counters);
    }
    return all;
  }

  std::string out_;
};

TEST_F(FakeGpuCounters, AreThoseOfTheFinalists) {
  const auto all = counted("--finals 2");
  EXPECT_GE(all.size(), 2u);
  for (const search::Counters& counters : all) {
    EXPECT_THAT(counters.failure, IsEmpty());
    EXPECT_EQ(counters.values.at("dram_read_bytes"), 100);
    EXPECT_EQ(counters.values.at("dram_bytes"), 200);
    ASSERT_EQ(counters.launches.size(), 1u);
    EXPECT_EQ(counters.launches[0].kernel, "faults");
  }
  EXPECT_THAT(out_, AllOf(HasSubstr("Counters of the winner"), HasSubstr("dram_bytes")));
}

TEST_F(FakeGpuCounters, OfASessionThatIsContinuedAreNotCountedTwice) {
  EXPECT_GE(counted("").size(), 1u);
  more_environment_ += " FAKE_CUPTI_RESULT=cuptiRangeProfilerEnable:35";
  for (const search::Counters& counters : counted("")) EXPECT_THAT(counters.failure, IsEmpty());
}

TEST_F(FakeGpuCounters, ThatMayNotBeReadAreSaidWithTheRemedyAndCostNothing) {
  more_environment_ += " FAKE_CUPTI_RESULT=cuptiRangeProfilerEnable:35";
  const auto all = counted("");
  ASSERT_EQ(all.size(), 1u) << "what keeps one from being counted keeps all";
  EXPECT_THAT(all[0].failure, AllOf(HasSubstr("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"),
                                    HasSubstr("NVreg_RestrictProfilingToAdminUsers=0")));
  EXPECT_THAT(all[0].values, IsEmpty());
  EXPECT_THAT(out_, AllOf(HasSubstr("Winner"), HasSubstr("Nothing was counted")));
}

TEST_F(FakeGpuCounters, InALibraryThatHangsAreGivenUp) {
  more_environment_ += " FAKE_CUPTI_HANG=cuptiRangeProfilerStart";
  const auto all = counted("--kernel-timeout 0.2");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_THAT(all[0].failure, HasSubstr("timeout"));
}

TEST_F(FakeGpuCounters, InALibraryThatCrashesAreGivenUp) {
  more_environment_ += " FAKE_CUPTI_CRASH=cuptiProfilerHostInitialize";
  const auto all = counted("");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_THAT(all[0].failure, AllOf(HasSubstr("counted"), HasSubstr("SIGSEGV")));
}

TEST_F(FakeGpuCounters, OfASingleRunAreShownAndWritten) {
  const std::string command = "run " + folder_.path().string() + " --device cuda:0 --counters";
  const ProgramRun shown = run(command);
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("outcome             correct"), HasSubstr("achieved_occupancy")));
  const auto json = nlohmann::json::parse(run(command + " --format json").out);
  EXPECT_EQ(json["counters"]["values"]["dram_bytes"], 200);
  EXPECT_TRUE(json["search"]["time_ms"].is_number());
  EXPECT_THAT(run(command + " --format csv").out, HasSubstr("1,faults,dram_bytes,200.0,B"));
  const ProgramRun here = run(command + " --no-workers");
  EXPECT_THAT(here.out, HasSubstr("achieved_occupancy")) << here.err;
}

TEST_F(FakeGpuCounters, ThatASingleRunLacksAreSaidBesideAnEmptyTable) {
  more_environment_ += " FAKE_CUPTI_RESULT=cuptiRangeProfilerEnable:35";
  const ProgramRun shown = run("run " + folder_.path().string() + " --device cuda:0 --counters --format csv");
  EXPECT_EQ(shown.out, "launch,kernel,counter,value,unit\r\n");
  EXPECT_THAT(shown.err, AllOf(HasSubstr("nothing was counted"), HasSubstr("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES")));
}

TEST_F(FakeGpuCounters, AreNotReadUnasked) {
  more_environment_ += " FAKE_CUPTI_CRASH=cuptiProfilerInitialize";
  EXPECT_EQ(tune("--device cuda:0 --compile-jobs 1").exit_code, 0);
  for (const db::StoredTrial& stored : trials()) EXPECT_FALSE(stored.trial.counters);
}

// Then every configuration is counted, for the search to go by it.
TEST_F(FakeGpuCounters, MayBeTheObjective) {
  std::string text;
  std::getline(std::ifstream(folder_.path() / "template.toml"), text, '\0');
  folder_.write("template.toml", text +
                                     "[metrics]\n\"traffic\" = { value = \"counter.dram_bytes / n\", better = "
                                     "\"lower\" }\n");
  const ProgramRun tuned = tune("--device cuda:0 --compile-jobs 1 --objective traffic");
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  const auto all = trials();
  EXPECT_EQ(all.size(), 4u);
  for (const db::StoredTrial& stored : all) {
    EXPECT_EQ(stored.trial.metrics.at("traffic"), 200.0 / 64);
    EXPECT_EQ(stored.trial.objectives.at(0), 200.0 / 64);
  }
}

TEST_F(FakeGpuCounters, ThatThereAreNotAreRefusedInAManifest) {
  std::string text;
  std::getline(std::ifstream(folder_.path() / "template.toml"), text, '\0');
  folder_.write("template.toml", text + "[metrics]\n\"traffic\" = { value = \"counter.dram_byte\" }\n");
  const ProgramRun tuned = tune("--device cuda:0");
  EXPECT_NE(tuned.exit_code, 0);
  EXPECT_THAT(tuned.err, AllOf(HasSubstr("counter.dram_byte"), HasSubstr("counter.dram_bytes")));
}

}  // namespace
}  // namespace warptune::tuner
