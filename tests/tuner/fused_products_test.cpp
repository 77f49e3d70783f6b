// What gemm_tensor makes of a product's sums on their way to memory, on the host backend. The suite of all templates
// meets few of the variants, and warpgroups never.
#include "tests/support/host_trials.h"

namespace warptune::tuner {
namespace {

class FusedProducts : public HostTrials, public testing::WithParamInterface<std::string> {
 protected:
  FusedProducts() : HostTrials("gemm_tensor") {}

  static search::NamedValues problem(std::int64_t m, std::int64_t n, std::int64_t k, const std::string& precision) {
    return {{"M", m}, {"N", n}, {"K", k}, {"PRECISION", precision}, {"FUSION", GetParam()}};
  }
};

// Rows of D begin aligned for 8, 4, 2 (swiglu) and 1 elements; one column alone is half a pair of swiglu's.
TEST_P(FusedProducts, AreRightByWarps) {
  for (const search::NamedValues& at : {problem(70, 48, 40, "half"), problem(33, 44, 31, "bfloat16"),
                                        problem(65, 133, 72, "tf32"), problem(3, 1, 5, "half")})
    EXPECT_EQ(expect_correct(at, {kernel_.default_values}), 1);
}

TEST_P(FusedProducts, AreRightByWarpgroups) {
  kernel_.constraints.push_back("ALGORITHM == 'wgmma'");
  const auto sample = spread(problem(200, 136, 72, "bfloat16"), 2);
  for (const search::NamedValues& at : {problem(200, 136, 72, "bfloat16"), problem(1, 264, 136, "half")})
    EXPECT_EQ(expect_correct(at, sample), 2);
  EXPECT_EQ(expect_correct(problem(200, 136, 72, "tf32"), spread(problem(200, 136, 72, "tf32"), 1)), 1);
}

// The copy engine takes results of 16 bits from shared memory, row by row, also where the last tiles are cut off. Pairs
// of columns that become one number have no such way.
TEST_P(FusedProducts, AreRightThroughSharedMemory) {
  kernel_.constraints.push_back("ALGORITHM == 'wgmma' and EPILOGUE == 'shared' and PERSISTENT");
  const search::NamedValues at = problem(330, 264, 72, "bfloat16");
  const auto sample = spread(at, 2);
  EXPECT_EQ(expect_correct(at, sample), GetParam() == "swiglu" ? 0 : 2);
}

INSTANTIATE_TEST_SUITE_P(GemmTensor, FusedProducts,
                         testing::Values("bias", "bias_relu", "bias_gelu", "swiglu", "residual", "row_scale"),
                         [](const auto& chosen) { return chosen.param; });

}  // namespace
}  // namespace warptune::tuner
