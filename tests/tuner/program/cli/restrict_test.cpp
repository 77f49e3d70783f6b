// --restrict: a part of a template's space, as a session of its own. And what is recorded of such parts, for replay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/small_template.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const char good[] = " --restrict \"MODE == 'good'\"";
const char small_blocks[] = " --restrict 'BLOCK * EACH <= n // 10'";  // sizes may be used

class CliRestrict : public testing::Test {
 protected:
  CliRestrict() { write_doubling_template(folder_); }

  ProgramRun run(const std::string& arguments) {
    return run_program(folder_, environment() + " " + warptune_program() + " " + arguments);
  }
  std::string environment() const {
    return "WARPTUNE_DB=" + path("s.db") + " XDG_CACHE_HOME=" + path("cache") + " WARPTUNE_TEMPLATES=" + sources +
           "/templates";
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  ProgramRun tune(const std::string& more) { return run("tune " + folder_.path().string() + " --device host " + more); }
  ProgramRun space(const std::string& more) {
    return run("space " + folder_.path().string() + " --device host " + more);
  }

  const std::string sources = source_folder();
  TemporaryFolder folder_;
};

TEST_F(CliRestrict, LeavesWhatSatisfiesEveryOne) {
  EXPECT_THAT(space("").out, HasSubstr("Valid      60"));
  EXPECT_THAT(space(good).out, HasSubstr("Valid      12"));
  const std::string both = space(std::string(good) + small_blocks + " --list --format csv").out;
  EXPECT_THAT(both, HasSubstr("32,2,good"));
  EXPECT_THAT(both, Not(HasSubstr("64,2")));
  EXPECT_THAT(both, Not(HasSubstr("wrong")));
}

TEST_F(CliRestrict, MakesASessionThatTheSameOnesContinueInAnyOrder) {
  EXPECT_THAT(tune("--budget 2 --strategy random").err, HasSubstr("session 1"));
  EXPECT_THAT(tune(std::string("--budget 2 --strategy random") + good + small_blocks).err, HasSubstr("session 2"));
  const ProgramRun again = tune(std::string("--strategy exhaustive --finals 0") + small_blocks + good);
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.err, AllOf(HasSubstr("session 2\n"), HasSubstr("resuming: 2 trials")));
  EXPECT_THAT(again.err, HasSubstr("1 trial in"));  // three satisfy both
  EXPECT_THAT(again.err, HasSubstr("the search is exhausted"));
}

// MODE == 1 has a loop that takes many times as long as the rest.
TEST_F(CliRestrict, AFasterWinnerIsToldOfWhereASlowerSessionIsLater) {
  folder_.write("kernel.cu",
                "extern \"C\" __global__ void doubling(const float* in, float* out, int count) {\n"
                "  for (int e = 0; e < EACH; ++e) {\n    const int i = (blockIdx.x * EACH + e) * BLOCK + threadIdx.x;\n"
                "    float x = 0;\n    if (MODE != 0) for (int k = 0; k < 20000; ++k) x = x * 0.5f + k;\n"
                "    if (i < count) out[i] = 2 * in[i] + (x < 0 ? x : 0);\n  }\n}\n"
                "extern \"C\" __global__ void reference(const float* in, float* out, int count) {\n"
                "  const int i = blockIdx.x * 128 + threadIdx.x;\n  if (i < count) out[i] = 2 * in[i];\n}\n");
  std::string manifest = doubling_manifest;
  const std::string modes =
      "values = [\"good\", \"wrong\", \"unwritten\", \"outside\", \"broken\", \"greedy\"]\ndefault = \"good\"";
  manifest.replace(manifest.find(modes), modes.size(), "values = [0, 1]\ndefault = 1");
  const std::string shared = "shared = \"MODE == 'greedy' and 300000 or 0\"\n";
  manifest.erase(manifest.find(shared), shared.size());
  folder_.write("template.toml", manifest);
  EXPECT_EQ(tune("--budget 4 --restrict 'MODE == 0'").exit_code, 0);
  EXPECT_THAT(run("best").err, Not(HasSubstr("faster winner")));
  const ProgramRun slow = tune("--budget 4 --restrict 'MODE == 1'");
  EXPECT_EQ(slow.exit_code, 0) << slow.err;
  for (const char* verb : {"best", "export"}) {
    EXPECT_THAT(run(std::string(verb) + " doubling").err,
                AllOf(HasSubstr("note: session 1 has a faster winner of doubling: "),
                      HasSubstr("Session 2, restricted to MODE == 1, was tuned later")))
        << verb;
  }
  EXPECT_THAT(run("explain").out, HasSubstr("session 2"));
  tune("--budget 5 --restrict 'MODE == 0'");  // goes on with the first
  EXPECT_THAT(run("best doubling").err, Not(HasSubstr("faster winner")));
  EXPECT_THAT(run("best doubling --format json").out, HasSubstr("\"MODE\": 0"));
  EXPECT_THAT(run("explain").out, HasSubstr("session 1"));
}

