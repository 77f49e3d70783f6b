// gemm_grouped on the host backend: its path by warpgroups, which the suite of all templates seldom meets, and experts
// of any number of rows.
#include "tests/support/host_trials.h"

namespace warptune::tuner {
namespace {

class GroupedProducts : public HostTrials {
 protected:
  GroupedProducts() : HostTrials("gemm_grouped") {}

  static search::NamedValues problem(std::int64_t tokens, std::int64_t n, std::int64_t k, std::int64_t experts,
                                     const std::string& routing, const std::string& precision = "bfloat16") {
    return {{"TOKENS", tokens},  {"N", n}, {"K", k}, {"EXPERTS", experts}, {"PRECISION", precision},
            {"ROUTING", routing}};
  }
  void only(const std::string& constraint) { kernel_.constraints.push_back(constraint); }
};

// Rows of any alignment, experts without rows, more experts than rows, and than a warp adds up at once.
TEST_F(GroupedProducts, AreRightByWarps) {
  only("ALGORITHM == 'mma'");
  for (const search::NamedValues& at :
       {problem(150, 70, 100, 9, "ragged"), problem(90, 33, 35, 40, "skewed", "half")}) {
    const auto sample = spread(at, 2);
    EXPECT_EQ(expect_correct(at, sample), 2);
  }
}

TEST_F(GroupedProducts, AreRightByWarpgroups) {
  only("ALGORITHM == 'wgmma'");
  for (const search::NamedValues& at :
       {problem(200, 136, 72, 9, "ragged"), problem(90, 264, 200, 40, "skewed", "half")}) {
    const auto sample = spread(at, 3);
    EXPECT_EQ(expect_correct(at, sample), 3);
  }
}

// More tiles than blocks, more pairs of tiles than stages: rings and tiles that are handed over turn several times.
TEST_F(GroupedProducts, AreRightWhenBlocksGoFromTileToTile) {
  only("ALGORITHM == 'wgmma' and PERSISTENT and TILE_M == 64 and TILE_N == 64 and STAGES == 2");
  const search::NamedValues at = problem(300, 136, 200, 7, "skewed");
  for (const std::string schedule : {"cooperative", "pingpong"})
    for (const std::string order : {"index", "ticket"}) {
      kernel_.constraints.push_back("SCHEDULE == '" + schedule + "' and TILE_ORDER == '" + order + "'");
      EXPECT_EQ(expect_correct(at, spread(at, 1)), 1) << schedule << " " << order;
      kernel_.constraints.pop_back();
    }
}

// A second launch finds what the first one left of its tickets, and none of its results.
TEST_F(GroupedProducts, LeaveNoTicketsForTheNextLaunch) {
  for (const std::string algorithm : {"mma", "wgmma"}) {
    only("TILE_ORDER == 'ticket' and ALGORITHM == '" + algorithm + "'");
    const auto once = kernel_.launches;
    for (Launch again : once) {
      again.clear = {"d_bfloats"};
      kernel_.launches.push_back(again);
    }
    const search::NamedValues at = problem(300, 72, 40, 5, "ragged");
    EXPECT_EQ(expect_correct(at, spread(at, 1)), 1);
    kernel_.constraints.pop_back();
    kernel_.launches = once;
  }
}

TEST_F(GroupedProducts, AreForRowsThatACopyCanFind) {
  only("ALGORITHM == 'wgmma'");
  EXPECT_TRUE(spread(problem(64, 64, 60, 4, "uniform"), 1).empty());
  EXPECT_TRUE(spread(problem(64, 60, 64, 4, "uniform"), 1).empty());
}

}  // namespace
}  // namespace warptune::tuner
