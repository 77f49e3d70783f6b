// The program as users and scripts see it: words, exit codes, files. On the host backend.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/small_template.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Cli : public testing::Test {
 protected:
  Cli() { write_doubling_template(folder_); }

  ProgramRun run(const std::string& arguments, const std::string& before = "") {
    return run_program(folder_, before + " WARPTUNE_DB=" + database() + " XDG_CACHE_HOME=" + folder_.path().string() +
                                    "/cache " + warptune_program() + " " + arguments);
  }
  std::string database() const { return (folder_.path() / "data/s.db").string(); }
  std::string kernel() const { return folder_.path().string(); }
  ProgramRun tune(const std::string& more) { return run("tune " + kernel() + " --device host " + more); }

  TemporaryFolder folder_;
};

TEST_F(Cli, TunesShowsAndExports) {
  const ProgramRun tuned = tune("--budget 6 --strategy random --seed 2");
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, HasSubstr("Winner    "));
  EXPECT_THAT(tuned.out, HasSubstr("Speed-up  "));
  EXPECT_THAT(tuned.err, AllOf(HasSubstr("budget: 6 trials\n"), HasSubstr("6 trials in"), HasSubstr("(set-up ")));

  const ProgramRun best = run("best doubling --format csv");
  EXPECT_THAT(best.out, HasSubstr("doubling,"));
  EXPECT_THAT(best.out, HasSubstr("n=1000"));
  EXPECT_EQ(run("best " + kernel() + " --format csv").out, best.out);  // by its path, as tune takes it
  EXPECT_THAT(run("history --format json").out, HasSubstr("\"trials\": 6"));
  EXPECT_THAT(run("show 1").out, HasSubstr("correct"));

  const auto header = folder_.path() / "tuned.h";
  EXPECT_EQ(run("export doubling -o " + header.string()).exit_code, 0);
  const ProgramRun compiled =
      run_program(folder_,
                  "echo '#include \"tuned.h\"\nint main() { return "
                  "warptune_tuned::doubling::configuration_for(\"\", 0, {1000}).BLOCK >= 32 ? 0 : 1; }' > " +
                      kernel() + "/main.cpp && c++ -std=c++17 -Wall -Werror -o " + kernel() + "/main " + kernel() +
                      "/main.cpp && " + kernel() + "/main");
  EXPECT_EQ(compiled.exit_code, 0) << compiled.err;
  EXPECT_THAT(run("export doubling --format json").out, HasSubstr("\"schema\": \"warptune/2\""));
}

TEST_F(Cli, EndsABrokenTemplateEarlyWithTheCompilersReasonInTheUsersLine) {
  std::string kernel = doubling_kernel;
  kernel += "static int broken_line() { return not_declared; }\n";
  folder_.write("kernel.cu", kernel);
  const auto line = std::to_string(std::ranges::count(kernel, '\n'));
  const ProgramRun tuned = tune("--budget 60 --strategy random --no-cache");
  EXPECT_EQ(tuned.exit_code, 6) << tuned.err;
  EXPECT_THAT(tuned.err, HasSubstr("The default configuration failed (compile_error): "));
  EXPECT_THAT(tuned.err, HasSubstr("kernel.cu:" + line + ": "));
  EXPECT_THAT(tuned.err, AllOf(HasSubstr("not_declared"), HasSubstr("20 configurations in a row failed"),
                               HasSubstr("--keep-going"), Not(HasSubstr("warptune/"))));
  EXPECT_THAT(tune("--budget 22 --strategy random --keep-going").err, HasSubstr("all 22 trials are done"));
  // In a compiler's log the reason is not the first line, which says in which function it is.
  EXPECT_THAT(run("explain").out, HasSubstr("ended as compile_error, as with: doubling/kernel.cu:"));
  EXPECT_THAT(run("show 1").out, AllOf(HasSubstr("kernel.cu:" + line + ": "), Not(HasSubstr("In function"))));
  EXPECT_THAT(run("show --trial 1").out, AllOf(HasSubstr("\nmessage "), Not(HasSubstr(" \n"))));
}

