// What goes wrong outside the program: its exit code, its words, and what is kept all the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/small_template.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;
using testing::Not;

class CliInputs : public testing::Test {
 protected:
  CliInputs() { write_doubling_template(folder_); }

  ProgramRun run(const std::string& arguments) {
    return run_program(folder_, "WARPTUNE_DB=" + database() + " XDG_CACHE_HOME=" + kernel() + "/cache " +
                                    warptune_program() + " " + arguments);
  }
  std::string database() const { return (folder_.path() / "data/s.db").string(); }
  std::string kernel() const { return folder_.path().string(); }
  std::string tune() const { return "tune " + kernel() + " --device host --finals 0 "; }
  void write_manifest(const std::string& from, const std::string& to) {
    std::string text = doubling_manifest;
    folder_.write("template.toml", text.replace(text.find(from), from.size(), to));
  }

  TemporaryFolder folder_;
};

TEST_F(CliInputs, NumbersOutOfRangeAreRefusedByEveryVerb) {
  const std::string tuned = "tune x --device host ";
  for (const std::string& command : std::initializer_list<std::string>{tuned + "--compile-jobs -1",
                                                                       tuned + "--compile-jobs 3000",
                                                                       tuned + "--seed -1",
                                                                       tuned + "--lookahead -1",
                                                                       tuned + "--precision nan",
                                                                       tuned + "--race nan",
                                                                       tuned + "--race 1.05",
                                                                       tuned + "--finals -1",
                                                                       tuned + "--kernel-timeout nan",
                                                                       tuned + "--kernel-timeout inf",
                                                                       tuned + "--compile-timeout 0",
                                                                       "run x --trial 0",
                                                                       "run x --compile-timeout nan",
                                                                       "run x --kernel-timeout -1",
                                                                       "show --trial -1",
                                                                       "space x --sample -1",
                                                                       "space x --seed 1.5",
                                                                       "history --limit -1",
                                                                       "history --offset -1",
                                                                       "best --limit x",
                                                                       "gc --idle-hours -1",
                                                                       "gc --idle-hours 99999999999",
                                                                       "check --tolerance nan",
                                                                       "check --runners-up -1",
                                                                       "check --compile-jobs -1",
                                                                       "revalidate --top -1",
                                                                       "select x --kernels 0",
                                                                       "select x --candidates -1",
                                                                       "compare --spaces /dev/null --repeats 0",
                                                                       "compare --spaces /dev/null --jobs -1",
                                                                       "compare --spaces /dev/null --in-flight -1",
                                                                       "compare --spaces /dev/null --slots 0",
                                                                       "compare --spaces /dev/null --seed -1",
                                                                       "compare --spaces /dev/null --after 0",
                                                                       "compare --spaces /dev/null --after 5,x",
                                                                       "compare --spaces /dev/null --p-replicates -1"})
    EXPECT_EQ(run(command).exit_code, 2) << command;
  for (const char* option :
       {"--budget nans", "--budget 0s", "--budget target:nan", "--budget improvement:-1", "--budget idle:0",
        "--cache-limit 99999999999T", "--strategy random --strategy-option samples=9e99"})
    EXPECT_EQ(run(tune() + option).exit_code, 2) << option;
  EXPECT_EQ(run("history --db ''").exit_code, 2);
}

// A script's variable that is not set is no wish for the default, for everything or for every network address.
TEST_F(CliInputs, AnEmptyValueIsRefusedByTheOptionsName) {
  for (const auto& [command, option] :
       std::initializer_list<std::pair<std::string, std::string>>{{"serve --host ''", "--host needs a value"},
                                                                  {"check --junit ''", "--junit needs a value"},
                                                                  {"export doubling -o ''", "--output needs a value"},
                                                                  {"report -o ''", "--output needs a value"},
                                                                  {"history --device ''", "--device needs a value"},
                                                                  {"history --db ''", "--db needs a value"},
                                                                  {"merge ''", "FILE needs a value"},
                                                                  {"show ''", "SESSION needs a value"}}) {
    const ProgramRun refused = run(command);
    EXPECT_EQ(refused.exit_code, 2) << command;
    EXPECT_THAT(refused.err, HasSubstr(option)) << command;
    EXPECT_EQ(refused.out, "") << command;
  }
}

