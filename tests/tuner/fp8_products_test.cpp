// gemm_fp8 on the host backend: its path by warpgroups, which the suite of all templates seldom meets, and its scales.
#include "tests/support/host_trials.h"

namespace warptune::tuner {
namespace {

class Fp8Products : public HostTrials {
 protected:
  Fp8Products() : HostTrials("gemm_fp8") {}

  static search::NamedValues problem(std::int64_t m, std::int64_t n, std::int64_t k, const std::string& scales,
                                     bool fast = false) {
    return {{"M", m}, {"N", n}, {"K", k}, {"SCALES", scales}, {"FAST_ACCUMULATION", fast}};
  }
};

// Several blocks of scales along each dimension, the last ones not full; rows of any alignment.
TEST_F(Fp8Products, AreRightByWarps) {
  for (const search::NamedValues& at :
       {problem(70, 150, 300, "blockwise"), problem(33, 44, 131, "tensor"), problem(3, 1, 6, "tensor", true)})
    EXPECT_EQ(expect_correct(at, {kernel_.default_values}), 1);
}

TEST_F(Fp8Products, AreRightByWarpgroups) {
  kernel_.constraints.push_back("ALGORITHM == 'wgmma'");
  for (const search::NamedValues& at :
       {problem(150, 141, 400, "blockwise"), problem(65, 264, 272, "tensor"), problem(129, 136, 400, "tensor", true)}) {
    const auto sample = spread(at, 3);
    EXPECT_EQ(expect_correct(at, sample), 3);
  }
}

TEST_F(Fp8Products, PromoteAWideTileInParts) {
  kernel_.constraints.push_back("ALGORITHM == 'wgmma' and TILE_N == 256 and TILE_M == 128 and CONSUMERS == 2");
  const search::NamedValues at = problem(65, 264, 400, "tensor");
  EXPECT_EQ(expect_correct(at, spread(at, 1)), 1);
}

TEST_F(Fp8Products, AreForRowsThatACopyCanFind) {
  kernel_.constraints.push_back("ALGORITHM == 'wgmma'");
  EXPECT_TRUE(spread(problem(64, 64, 120, "tensor"), 1).empty());
}

TEST_F(Fp8Products, PromoteUnlessTheTensorCoreMayKeepItsSums) {
  kernel_.constraints.push_back("ALGORITHM == 'wgmma'");
  kernel_.constraints.push_back(
      "TILE_N == 128 and TILE_M // CONSUMERS == 128");  // no registers for a second set of sums
  EXPECT_FALSE(spread(problem(64, 64, 128, "tensor", true), 1).empty());
  EXPECT_TRUE(spread(problem(64, 64, 128, "tensor"), 1).empty());
}

}  // namespace
}  // namespace warptune::tuner
