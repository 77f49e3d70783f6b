// gemm_emulated on the host backend, which cuts off sums as tensor cores do: how far its products are from double
// beside a sum of floats, and its path by warpgroups, where bulk copies, barriers and multiplications are emulated.
#include "tests/support/host_trials.h"

namespace warptune::tuner {
namespace {

class EmulatedProducts : public HostTrials {
 protected:
  EmulatedProducts() : HostTrials("gemm_emulated") {}

  static search::NamedValues sizes(std::int64_t m, std::int64_t n, std::int64_t k) {
    return {{"M", m}, {"N", n}, {"K", k}};
  }
  search::NamedValues configuration(const search::NamedValues& choices) const {
    search::NamedValues values = kernel_.default_values;
    for (auto& [name, value] : values)
      if (const search::Value* choice = search::find_value(choices, name)) value = *choice;
    return values;
  }
  search::Trial trial_of(const search::NamedValues& problem, const search::NamedValues& choices) {
    Workload workload(kernel_, problem_constants(problem, info_), *device_, compiler_, {}, true);
    return run(problem, configuration(choices), workload);
  }
};

// FP32's own sums deviate by this much (template.toml says why), and for half of it there is room.
TEST_F(EmulatedProducts, ErrLessThanSumsOfFloats) {
  constexpr std::int64_t k = 512;
  constexpr double deviation_of_floats = 8.8e-9 * k;
  for (const std::string algorithm : {"mma", "wgmma_packed"})
    for (const std::string emulation : {"tf32x3", "bf16x6", "bf16x9"}) {
      const search::Trial trial = trial_of(sizes(64, 64, k), {{"ALGORITHM", algorithm},
                                                              {"EMULATION", emulation},
                                                              {"TILE_M", std::int64_t{64}},
                                                              {"TILE_N", std::int64_t{64}}});
      ASSERT_EQ(trial.outcome, search::Outcome::correct) << algorithm << " " << emulation << ": " << trial.message;
      EXPECT_LT(trial.measurement->error->rms, deviation_of_floats / 2) << algorithm << " " << emulation;
      EXPECT_GT(trial.measurement->error->rms, 0);
    }
}

TEST_F(EmulatedProducts, OfWarpgroupsAreRightAtTheTilesBoundaries) {
  kernel_.constraints.push_back("ALGORITHM != 'mma' and SPLIT_K == 1");
  const auto sample = spread(sizes(200, 135, 75), 4);
  for (const search::NamedValues& at : {sizes(200, 135, 75), sizes(65, 8, 9), sizes(1, 201, 64)})
    EXPECT_EQ(expect_correct(at, sample), 4);
}

// More chunks than stages, and more tiles than blocks: the ring turns several times, also from tile to tile.
TEST_F(EmulatedProducts, OfWarpgroupsAreRightWhenTheRingTurns) {
  for (const std::string algorithm : {"wgmma_packed", "wgmma_fused"}) {
    const search::NamedValues choices = {{"ALGORITHM", algorithm},
                                         {"TILE_M", std::int64_t{64}},
                                         {"TILE_N", std::int64_t{64}},
                                         {"PERSISTENT", true},
                                         {"SPLIT_K", std::int64_t{2}}};
    EXPECT_EQ(expect_correct(sizes(300, 136, 200), {configuration(choices)}), 1) << algorithm;
  }
}

}  // namespace
}  // namespace warptune::tuner
