// Templates that only benchmarks use: what their figures mean depends on them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/places.h"
#include "tests/support/program.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;

// As many configurations as the space has that KTT's and Kernel Tuner's figures are of.
TEST(CliBenchTemplates, XgemmHasAsManyConfigurationsAsItsPeersSpaceAndIsRight) {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& arguments) {
    const std::string store =
        "WARPTUNE_DB=" + (folder.path() / "s.db").string() + " XDG_CACHE_HOME=" + folder.path().string();
    return run_program(folder, store + " " + warptune_program() + " " + arguments);
  };
  const std::string xgemm = source_folder() + "/bench/throughput/xgemm --device host";
  EXPECT_THAT(run("space " + xgemm).out, HasSubstr("Valid      5788"));
  EXPECT_THAT(run("tune " + xgemm + " --preset host --budget 8 --strategy random --finals 0 --format csv").err,
              HasSubstr("8 trials in"));
  EXPECT_EQ(run("best xgemm --format csv").exit_code, 0);
  EXPECT_THAT(run("show 1 --format csv").out, testing::Not(HasSubstr("wrong_result")));
}

}  // namespace
}  // namespace warptune::tuner