TEST_F(Cli, SaysHowAHeaderIsFoundThatTheCompilerHasNotFound) {
  folder_.write("kernel.cu", std::string("#include \"helper.h\"\n") + doubling_kernel);
  const auto said = HasSubstr("next: add -I FOLDER, the folder that has helper.h");
  EXPECT_THAT(run("run " + folder_.path().string() + " --device host").err, said);
  EXPECT_THAT(tune("--budget 1 --strategy random").err, said);
  folder_.write("kernel.cu", std::string("#include <cuda/barrier>\n") + doubling_kernel);
  const ProgramRun lacking = run("run " + folder_.path().string() + " --device host");
  EXPECT_THAT(lacking.out, HasSubstr("the host backend has no <cuda/...>"));
  EXPECT_THAT(lacking.err, Not(HasSubstr("add -I FOLDER")));
  folder_.write("kernel.cu", std::string("#include \"helper.h\"\n") + doubling_kernel);
  std::filesystem::create_directory(folder_.path() / "common");
  folder_.write("common/helper.h", "");
  const std::string folder = folder_.path().string();
  const ProgramRun found = run("run " + folder + " --device host -I " + folder + "/common");
  EXPECT_EQ(found.exit_code, 0) << found.err;
}

TEST_F(Cli, AnOutputThatIsOpenAlreadyIsAppendedTo) {
  tune("--budget 1 --strategy random --finals 0");
  const std::string log = (folder_.path() / "log").string();
  EXPECT_EQ(run("export doubling -o /dev/stdout >> " + log, "echo before > " + log + ";").exit_code, 0);
  EXPECT_EQ(run("export doubling --format json -o /dev/fd/3 3>> " + log).exit_code, 0);
  std::stringstream text;
  text << std::ifstream(log).rdbuf();
  EXPECT_THAT(text.str(), AllOf(testing::StartsWith("before\n"), HasSubstr("namespace doubling"),
                                HasSubstr("\"schema\": \"warptune/2\"")));
  EXPECT_THAT(run("export doubling -o /dev/stdout | true").err, Not(HasSubstr("error")));
}

TEST_F(Cli, ATemplateIsRememberedByItsShortestName) {
  run("tune " + kernel() + "/./ --device host --budget 1 --strategy random --finals 0");
  EXPECT_THAT(run("show 1").out, HasSubstr("template        " + kernel() + "/template.toml\n"));
}

TEST_F(Cli, ExportsSeveralSizesAndTheSameFromAWisdomFile) {
  tune("--budget 2 --strategy random");
  tune("--budget 2 --strategy random --size n=5000");
  const auto wisdom = folder_.path() / "doubling.wisdom.json";
  EXPECT_EQ(run("export doubling --format wisdom -o " + wisdom.string()).exit_code, 0);
  const std::string header = run("export doubling").out;
  EXPECT_THAT(header, HasSubstr("entry_count = 2;"));
  EXPECT_EQ(run("export --from " + wisdom.string()).out, header);
  const ProgramRun macros = run("export --format defines --from " + wisdom.string());
  EXPECT_THAT(macros.out, HasSubstr("#define BLOCK "));
  EXPECT_THAT(macros.err, HasSubstr("2 entries: where host code launches with these macros, choose one with -D "
                                    "WARPTUNE_DOUBLING_ENTRY=1 to 2"));
  EXPECT_EQ(run("export --from " + wisdom.string() + " --format t4").exit_code, 2);
  EXPECT_EQ(run("export other --from " + wisdom.string()).exit_code, 3);
  EXPECT_EQ(run("export --from " + kernel() + "/template.toml").exit_code, 3);
}

TEST_F(Cli, TunesOnACallThatAnApplicationRecorded) {
  const auto capture = folder_.write(
      "call.json", R"json({"schema": "warptune-capture/1", "kernel": "doubling", "sizes": {"n": 321}})json");
  const ProgramRun tuned = tune("--budget 1 --capture " + capture.string());
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_THAT(tuned.err, HasSubstr("tuning doubling for n=321"));
  EXPECT_EQ(tune("--capture " + capture.string() + " --size n=5").exit_code, 3);
  EXPECT_EQ(tune("--capture " + kernel() + "/template.toml").exit_code, 3);
}

TEST_F(Cli, RunsTheDefaultConfigurationAndRefusesWhatTheTemplateDoesNotKnow) {
  const ProgramRun plain = run("run " + kernel() + " --device host");
  EXPECT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_THAT(plain.out, HasSubstr("correct"));
  const ProgramRun refused = run("run " + kernel() + " --device host --configuration NOSUCH=3");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("NOSUCH is no parameter"));
  const ProgramRun outside = run("run " + kernel() + " --device host --configuration BLOCK=128,EACH=16");
  EXPECT_EQ(outside.exit_code, 3);
  EXPECT_THAT(outside.err, HasSubstr("EACH=16 is outside the domain of EACH"));
  EXPECT_THAT(run("run " + kernel() + " --device host --param ''").err, HasSubstr("--param needs a value"));
  std::string narrow = doubling_manifest;
  narrow.replace(narrow.find("<= 1024"), 7, "<= 512");
  write_doubling_template(folder_, narrow);
  const ProgramRun forbidden = run("run " + kernel() + " --device host --configuration BLOCK=128,EACH=8");
  EXPECT_EQ(forbidden.exit_code, 3);
  EXPECT_THAT(forbidden.err, HasSubstr("BLOCK * EACH <= 512"));
}

