// gemm_int4 on the host backend: what the suite of all templates seldom meets, which are its path by warpgroups, blocks
// that share a sum, and rows of any alignment.
#include "tests/support/host_trials.h"

namespace warptune::tuner {
namespace {

class Int4Products : public HostTrials {
 protected:
  Int4Products() : HostTrials("gemm_int4") {}

  static search::NamedValues problem(std::int64_t m, std::int64_t n, std::int64_t k, const std::string& precision,
                                     std::int64_t group, const std::string& zeros) {
    return {{"M", m}, {"N", n}, {"K", k}, {"PRECISION", precision}, {"GROUP_SIZE", group}, {"ZERO_POINTS", zeros}};
  }
  search::NamedValues configuration(const search::NamedValues& choices) const {
    search::NamedValues values = kernel_.default_values;
    for (auto& [name, value] : values)
      if (const search::Value* choice = search::find_value(choices, name)) value = *choice;
    return values;
  }
};

// The last word along K, the last group and the last word of zero points are not full.
TEST_F(Int4Products, AreRightWhereWordsAndGroupsEndEarly) {
  for (const search::NamedValues& at :
       {problem(3, 67, 77, "bfloat16", 32, "groups"), problem(9, 130, 134, "half", 64, "groups"),
        problem(1, 1, 1, "half", 128, "symmetric"), problem(70, 34, 300, "bfloat16", 128, "groups")})
    EXPECT_EQ(expect_correct(at, {kernel_.default_values}), 1);
}

TEST_F(Int4Products, AreRightWhereBlocksAndWarpsShareASum) {
  for (const std::string combine : {"last_block", "two_launches"}) {
    const search::NamedValues choices = {
        {"TILE_M", std::int64_t{16}}, {"WARP_M", std::int64_t{8}},   {"TILE_N", std::int64_t{64}},
        {"WARP_N", std::int64_t{32}}, {"TILE_K", std::int64_t{128}}, {"SLICED_K", std::int64_t{4}},
        {"SPLIT_K", std::int64_t{3}}, {"COMBINE", combine},          {"SCALING", "sums"}};
    EXPECT_EQ(expect_correct(problem(20, 136, 1000, "bfloat16", 64, "groups"), {configuration(choices)}), 1);
    EXPECT_EQ(expect_correct(problem(17, 75, 650, "half", 128, "symmetric"), {configuration(choices)}), 1);
  }
}

// More tiles than stages, an odd number of them, groups within a tile and groups of several.
TEST_F(Int4Products, AreRightByWarpgroups) {
  kernel_.constraints.push_back("ALGORITHM == 'wgmma'");
  for (const search::NamedValues& at :
       {problem(150, 136, 456, "bfloat16", 32, "groups"), problem(65, 264, 320, "half", 128, "symmetric")}) {
    const auto sample = spread(at, 3);
    EXPECT_EQ(expect_correct(at, sample), 3);
  }
}

TEST_F(Int4Products, AreRightWhereWarpgroupsOfBlocksShareASum) {
  const search::NamedValues choices = {{"ALGORITHM", "wgmma"},
                                       {"PERSISTENT", true},
                                       {"SPLIT_K", std::int64_t{3}},
                                       {"OVERLAP", true},
                                       {"COMBINE", "two_launches"}};
  EXPECT_EQ(expect_correct(problem(66, 136, 328, "half", 64, "groups"), {configuration(choices)}), 1);
}

TEST_F(Int4Products, OfWarpgroupsAreForRowsThatACopyCanFind) {
  kernel_.constraints.push_back("ALGORITHM == 'wgmma'");
  EXPECT_TRUE(spread(problem(64, 64, 124, "half", 128, "symmetric"), 1).empty());
  EXPECT_TRUE(spread(problem(64, 68, 128, "half", 128, "symmetric"), 1).empty());
}

}  // namespace
}  // namespace warptune::tuner