TEST_F(CliInputs, ABudgetThatMakesNoSenseIsRefusedWithWhatIsAllowed) {
  const std::string time = "a time must be above 0s and at most 8784h, as 60s, 1m30s or 1h";
  const std::string fraction = "an improvement is a fraction from 0 to 1";
  const std::string whole = "trials are a whole number, at least 1";
  for (const auto& [limit, allowed] : std::initializer_list<std::pair<std::string, std::string>>{
           {"1e99s", time},
           {"1e999h", time},
           {"0s", time},
           {"-3s", time},
           {"nanm", time},
           {"infh", time},
           {"improvement:2", fraction},
           {"improvement:-0.1", fraction},
           {"improvement:", fraction},
           {"idle:0", whole},
           {"idle:2.5", whole},
           {"0", whole},
           {"'-4 trials'", whole},
           {"1e3", whole},
           {"nan", whole},
           {"99999999999999999999", whole},
           {"target:nan", "a target is a number"},
           {"soon", "expected a time (60s, 1m30s, 1h), a number of trials"},
           {"''", "--budget needs a value"}}) {
    const ProgramRun refused = run(tune() + "--budget " + limit);
    EXPECT_EQ(refused.exit_code, 2) << limit;
    EXPECT_THAT(refused.err, HasSubstr(allowed)) << limit;
  }
  for (const char* limit : {"0.1s", "8784h", "improvement:0", "improvement:1", "'1 trial'", "idle:1", "target:-1e9"})
    EXPECT_EQ(run(tune() + "--budget 1 --budget " + limit).exit_code, 0) << limit;
}

TEST_F(CliInputs, OfTwoBudgetsOfAKindTheFirstToBeReachedCounts) {
  for (const auto& [options, told] : std::initializer_list<std::pair<std::string, std::string>>{
           {"--budget 1 --budget 5", "budget: 1 trial"},
           {"--budget 1h --budget 1 --budget 2m", "budget: 1 trial, or 2 min"},
           {"--budget 1 --budget 2m --budget 1h", "budget: 1 trial, or 2 min"},
           {"--budget 1 --budget idle:9 --budget idle:7 --budget idle:8", "or 7 trials without an improvement"},
           {"--budget 1 --budget improvement:0.2 --budget improvement:0.1", "or when less than 20 % improvement"}})
    EXPECT_THAT(run(tune() + options).err, HasSubstr(told)) << options;
  const ProgramRun targets = run(tune() + "--budget target:1 --budget target:2");  // of some objectives more is better
  EXPECT_EQ(targets.exit_code, 2);
  EXPECT_THAT(targets.err, HasSubstr("--budget target:2: there is a target already, 1; name one"));
}

TEST_F(CliInputs, AFolderOfHeadersThatIsNotThereIsRefusedByEveryVerb) {
  const std::string source = kernel() + "/kernel.cu";
  for (const std::string& line :
       {tune() + "--budget 1", "run " + kernel() + " --device host", "judge " + source + " --against " + source}) {
    const ProgramRun missing = run(line + " -I " + kernel() + "/none");
    EXPECT_EQ(missing.exit_code, 2) << line;
    EXPECT_THAT(missing.err, HasSubstr("-I: there is no folder " + kernel() + "/none; name the one that")) << line;
    const ProgramRun file = run(line + " -I " + source);
    EXPECT_EQ(file.exit_code, 2) << line;
    EXPECT_THAT(file.err, HasSubstr("kernel.cu is a file; name the folder")) << line;
  }
  EXPECT_FALSE(std::filesystem::exists(database()));  // before anything else is done
}

TEST_F(CliInputs, AFullOrClosedOutputIsAnExitCodeAndNothingIsLost) {
  int trials = 0;
  for (const char* redirection :
       {"2>/dev/full", "2>&-", ">/dev/full", ">&-", ">&- 2>&- <&-", "2>&1 >/dev/full | true"}) {
    SCOPED_TRACE(redirection);
    const bool piped = std::string(redirection).find('|') != std::string::npos;
    const ProgramRun tuned =
        run(tune() + "--budget 1 --strategy random --seed " + std::to_string(++trials) + " " + redirection);
    if (!piped) {
      EXPECT_EQ(tuned.exit_code, 1);
    }
    EXPECT_THAT(run("history --format csv").out, HasSubstr("finished," + std::to_string(trials) + ","));
  }
  EXPECT_THAT(run("history >/dev/full").err, HasSubstr("cannot write to the standard output: No space left on device"));
}

