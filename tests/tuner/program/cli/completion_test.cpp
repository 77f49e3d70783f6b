// What shells are offered, by the program and through a real bash; manual pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/small_template.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class CliCompletion : public testing::Test {
 protected:
  CliCompletion() { write_doubling_template(folder_); }

  ProgramRun run(const std::string& arguments) {
    return run_program(folder_, "cd " + folder_.path().string() + "; WARPTUNE_DB=s.db XDG_CACHE_HOME=cache " +
                                    warptune_program() + " " + arguments);
  }
  std::string complete(const std::string& words) { return run("complete " + words).out; }
  // What bash has to offer after these words, the last of which is typed in part: a word a line.
  std::string in_bash(const std::string& words) {
    const std::string script =
        "PATH=" + build_folder().string() + ":$PATH; source <(warptune completions bash) || exit 1; COMP_WORDS=(" +
        words + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _warptune; printf '%s\\n' \"${COMPREPLY[@]}\"";
    const auto file = folder_.write("script.bash", script);
    return run_program(folder_, "cd " + folder_.path().string() + "; bash --norc " + file.string()).out;
  }

  TemporaryFolder folder_;
};

TEST_F(CliCompletion, OffersVerbsOptionsAndValues) {
  EXPECT_THAT(complete("tun"), StartsWith("tune\t"));
  EXPECT_THAT(complete("''"), AllOf(HasSubstr("best\t"), HasSubstr("templates\t"), Not(HasSubstr("worker"))));
  EXPECT_THAT(complete("cache ''"), AllOf(HasSubstr("stats\t"), HasSubstr("clear\t")));
  EXPECT_THAT(complete("help his"), StartsWith("history\t"));
  EXPECT_THAT(complete("tune gemm --bud"), StartsWith("--budget\t"));
  EXPECT_EQ(complete("best --format j"), "json\n");
  EXPECT_EQ(complete("best --format=j"), "--format=json\n");
  EXPECT_THAT(complete("tune gemm --strategy gen"), StartsWith("genetic\t"));
  EXPECT_THAT(complete("tune vector_"), StartsWith("vector_add\n"));
  EXPECT_THAT(complete("compare --spaces ''"), HasSubstr(":files"));
  EXPECT_THAT(complete("run gemm -I ''"), HasSubstr(":folders"));
  EXPECT_EQ(complete("best --format json --form"), "");                            // it is there already
  EXPECT_THAT(complete("tune gemm --budget 5s --bud"), StartsWith("--budget\t"));  // this one may be repeated
}

TEST_F(CliCompletion, KnowsTheTemplateOnTheLine) {
  const std::string kernel = folder_.path().string();
  EXPECT_EQ(complete("run " + kernel + " --param BL"), "BLOCK=\n");
  EXPECT_EQ(complete("run " + kernel + " --param BLOCK="), "BLOCK=32\nBLOCK=64\nBLOCK=128\n");
  EXPECT_EQ(complete("run --configuration BLOCK=64,E " + kernel), ":files\n");  // it is the template that is typed
  EXPECT_EQ(complete("run " + kernel + " --configuration BLOCK=64,E"), "BLOCK=64,EACH=\n");
  EXPECT_EQ(complete("tune " + kernel + " --size ''"), "n=\n");
  EXPECT_THAT(complete("tune gemm --variant PRECISION=d"), HasSubstr("PRECISION=double"));
  EXPECT_THAT(complete("tune gemm --preset h"), StartsWith("host\t"));
  EXPECT_THAT(complete("run vector_add --technique vector"), StartsWith("vector_type\t"));
}

TEST_F(CliCompletion, OfNonsenseIsNothingAndNoError) {
  for (const char* words :
       {"", "nonsense ''", "tune --nonsense ''", "tune gone --param ''", "-- ''", "tune --format=x --"}) {
    const ProgramRun done = run(std::string("complete ") + words);
    EXPECT_EQ(done.exit_code, 0) << words;
    EXPECT_THAT(done.err, IsEmpty()) << words;
  }
}

TEST_F(CliCompletion, ScriptsAreWhatTheirShellsCanRead) {
  EXPECT_EQ(run("completions bash | bash -n").exit_code, 0);
  for (const std::string shell : {"zsh", "fish"}) {
    const ProgramRun checked = run("completions " + shell + " > script; if command -v " + shell + " >/dev/null; then " +
                                   shell + " -n script; fi");
    EXPECT_EQ(checked.exit_code, 0) << shell << checked.err;
  }
  EXPECT_THAT(run("completions bsh").err, HasSubstr("did you mean bash?"));
}

TEST_F(CliCompletion, WorksInBash) {
  EXPECT_EQ(in_bash("warptune tun"), "tune\n");
  EXPECT_EQ(in_bash("warptune tune gemm --bud"), "--budget\n");
  EXPECT_EQ(in_bash("warptune tune vector_"), "vector_add\n");
  // Bash itself splits at '=' and ':'.
  EXPECT_EQ(in_bash("warptune best --format = js"), "json\n");
  EXPECT_EQ(in_bash("warptune tune gemm --variant PRECISION = dou"), "double\n");
  EXPECT_EQ(in_bash("warptune tune --device replay : kern"), "\n");  // nothing
  EXPECT_EQ(in_bash("warptune run ./kern"), "./kernel.cu\n");        // files
}

TEST_F(CliCompletion, ManualPagesAreOfEveryVerbAndLintClean) {
  EXPECT_EQ(run("man --all man1").exit_code, 0);
  std::size_t pages = 0;
  for (const auto& page : std::filesystem::directory_iterator(folder_.path() / "man1")) {
    ++pages;
    const ProgramRun checked = run("--version; if command -v groff >/dev/null; then groff -man -Tutf8 -ww -z " +
                                   page.path().string() + "; fi");
    EXPECT_THAT(checked.err, IsEmpty()) << page.path();
  }
  EXPECT_GT(pages, 20u);
  const std::string page = run("man tune").out;
  EXPECT_THAT(page,
              AllOf(HasSubstr(".SH NAME\nwarptune\\-tune"), HasSubstr(".SH EXAMPLES"), HasSubstr("\\-\\-budget")));
  EXPECT_THAT(run("man").out, AllOf(HasSubstr(".SH ENVIRONMENT"), HasSubstr("WARPTUNE_DB")));
  EXPECT_THAT(run("man tnue").err, HasSubstr("did you mean tune?"));
}

}  // namespace
}  // namespace warptune::tuner
