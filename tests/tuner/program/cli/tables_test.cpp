// What people see: lines that fit their terminal, counts that add up, and what a trial launched. On the host backend.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/small_template.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CliTables : public testing::Test {
 protected:
  CliTables() { write_doubling_template(folder_); }

  ProgramRun run(const std::string& arguments, const std::string& environment = "") {
    return run_program(folder_, environment + " WARPTUNE_DB=" + path("s.db") + " XDG_CACHE_HOME=" + path("cache") +
                                    " " + warptune_program() + " " + arguments);
  }
  ProgramRun tune(const std::string& more, const std::string& environment = "") {
    return run("tune " + folder_.path().string() + " --device host --strategy exhaustive --finals 0 " + more,
               environment);
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  void write_manifest(const std::string& from, const std::string& to) {
    std::string text = doubling_manifest;
    write_doubling_template(folder_, text.replace(text.find(from), from.size(), to));
  }

  TemporaryFolder folder_;
};

// In characters: of "µ" and "±" one byte of two counts.
std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);)
    longest = std::max(longest, static_cast<std::size_t>(std::count_if(line.begin(), line.end(),
                                                                       [](char c) { return (c & 0xc0) != 0x80; })));
  return longest;
}

TEST_F(CliTables, FitTheColumnsOfTheTerminalAndKeepWholeLinesInAPipe) {
  const ProgramRun tuned = tune("--budget 3", "COLUMNS=80");
  EXPECT_LE(longest_line(tuned.out), 80u) << tuned.out;
  folder_.write("kernel.cu", std::string(doubling_kernel) + "// changed\n");
  tune("--budget 1 --name another_source");
  const std::vector<std::string> verbs = {
      "best",          "history",  "show 1",   "show --trial 1",
      "strategies",    "diff 1 1", "diff 1 2", "space " + folder_.path().string() + " --device host",
      "check doubling"};
  for (const std::string& verb : verbs)
    for (const std::size_t columns : {80, 120}) {
      const ProgramRun shown = run(verb, "COLUMNS=" + std::to_string(columns));
      EXPECT_FALSE(shown.out.empty()) << verb << shown.err;
      EXPECT_LE(longest_line(shown.out), columns) << verb << '\n' << shown.out;
    }

  for (const char* verb : {"diff 1 2", "show 1"})
    EXPECT_LE(longest_line(run(verb, "COLUMNS=60").out), 60u) << verb << '\n' << run(verb, "COLUMNS=60").out;
  for (const char* verb : {"best", "history", "check doubling", "strategies"})
    for (const std::size_t columns : {30, 40, 50})
      EXPECT_LE(longest_line(run(verb, "COLUMNS=" + std::to_string(columns)).out), columns) << verb;
  const std::string narrow = run("history", "COLUMNS=70").out, piped = run("history").out;
  EXPECT_THAT(piped, AllOf(HasSubstr("STRATEGY"), HasSubstr("STARTED"), HasSubstr("exhaustive")));
  EXPECT_THAT(narrow.substr(0, narrow.find('\n')), Not(HasSubstr("STRATEGY")));
  EXPECT_THAT(narrow, HasSubstr("\nNot shown, for want of room: "));
  EXPECT_THAT(piped, Not(HasSubstr("Not shown")));
  EXPECT_EQ(run("history --format csv", "COLUMNS=70").out, run("history --format csv").out);
}