// A header that replaced /dev/null would be the administrator's last.
TEST_F(CliInputs, WhatIsNoFileIsWrittenIntoAndALinkStaysOne) {
  namespace fs = std::filesystem;
  ASSERT_EQ(run(tune() + "--budget 2 --strategy random").exit_code, 0);
  const fs::path pipe = folder_.path() / "pipe", link = folder_.path() / "link.h";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("real.h", link);
  folder_.write("real.h", "");
  for (const char* format : {"header", "csv"}) {
    const std::string command = std::string("export doubling --format ") + format + " -o ";
    const ProgramRun piped = run(command + pipe.string() + " & timeout 60 cat " + pipe.string() + "; wait $!");
    EXPECT_GT(piped.out.size(), 100u) << piped.err;
    EXPECT_TRUE(fs::is_fifo(pipe)) << format;
    EXPECT_EQ(run(command + link.string()).exit_code, 0);
    EXPECT_TRUE(fs::is_symlink(link)) << format;
    EXPECT_GT(fs::file_size(folder_.path() / "real.h"), 100u);
    const ProgramRun full = run(command + "/dev/full");
    EXPECT_NE(full.exit_code, 0);
    EXPECT_THAT(full.err, HasSubstr("cannot write /dev/full: No space left on device"));
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
  }
}

TEST_F(CliInputs, AFileThatCannotBeWrittenIsOneExitCodeAndSaysWhatToDo) {
  ASSERT_EQ(run(tune() + "--budget 1").exit_code, 0);
  for (const char* verb : {"export doubling", "export doubling --format csv", "export --format warptune-json",
                           "export doubling --format t4", "report", "check --device host --junit"}) {
    const std::string line = verb + std::string(std::string(verb).ends_with("--junit") ? " " : " -o ");
    const ProgramRun folder = run(line + kernel());
    EXPECT_EQ(folder.exit_code, 1) << line;
    EXPECT_THAT(folder.err, HasSubstr("cannot write " + kernel() + ": Is a directory; name a file in")) << line;
    const ProgramRun nowhere = run(line + "/proc/none/file");
    EXPECT_EQ(nowhere.exit_code, 1) << line;
    EXPECT_THAT(nowhere.err, HasSubstr("the folder /proc/none is not there and could not be made; name another"))
        << line;
    run(line + kernel() + "/none/file");
    EXPECT_EQ(std::filesystem::remove_all(kernel() + "/none"), 2u) << line;
  }
}

TEST_F(CliInputs, WithoutAHomeNothingIsKeptOnRequest) {
  const std::string homeless = "env -u HOME -u XDG_CACHE_HOME -u XDG_RUNTIME_DIR " + warptune_program() + " ";
  const std::string tuned = homeless + "tune " + kernel() + " --device host --budget 1 --db " + kernel() + "/s.db";
  const ProgramRun refused = run_program(folder_, tuned);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("HOME is not set; set it, or name a folder in XDG_CACHE_HOME, or keep none with "
                                     "--no-cache"));
  const ProgramRun done = run_program(folder_, tuned + " --no-cache");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("the one trial is done"));
}

TEST_F(CliInputs, AnOpenClSourceIsToldApartFromAManifest) {
  folder_.write("k.cl", "__kernel void k(__global float* x) { x[get_global_id(0)] = 1; }");
  for (const char* verb : {"tune ", "run ", "space ", "init --force "}) {
    const ProgramRun refused = run(verb + kernel() + "/k.cl");
    EXPECT_EQ(refused.exit_code, 3) << verb;
    EXPECT_THAT(refused.err, HasSubstr("k.cl: its kernels are OpenCL's; Warptune tunes those of CUDA. Write it as"));
  }
}

TEST_F(CliInputs, AClosedTerminalEndsASessionAsCtrlCDoes) {
  const ProgramRun ended = run(tune() + "--budget 10m --strategy exhaustive & pid=$!; until grep -q done " + kernel() +
                               "/stderr; do sleep 0.1; done; kill -HUP $pid; wait $pid");
  EXPECT_EQ(ended.exit_code, 130) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("Winner"));
  EXPECT_THAT(run("history --format csv").out, HasSubstr("interrupted,"));
}