TEST_F(CliRestrict, MakesNoWinnerStale) {
  tune(std::string("--budget 2 --strategy random") + good);
  const ProgramRun best = run("best doubling --require-current --format csv");
  EXPECT_EQ(best.exit_code, 0) << best.err;
}

TEST_F(CliRestrict, ExplainsWhatItCannotUse) {
  const ProgramRun unknown = tune("--restrict 'BLOK == 32'");
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("BLOK"));
  const ProgramRun broken = tune("--restrict 'BLOCK =='");
  EXPECT_EQ(broken.exit_code, 3);
  EXPECT_THAT(broken.err, HasSubstr("(column "));
  const ProgramRun nothing = tune("--restrict 'BLOCK == 33'");
  EXPECT_EQ(nothing.exit_code, 3);
  EXPECT_THAT(nothing.err, AllOf(HasSubstr("No configuration satisfies BLOCK == 33; BLOCK has the values "),
                                 Not(HasSubstr("contradict"))));
}

TEST_F(CliRestrict, IsNotForRecordings) {
  std::ofstream(path("space.json")) << R"({"parameters": {"x": [1, 2]}})";
  for (const char* verb : {"space ", "tune --device replay:"}) {
    const ProgramRun refused = run(verb + path("space.json") + " --restrict 'x == 1'");
    EXPECT_EQ(refused.exit_code, 3) << verb;
    EXPECT_THAT(refused.err, HasSubstr("--restrict")) << verb;
  }
}

TEST_F(CliRestrict, RecordsSpacesThatReplayAnswersFrom) {
  const ProgramRun recorded = run_program(
      folder_,
      environment() + " " + sources + "/bench/recorded/record.sh " + warptune_program() + " " + path("recordings") +
          " 100 host nbody --restrict \"COARSENING == 1 and SOURCES == 'global' and SPLIT_SOURCES == 1\" --restrict "
          "'BLOCK_SIZE == 64 and UNROLL <= 2'");
  ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  std::string file;
  for (const auto& entry : std::filesystem::directory_iterator(path("recordings/nbody/recorded")))
    file = entry.path().string();
  const ProgramRun replayed = run("tune --budget 10 --format csv --device replay:" + file);
  EXPECT_EQ(replayed.exit_code, 0) << replayed.err;
  EXPECT_THAT(replayed.err, HasSubstr("2 of 2 configurations"));
}

// What bench/recorded/record.sh left in the tree.
TEST_F(CliRestrict, RecordingsOfTheTreeAnswer) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(sources + "/templates"))
    if (entry.path().string().ends_with(".json.gz")) files.push_back(entry.path().string());
  EXPECT_GE(files.size(), 6u);
  for (const std::string& file : files) {
    const ProgramRun replayed = run("tune --budget 30 --strategy random --device replay:" + file);
    EXPECT_EQ(replayed.exit_code, 0) << file << ": " << replayed.err;
    EXPECT_THAT(replayed.err, HasSubstr("30 trials in")) << file;
  }
}

}  // namespace
}  // namespace warptune::tuner