TEST_F(CliTables, ATerminalWithoutUnicodeGetsAscii) {
  tune("--budget 2");
  if (run_program(folder_, "command -v script").exit_code != 0) GTEST_SKIP() << "there is no script(1)";
  const auto on_terminal = [&](const std::string& locale) {
    return run_program(folder_, locale + " TERM=xterm COLUMNS=200 WARPTUNE_DB=" + path("s.db") + " script -qec '" +
                                    warptune_program() + " best' /dev/null")
        .out;
  };
  const std::string plain = on_terminal("LC_ALL=C LANG=en_US.UTF-8"), whole = on_terminal("LC_ALL=C.UTF-8");
  EXPECT_THAT(plain, HasSubstr("+-"));
  EXPECT_TRUE(std::ranges::all_of(plain, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) << plain;
  EXPECT_THAT(whole, HasSubstr("\u00b1"));
}

TEST_F(CliTables, ATimeMayHaveSeveralUnits) {
  const std::string space = "tune " + folder_.path().string() + " --device host --finals 0 --budget ";
  for (const char* time : {"1h1m30s", "60500ms", "1d"})
    EXPECT_EQ(run(space + time + " --budget 1").exit_code, 0) << time;
  EXPECT_THAT(run(space + "1m30s --budget 1").err, HasSubstr("90"));
  for (const char* time : {"30s1m", "1m1m", "1x", "m", "1m-5s"})
    EXPECT_EQ(run(space + time).exit_code, 2) << time << run(space + time).err;
  EXPECT_THAT(run("work --idle-exit 3parsecs").err, HasSubstr("'3parsecs' is no time"));
  // What is well said goes on to the store, which is a file.
  for (const char* time : {"3", "3s", "1m30s", "0"})
    EXPECT_THAT(run(std::string("work --device host --idle-exit ") + time).err, Not(HasSubstr("is no time"))) << time;
}

TEST_F(CliTables, ATemporaryFolderThatCannotBeUsedIsSaidToBeIgnored) {
  const std::string said = "TMPDIR=/nonexistent is ignored (there is no such folder): temporary files are in /tmp";
  const ProgramRun tuned = tune("--budget 1", "TMPDIR=/nonexistent");
  EXPECT_EQ(tuned.exit_code, 0);
  EXPECT_THAT(tuned.err, HasSubstr("note: " + said));
  EXPECT_THAT(run("doctor --format csv", "TMPDIR=/nonexistent").out, HasSubstr(said));
  EXPECT_THAT(tune("--budget 1", "TMPDIR=" + folder_.path().string()).err, Not(HasSubstr("TMPDIR")));
}

// Of the modes one does not compile.
TEST_F(CliTables, CompileCountsAddUpToTheTrials) {
  write_manifest("values = [32, 64, 128]", "values = [64]");
  const std::string first =
      run("tune " + folder_.path().string() + " --device host --strategy exhaustive --finals 4 --restrict 'EACH == 1'")
          .err;
  EXPECT_THAT(first, HasSubstr("5 trials in")) << first;
  EXPECT_THAT(first, HasSubstr("4 compiled, 0 from the cache, 1 failed to compile"));
}

TEST_F(CliTables, ATrialShowsItsLaunches) {
  tune("--budget 2 --restrict 'BLOCK == 64 and EACH == 1'");
  const std::string launches = "doubling: grid 16, block 64, no dynamic shared memory";
  EXPECT_THAT(run("show --trial 1").out, HasSubstr(launches));
  EXPECT_THAT(run("run " + folder_.path().string() + " --device host").out, HasSubstr(launches));
  write_manifest("BLOCK * EACH)", "BLOCK * EACH * 2)");
  EXPECT_THAT(run("show --trial 1").out, HasSubstr("the template's manifest has changed since"));
}

TEST_F(CliTables, ASpaceShowsDefaultsAndWhatParametersAreAbout) {
  write_manifest("default = 64", "default = 64\nabout = \"threads per block\"");
  const std::string space = "space " + folder_.path().string() + " --device host";
  EXPECT_THAT(run(space).out, testing::ContainsRegex("BLOCK +64 +3 +3 +32 64 128 +threads per block"));
  EXPECT_THAT(run(space + " --format json").out, HasSubstr("\"about\": \"threads per block\""));
}

TEST_F(CliTables, ASpaceIsOfTheSizesThatTuneTakes) {
  write_manifest("[parameters.BLOCK]", "[presets]\nhost = { n = 77 }\n[parameters.BLOCK]");
  EXPECT_THAT(run("space " + folder_.path().string() + " --device host").err, HasSubstr("doubling for n=77 on host"));
  EXPECT_THAT(tune("--budget '1 trial'").err, AllOf(HasSubstr("doubling for n=77 on host"), HasSubstr("1 trial in")));
}

TEST_F(CliTables, ABudgetThatIsNoneIsRefused) {
  EXPECT_EQ(tune("--budget '0 trials'").exit_code, 2);
  EXPECT_EQ(tune("--budget '5 trails'").exit_code, 2);
}

// Told before the session: nothing is compiled for them.
TEST_F(CliTables, MistakesInTheManifestAreToldBeforeTheRun) {
  write_manifest("kernel = \"doubling\"", "kernel = \"dubling\"");
  const ProgramRun missing = tune("--budget 1");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.err,
              AllOf(HasSubstr("template.toml: launches[0].kernel: "),
                    HasSubstr("kernel.cu has no kernel 'dubling' (did you mean doubling?); it has doubling")));
  write_manifest("shared = \"MODE == 'greedy' and 300000 or 0\"", "");
  folder_.write("kernel.cu",
                std::string(doubling_kernel) + "__device__ void f() {\n  extern __shared__ float s[];\n}\n");
  const ProgramRun shared = tune("--budget 1");
  EXPECT_EQ(shared.exit_code, 3);
  EXPECT_THAT(shared.err, HasSubstr("extern __shared__ memory has as many bytes as its launch says"));
}

}  // namespace
}  // namespace warptune::tuner