TEST_F(Cli, AnInterruptEndsWithTheBestSoFarAndCode130) {
  const std::string log = kernel() + "/log";
  const ProgramRun run = run_program(
      folder_, "WARPTUNE_DB=" + database() + " XDG_CACHE_HOME=" + kernel() + "/cache " + warptune_program() + " tune " +
                   kernel() + " --device host --strategy random --precision 1e-6 2>" + log +
                   " & pid=$!; until grep -q best " + log +
                   "; do sleep 0.02; done; kill -INT $pid; wait $pid; code=$?; cat " + log + " >&2; exit $code");
  EXPECT_EQ(run.exit_code, 130) << run.err;
  EXPECT_THAT(run.out, HasSubstr("Winner"));
  EXPECT_THAT(run.err, HasSubstr(": interrupted"));
  EXPECT_THAT(this->run("history --format csv").out, HasSubstr(",interrupted,"));
}

TEST_F(Cli, SaysWhatIsWrongWithARequest) {
  EXPECT_EQ(run("tune").exit_code, 2);
  EXPECT_EQ(tune("--nonsense").exit_code, 2);
  EXPECT_EQ(tune("--budget soon").exit_code, 2);
  EXPECT_THAT(tune("--strategy magic").err, HasSubstr("there is no strategy 'magic'; there are"));
  EXPECT_THAT(tune("--objective GFLOPS").err,
              HasSubstr("no metric 'GFLOPS'; expected one of time, joules, max_error, rms_error, GB/s"));
  const ProgramRun unknown = tune("--size m=3");
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("doubling has no problem size 'm'; it has n"));
  EXPECT_EQ(tune("--size n=0").exit_code, 3);
  EXPECT_THAT(tune("--size n=0").err, HasSubstr("expected a positive integer"));
  const ProgramRun missing = run("tune no-such-template");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.err, HasSubstr("there is no template 'no-such-template'. Looked for"));
  const ProgramRun device = run("tune " + kernel() + " --device cuda:99");
  EXPECT_EQ(device.exit_code, 4);
  EXPECT_THAT(device.err, HasSubstr("there is no device 'cuda:99'. There are: "));
}

TEST_F(Cli, ALimitOfTheCacheDoesNotWrap) {
  for (const std::string limit : {"99999999999999999999G", "18446744073709551615k", "17179869185G", "-1", "1X"}) {
    const ProgramRun refused = run("tune " + folder_.path().string() + " --device host --cache-limit=" + limit);
    EXPECT_EQ(refused.exit_code, 2) << limit;
    EXPECT_THAT(refused.err, HasSubstr(limit));
  }
}

TEST_F(Cli, ASizeTooLargeForTheMemoryIsRefused) {
  const ProgramRun huge = tune("--size n=60G");
  EXPECT_EQ(huge.exit_code, 3);
  EXPECT_THAT(huge.err, Not(HasSubstr("trials in")));
}

TEST_F(Cli, ACorruptStoreIsLeftAloneAndSaid) {
  folder_.write("data/s.db",
                "this is no database, and long enough to be read as the header of one ....................");
  const ProgramRun corrupt = tune("--budget 1");
  EXPECT_EQ(corrupt.exit_code, 5);
  EXPECT_THAT(corrupt.err, HasSubstr("s.db"));
  std::ifstream stream(database());
  std::string content((std::istreambuf_iterator<char>(stream)), {});
  EXPECT_THAT(content, HasSubstr("this is no database"));
}

TEST_F(Cli, AStoreThatCannotBeMadeIsSaid) {
  const ProgramRun run = run_program(
      folder_, "WARPTUNE_DB=/proc/no/s.db " + warptune_program() + " tune " + kernel() + " --device host --budget 1");
  EXPECT_EQ(run.exit_code, 5);
  EXPECT_THAT(run.err, HasSubstr("/proc/no"));
}

TEST_F(Cli, SaysThatACacheThatCannotBeWrittenKeepsNothing) {
  const std::string tune = "WARPTUNE_DB=" + database() + " XDG_CACHE_HOME=/proc/no " + warptune_program() + " tune " +
                           kernel() + " --device host --budget 1";
  const ProgramRun run = run_program(folder_, tune);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("note: compiled configurations are not kept, for /proc/no/warptune cannot be used ("));
  EXPECT_THAT(run_program(folder_, tune + " --no-cache").err, Not(HasSubstr("not kept")));
}

