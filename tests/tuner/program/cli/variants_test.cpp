// Choosing a problem's variants on the command line, and finding them again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/store.h"
#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/variant_template.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CliVariants : public testing::Test {
 protected:
  CliVariants() { write_variant_template(folder_); }

  ProgramRun run(const std::string& arguments) {
    return run_program(folder_, "WARPTUNE_DB=" + path("s.db") + " XDG_CACHE_HOME=" + path("cache") + " " +
                                    warptune_program() + " " + arguments);
  }
  ProgramRun tune(const std::string& more) {
    return run("tune " + folder_.path().string() + " --device host --strategy random --budget 2 " + more);
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  TemporaryFolder folder_;
};

TEST_F(CliVariants, AreChosenShownFoundAndExportedByName) {
  const ProgramRun tuned = tune("--size n=100 --variant PRECISION=double --variant NEGATED=true");
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_THAT(tuned.err, HasSubstr("turned for n=100,count=1,PRECISION=double,NEGATED=true,ORDER=forward on host"));
  ASSERT_EQ(tune("--size n=100").exit_code, 0);
  EXPECT_THAT(run("best turned --variant PRECISION=double --variant NEGATED=true").out,
              AllOf(HasSubstr("PRECISION=double"), Not(HasSubstr("PRECISION=float"))));
  EXPECT_THAT(run("history turned --variant NEGATED=false").out,
              AllOf(HasSubstr("PRECISION=float"), Not(HasSubstr("PRECISION=double"))));
  const std::string header = run("export turned").out;
  EXPECT_THAT(header, HasSubstr("enum class PRECISION_value { float_, double_ };"));
  EXPECT_THAT(header, HasSubstr("struct ProblemSize {\n  long long n;\n  long long count;\n"));
  EXPECT_THAT(header, HasSubstr("{100, 1, PRECISION_value::double_, true, ORDER_value::forward}"));
}

TEST_F(CliVariants, SurviveExportAndImport) {
  ASSERT_EQ(tune("--size n=100 --variant PRECISION=double --variant NEGATED=true").exit_code, 0);
  for (const std::string format : {"t4", "kernel-tuner"}) {
    ASSERT_EQ(run("export turned --format " + format + " -o " + path(format + ".json")).exit_code, 0);
    const ProgramRun imported = run("import " + path(format + ".json") + " --db " + path(format + ".db"));
    ASSERT_EQ(imported.exit_code, 0) << imported.err;
    const std::string header =
        run("export turned --template " + folder_.path().string() + " --db " + path(format + ".db")).out;
    EXPECT_THAT(header, AllOf(HasSubstr("{100, 1, PRECISION_value::double_, true, ORDER_value::forward}"),
                              HasSubstr("struct ProblemSize {\n  long long n;\n  long long count;\n")));
  }
}

TEST_F(CliVariants, AFileOfSizesMayNameThem) {
  folder_.write("sizes.txt", "n=100 PRECISION=double\nn=100\n");
  const ProgramRun tuned = tune("--variant NEGATED=true --finals 0 --sizes " + path("sizes.txt") + " --format csv");
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, AllOf(HasSubstr("PRECISION=double,NEGATED=true"), HasSubstr("PRECISION=float,NEGATED=true")));
  folder_.write("sizes.txt", "n=100\nn=100 PRECISION=half\n");
  EXPECT_THAT(tune("--sizes " + path("sizes.txt")).err,
              HasSubstr("sizes.txt, line 2: PRECISION is a variant of turned"));
}

TEST_F(CliVariants, NamedTwiceAreRefused) {
  EXPECT_THAT(tune("--variant PRECISION=double --variant PRECISION=float").err,
              HasSubstr("'PRECISION=double,PRECISION=float' gives PRECISION twice"));
  for (const std::string line : {"n=100 PRECISION=double PRECISION=float", "n=100 PRECISION=double n=200"}) {
    folder_.write("sizes.txt", line + "\n");
    const ProgramRun refused = tune("--sizes " + path("sizes.txt"));
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("sizes.txt, line 1: "), HasSubstr(" twice")));
  }
}

TEST_F(CliVariants, KernelsAreSelectedForOneOfThem) {
  ASSERT_EQ(tune("--size n=100").exit_code, 0);
  ASSERT_EQ(tune("--size n=100 --variant PRECISION=double").exit_code, 0);
  const ProgramRun mixed = run("select turned");
  EXPECT_EQ(mixed.exit_code, 3);
  EXPECT_THAT(mixed.err, HasSubstr("choose with --variant"));
  EXPECT_EQ(run("select turned --variant PRECISION=double").exit_code, 0);
}

TEST_F(CliVariants, ATrialIsReplayedWithItsOwn) {
  ASSERT_EQ(tune("--size n=100 --variant ORDER=backward").exit_code, 0);
  const ProgramRun replay = run("show --trial 1 --replay");
  EXPECT_THAT(replay.out, HasSubstr("--size n=100,count=1 --variant PRECISION=float,NEGATED=false,ORDER=backward"));
}

TEST_F(CliVariants, WrongOnesAreRefusedWithTheRightOnes) {
  const ProgramRun run = tune("--size PRECISION=2");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("PRECISION is a variant of turned: expected one of float, double"));
}

}  // namespace
}  // namespace warptune::tuner