TEST_F(CliInputs, AStoreThatIsDeletedDuringASessionIsAnError) {
  const ProgramRun ended = run(tune() + "--budget 10m --strategy exhaustive & pid=$!; until grep -q done " + kernel() +
                               "/stderr; do sleep 0.1; done; rm -r " + kernel() + "/data; wait $pid");
  EXPECT_EQ(ended.exit_code, 5);
  EXPECT_THAT(ended.err, HasSubstr("was deleted or moved while it was in use"));
  EXPECT_THAT(ended.out, HasSubstr("Winner"));
}

TEST_F(CliInputs, DataThatCannotBeUsedIsTheTemplatesError) {
  write_manifest("fill = { uniform = [1, 2], seed = 3 }", "fill = { npy = \"in.npy\" }");
  folder_.write("in.npy", "no numbers");
  const ProgramRun npy = run(tune() + "--budget 1");
  EXPECT_EQ(npy.exit_code, 3);
  EXPECT_THAT(npy.err, HasSubstr("in.npy is no .npy file"));
  write_manifest("n = 1000", "n = { matrix_market = \"a.mtx\", count = \"rows\" }");
  folder_.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n-1 2 1\n");
  EXPECT_EQ(run(tune() + "--budget 1").exit_code, 3);
  write_manifest("values = [32, 64, 128]", "values = [64, nan]");
  EXPECT_EQ(run(tune() + "--budget 1").exit_code, 3);
  EXPECT_EQ(run("space " + kernel() + " --device host").exit_code, 3);
}

TEST_F(CliInputs, RecordingsThatCannotBeUsedAreTheRequestsError) {
  const std::string twice =
      R"({"kernel_name": "k", "tune_params_keys": ["A", "A"], "tune_params": {"A": [1]}, "cache": {"1": {"A": 1, "time": 1}}})";
  const auto recording = folder_.write("twice.json", twice).string();
  ASSERT_EQ(mkfifo((kernel() + "/pipe").c_str(), 0600), 0);
  for (const std::string& file :
       {recording, kernel() + "/pipe", std::string("/dev/zero"), kernel() + "/template.toml"}) {
    const ProgramRun tuned = run("tune --budget 1 --device replay:" + file);
    EXPECT_EQ(tuned.exit_code, 3) << file << tuned.err;
  }
  EXPECT_EQ(run("compare --spaces " + recording + " --strategies random").exit_code, 3);
}

TEST_F(CliInputs, ADamagedStoreIsTheStoresError) {
  run(tune() + "--budget 1");
  std::fstream(database(), std::ios::in | std::ios::out | std::ios::binary).seekp(4096) << std::string(20'000, 'x');
  const ProgramRun shown = run("history");
  EXPECT_EQ(shown.exit_code, 5) << shown.err;
}

TEST_F(CliInputs, TerminalEscapesOfKernelsAreShownAndNotObeyed) {
  folder_.write("kernel.cu", "#error \x1b]0;owned\x07 \x9b 2J\n");
  const ProgramRun tuned = run(tune() + "--budget 1");
  EXPECT_EQ(tuned.exit_code, 6);
  for (const std::string& text : {tuned.out, tuned.err, run("show 1").out, run("show 1 --format json").out}) {
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, Not(HasSubstr("\x07")));
  }
  EXPECT_EQ(run("export doubling --format warptune-json --session 1").exit_code, 0);
}

TEST_F(CliInputs, AnObjectiveWithoutAValueIsToldBeforeTheSearch) {
  write_manifest("[metrics]",
                 "[metrics]\nrate = { value = \"n / (n - 1001)\" }\nshare = { value = \"n / memory_bandwidth_gbs\" }");
  const ProgramRun rate = run(tune() + "--objective rate --size n=1001");
  EXPECT_EQ(rate.exit_code, 3);
  EXPECT_THAT(rate.err, HasSubstr("the objective rate has no value for n=1001 on host"));
  EXPECT_THAT(run(tune() + "--objective share").err, HasSubstr("memory's bandwidth, and that of host is not known"));
  const std::string one = "run " + kernel() + " --device host --size n=1001";
  EXPECT_THAT(run(one).err,
              testing::AllOf(HasSubstr("note: the metric rate has no value here"), Not(HasSubstr("share"))));
}

}  // namespace
}  // namespace warptune::tuner
