// gemm_tensor's tiles that do not fill the device once more, split along K among all blocks (LAST_WAVE), on the host
// backend. How a tile falls into parts depends on the number of multiprocessors, which these tests choose.
#include "tests/support/host_trials.h"

namespace warptune::tuner {
namespace {

class LastWave : public HostTrials {
 protected:
  LastWave() : HostTrials("gemm_tensor") {
    kernel_.constraints.push_back("LAST_WAVE == 'split' and TILE_M == 128 and TILE_N <= 128");
  }

  static search::NamedValues problem(std::int64_t m, std::int64_t n, std::int64_t k, const std::string& precision,
                                     const std::string& fusion) {
    return {{"M", m}, {"N", n}, {"K", k}, {"PRECISION", precision}, {"FUSION", fusion}};
  }
};

// One tile of up to seven parts, most of which lie within it: its last block adds up the parts of several others.
TEST_F(LastWave, PartsOfSeveralBlocksMakeATile) {
  info_.multiprocessors = 7;
  for (const search::NamedValues& at :
       {problem(100, 64, 520, "bfloat16", "none"), problem(100, 64, 520, "half", "bias_gelu"),
        problem(130, 72, 264, "tf32", "none"), problem(130, 72, 264, "tf32", "residual")})
    EXPECT_EQ(expect_correct(at, spread(at, 2)), 2);
}

// Shares that begin and end within tiles: a block has an unfinished part, perhaps a whole tile, and the end of another.
TEST_F(LastWave, SharesFollowWholeTiles) {
  info_.multiprocessors = 3;
  for (const search::NamedValues& at :
       {problem(450, 200, 200, "bfloat16", "residual"), problem(330, 264, 136, "half", "swiglu")})
    EXPECT_EQ(expect_correct(at, spread(at, 3)), 3);
}

// Nothing is left to split along K: shares are whole tiles, of which one block has more than the others.
TEST_F(LastWave, OneStepAlongKIsNotSplit) {
  info_.multiprocessors = 3;
  const search::NamedValues at = problem(512, 64, 40, "bfloat16", "bias");
  EXPECT_EQ(expect_correct(at, spread(at, 2)), 2);
}

TEST_F(LastWave, NothingIsSplitWhereTilesFillTheDevice) {
  info_.multiprocessors = 2;
  const search::NamedValues at = problem(256, 64, 136, "half", "none");
  EXPECT_EQ(expect_correct(at, spread(at, 2)), 2);
}

// Shares of unequal length have no turns; blocks that do not stay have no second tile.
TEST_F(LastWave, IsForPersistentBlocksWhoseWarpgroupsShareTiles) {
  for (const char* other :
       {"SCHEDULE == 'pingpong'", "CONSUMERS == 1", "EPILOGUE == 'shared'", "not PERSISTENT", "ALGORITHM == 'mma'"}) {
    const search::NamedValues at = problem(512, 64, 40, "bfloat16", "bias");
    kernel_.constraints.push_back(other);
    EXPECT_TRUE(spread(at, 1).empty()) << other;
    kernel_.constraints.pop_back();
  }
}

}  // namespace
}  // namespace warptune::tuner
