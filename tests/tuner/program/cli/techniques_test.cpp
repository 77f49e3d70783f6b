// `run --technique`: a configuration by the name that a lecture gives it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/small_template.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class CliTechniques : public testing::Test {
 protected:
  CliTechniques() {
    write_doubling_template(folder_, std::string(doubling_manifest) + R"(
[techniques.coarse]
about = "a thread doubles eight elements"
parameters = { EACH = 8 }
)");
  }

  ProgramRun run(const std::string& more) {
    const std::string folder = folder_.path().string();
    return run_program(folder_, "WARPTUNE_DB=" + folder + "/s.db XDG_CACHE_HOME=" + folder + "/cache " +
                                    warptune_program() + " run " + folder + " --device host " + more);
  }

  TemporaryFolder folder_;
};

TEST_F(CliTechniques, NameAConfigurationThatParametersMayChange) {
  const ProgramRun plain = run("--technique coarse");
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_THAT(plain.out, HasSubstr("EACH=8"));
  EXPECT_EQ(run("--technique coarse --param BLOCK=32,EACH=4").exit_code, 0);
  const ProgramRun changed = run("--technique coarse --param BLOCK=32 --param EACH=4");
  ASSERT_EQ(changed.exit_code, 0) << changed.err;
  EXPECT_THAT(changed.out, AllOf(HasSubstr("EACH=4"), HasSubstr("BLOCK=32")));
}

TEST_F(CliTechniques, AParameterWithoutAValueIsCalledByItsOption) {
  EXPECT_THAT(run("--param EACH").err, HasSubstr("--param EACH: expected NAME=VALUE"));
  EXPECT_THAT(run("--configuration EACH").err, HasSubstr("--configuration EACH: expected NAME=VALUE"));
}

// As after a division by zero: it forbids that configuration, and says which constraint it is; others run.
TEST_F(CliTechniques, AConstraintWithoutAValueAtTheDefaultKeepsOnlyTheDefaultOut) {
  std::string manifest = doubling_manifest;
  const std::string all = "\"BLOCK * EACH <= 1024\"";
  manifest.replace(manifest.find(all), all.size(), "\"n % (EACH - 1) == 0\"");
  manifest.replace(manifest.find("[reference]"), std::string::npos, "[reference]\ndefault_configuration = true\n");
  write_doubling_template(folder_, manifest);
  const ProgramRun forbidden = run("");
  EXPECT_EQ(forbidden.exit_code, 3);
  EXPECT_THAT(forbidden.err, AllOf(HasSubstr("BLOCK=64,EACH=1"), HasSubstr("n % (EACH - 1) == 0"),
                                   HasSubstr("it has no value there: division by zero")));
  const ProgramRun other = run("--param EACH=2");
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_THAT(other.err, HasSubstr("the default configuration BLOCK=64,EACH=1,MODE=good is not in the space"));
}

TEST_F(CliTechniques, AValueOutsideItsDomainIsAnsweredWithTheDomain) {
  const ProgramRun wrong = run("--param EACH=5");
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_THAT(wrong.err, HasSubstr("EACH=5 is outside the domain of EACH in doubling: expected one of "));
  EXPECT_EQ(run("--configuration EACH=x").exit_code, 3);
}

TEST_F(CliTechniques, AWrongNameIsAnsweredWithTheRightOnes) {
  const ProgramRun wrong = run("--technique fine");
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_THAT(wrong.err, HasSubstr("doubling has no technique 'fine'; it has coarse"));
}

}  // namespace
}  // namespace warptune::tuner