TEST_F(Cli, AFullDiskEndsTheSessionWithWhatWasMeasured) {
  // A limit on file size stands for the full disk; the store's first tables fit, many trials do not.
  const ProgramRun full =
      run_program(folder_, "ulimit -f 200; export WARPTUNE_DB=" + database() + "; " + warptune_program() + " tune " +
                               kernel() + " --device host --strategy exhaustive");
  if (full.exit_code == 0) GTEST_SKIP() << "the whole session fitted in the limit";
  EXPECT_EQ(full.exit_code, 5) << full.err;
  const ProgramRun again = tune("--budget 1 --strategy exhaustive");
  EXPECT_EQ(again.exit_code, 0) << again.err;
}

TEST_F(Cli, NothingTunedYetIsNoError) {
  EXPECT_THAT(run("history").err, HasSubstr("nothing has been tuned yet"));
  EXPECT_EQ(run("best").exit_code, 6);
}

TEST_F(Cli, AMissingSourceIsNamedAsAFileAndNotAsATemplate) {
  const ProgramRun missing = run("tune no-such-kernel.cu --device host");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.err, HasSubstr("cannot read no-such-kernel.cu: No such file or directory"));
}

TEST_F(Cli, ShowsASpaceAndItsSamples) {
  const ProgramRun space = run("space " + kernel() + " --device host");
  EXPECT_THAT(space.out, HasSubstr("Valid      60"));
  EXPECT_THAT(space.out, AllOf(HasSubstr("other constraints reject nothing\n"), Not(HasSubstr("max_grid_y"))));
  EXPECT_THAT(run("space " + kernel() + " --device host --sample 3 --format csv").out,
              HasSubstr("BLOCK,EACH,MODE\r\n"));
  const auto file = folder_.write(
      "s.json", R"json({"parameters": {"a": [1, 2], "b": [1, 2]}, "constraints": ["a > b", "b > a"]})json");
  const ProgramRun empty = run("space " + file.string());
  EXPECT_EQ(empty.exit_code, 3);
  EXPECT_THAT(empty.out, HasSubstr("These contradict each other:\n  a > b\n  b > a"));
  const auto alone = folder_.write("t.json", R"json({"parameters": {"a": [1, 2]}, "constraints": ["a > 7"]})json");
  EXPECT_THAT(run("space " + alone.string()).out,
              HasSubstr("The space is empty. No configuration satisfies a > 7; a has the values 1, 2\n"));
}

TEST_F(Cli, FinalsAreToldAndKept) {
  const ProgramRun tuned = tune("--budget 12 --strategy exhaustive --race 0 --precision 0.2 --finals 3");
  EXPECT_THAT(tuned.out, HasSubstr("Finals    "));
  EXPECT_THAT(tuned.out, HasSubstr("VISITS"));
  EXPECT_THAT(run("best --format csv").out, HasSubstr("ahead_by,ties"));
  EXPECT_THAT(tune("--budget 2 --finals 0").out, Not(HasSubstr("Finals")));
  EXPECT_EQ(tune("--race 0.5").exit_code, 2);
}

// Whatever this machine makes of the times: what is shown, stored and exported is one winner, and rank 1 is it.
TEST_F(Cli, AShortSecondRunLeavesOneWinnerWhoseErrorIsKnown) {
  tune("--budget 12 --strategy exhaustive --race 0 --precision 0.2 --finals 3");
  for (const char* again : {"--budget 1 --finals 0", "--budget 14"}) {
    SCOPED_TRACE(again);
    const auto tuned = nlohmann::json::parse(tune(std::string(again) + " --format json").out);
    const auto best = nlohmann::json::parse(run("best --format json").out)["winners"][0];
    EXPECT_EQ(tuned["winner"]["configuration"], best["configuration"]);
    EXPECT_EQ(tuned["best"][0]["configuration"], best["configuration"]);
    EXPECT_TRUE(best["relative_error"].is_number()) << best;
    const auto exported = nlohmann::json::parse(run("export doubling --format json").out)["winners"][0];
    EXPECT_EQ(exported["configuration"], best["configuration"]);
  }
}

TEST_F(Cli, KeepsWordsAndDataApart) {
  const ProgramRun devices = run("devices --format json");
  EXPECT_EQ(devices.out.front(), '{');
  EXPECT_EQ(tune("--budget 2 --format json").out.front(), '{');
}

}  // namespace
}  // namespace warptune::tuner
