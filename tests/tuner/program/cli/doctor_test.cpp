// `warptune doctor` and `--version` on machines that lack something, and the commit that a build remembers.
#include "tests/support/places.h"
#include "tests/tuner/program/cli/tuned_store.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

// No GPU, so that these hold on every machine.
constexpr const char* hidden = "CUDA_VISIBLE_DEVICES=-1 ";

class CliDoctor : public TunedStore {};

TEST_F(CliDoctor, SaysThatTheHostCanTuneAndSucceeds) {
  const ProgramRun run = CliDoctor::run("doctor", hidden);
  EXPECT_EQ(run.exit_code, 0) << run.out;
  EXPECT_THAT(run.out,
              AllOf(StartsWith("warptune "), HasSubstr("\nhost\n  ok       compiler"), HasSubstr(", right\n")));
  EXPECT_THAT(run.err, HasSubstr("Tuning is possible on host"));
}

TEST_F(CliDoctor, WithoutACompilerSaysHowToInstallOneAndFails) {
  const ProgramRun run = CliDoctor::run("doctor --format csv", std::string(hidden) + "CXX=/nonexistent");
  EXPECT_EQ(run.exit_code, 4) << run.out;
  EXPECT_THAT(run.out, AllOf(HasSubstr("host,compiler,error,"), HasSubstr("/nonexistent"), HasSubstr("g++, or name")));
}

TEST_F(CliDoctor, WithoutAPlaceForTheStoreFails) {
  const std::string nowhere =
      "env -u XDG_DATA_HOME -u XDG_CACHE_HOME -u WARPTUNE_DB HOME=/proc/none " + warptune_program();
  const ProgramRun run = run_program(folder_, "CUDA_VISIBLE_DEVICES=-1 " + nowhere + " doctor --format json");
  EXPECT_EQ(run.exit_code, 5) << run.out;
  EXPECT_THAT(run.out, AllOf(HasSubstr("\"check\": \"store\",\n      \"status\": \"error\""),
                             HasSubstr("/proc/none/.local/share/warptune/warptune.db"),
                             HasSubstr("\"check\": \"HOME\",\n      \"status\": \"warning\"")));
}

TEST_F(CliDoctor, ColoursItsWordsOnATerminal) {
  if (run_program(folder_, "command -v script").exit_code != 0) GTEST_SKIP() << "there is no script(1)";
  const ProgramRun run = run_program(folder_, std::string("env -u NO_COLOR ") + hidden + "WARPTUNE_DB=" + path("s.db") +
                                                  " script -qec '" + warptune_program() + " doctor' /dev/null");
  EXPECT_THAT(run.out, AllOf(HasSubstr("\033[32mok       \033[0m"), Not(HasSubstr("\\x1b"))));
}

TEST_F(CliDoctor, VersionSaysWhatItIsAndNeedsNothing) {
  const ProgramRun run = run_program(folder_, "env -i CXX=/nonexistent " + warptune_program() + " --version");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const std::string first = run.out.substr(0, run.out.find('\n'));
  EXPECT_THAT(first, MatchesRegex("warptune [0-9]+\\.[0-9]+\\.[0-9]+ \\(commit .+\\)"));
  EXPECT_THAT(run.out, AllOf(HasSubstr("\nbuilt by  "), HasSubstr("\ncuda      "), HasSubstr("SQLite 3."),
                             HasSubstr("\nhost      "), HasSubstr("/nonexistent")));
}

// The script that every build runs.
class CommitScript : public TunedStore {
 protected:
  std::string commit_of(const std::string& folder) {
    const ProgramRun run =
        run_program(folder_, "cmake -D SOURCE=" + folder + " -D OUTPUT=" + path("commit.cpp") + " -P " +
                                 source_folder() + "/tuner/program/cli/commit.cmake && cat " + path("commit.cpp"));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.out;
  }
  void git(const std::string& arguments) {
    const ProgramRun run =
        run_program(folder_, "git -C " + path("repository") + " -c user.name=a -c user.email=b " + arguments);
    EXPECT_EQ(run.exit_code, 0) << run.err;
  }
};

TEST_F(CommitScript, NamesTheCommitAndSaysWhetherThereAreChanges) {
  if (run_program(folder_, "git --version").exit_code != 0) GTEST_SKIP() << "git is not installed";
  folder_.write("repository/sources/file", "one");
  git("init -q");
  git("add -A");
  git("commit -q -m first");
  EXPECT_THAT(commit_of(path("repository")),
              AllOf(HasSubstr("\"commit "), Not(HasSubstr("unknown")), Not(HasSubstr("changes"))));
  folder_.write("repository/sources/file", "two");
  EXPECT_THAT(commit_of(path("repository")), HasSubstr(" with changes\""));
  // Sources in somebody else's repository have not that one's commit.
  EXPECT_THAT(commit_of(path("repository/sources")), HasSubstr("commit unknown"));
}

TEST_F(CommitScript, OfSourcesWithoutARepositoryIsUnknown) {
  EXPECT_THAT(commit_of(folder_.path().string()), HasSubstr("commit unknown"));
}

}  // namespace
}  // namespace warptune::tuner
