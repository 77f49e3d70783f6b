// The paths by warpgroups of gemm_tensor and attention on the host backend, where bulk copies, barriers and
// multiplications are emulated. gemm_tensor's sizes are those whose rows a copy can find, which the suite of all
// templates has none of.
#include "tests/support/host_trials.h"

namespace warptune::tuner {
namespace {

class Warpgroups : public HostTrials {
 protected:
  Warpgroups() : HostTrials("gemm_tensor") { kernel_.constraints.push_back("ALGORITHM == 'wgmma'"); }

  static search::NamedValues sizes(std::int64_t m, std::int64_t n, std::int64_t k, const std::string& precision) {
    return {{"M", m}, {"N", n}, {"K", k}, {"PRECISION", precision}, {"FUSION", std::string("none")}};
  }
  static search::Value& value_in(search::NamedValues& values, const std::string& name) {
    return std::ranges::find(values, name, &search::NamedValues::value_type::first)->second;
  }
};

TEST_F(Warpgroups, AreRightAtTheTilesBoundaries) {
  const auto sample = spread(sizes(200, 136, 72, "bfloat16"), 6);
  for (const search::NamedValues& at :
       {sizes(200, 136, 72, "bfloat16"), sizes(65, 8, 8, "half"), sizes(1, 264, 64, "bfloat16")})
    EXPECT_EQ(expect_correct(at, sample), 6);
}

// Their product is the transposed one, whose left operand comes from registers.
TEST_F(Warpgroups, AreRightForFloatsAtTheTilesBoundaries) {
  const auto sample = spread(sizes(200, 136, 72, "tf32"), 4);
  for (const search::NamedValues& at :
       {sizes(200, 136, 72, "tf32"), sizes(65, 8, 8, "tf32"), sizes(1, 264, 40, "tf32")})
    EXPECT_EQ(expect_correct(at, sample), 4);
}

// 64 columns or more at once: registers for the left operand take turns within a pair of tiles and from pair to pair.
TEST_F(Warpgroups, AreRightForFloatsOfSeveralPieces) {
  for (const int pieces : {1, 2, 4}) {
    search::NamedValues configuration = spread(sizes(128, 128, 64, "tf32"), 1).front();
    value_in(configuration, "TILE_M") = std::int64_t{64};
    value_in(configuration, "TILE_N") = std::int64_t{64 * pieces};
    value_in(configuration, "CONSUMERS") = std::int64_t{1};
    value_in(configuration, "SCHEDULE") = std::string("cooperative");
    value_in(configuration, "STAGES") = std::int64_t{2};
    if (pieces == 1) value_in(configuration, "TILE_M") = std::int64_t{128};
    EXPECT_EQ(expect_correct(sizes(130, 264, 104, "tf32"), {configuration}), 1) << pieces;
  }
}

// More pairs of tiles than stages, and more tiles than blocks: the ring turns several times, also from tile to tile.
TEST_F(Warpgroups, AreRightWhenTheRingTurns) {
  search::NamedValues configuration = spread(sizes(128, 128, 64, "half"), 1).front();
  value_in(configuration, "TILE_M") = std::int64_t{64};
  value_in(configuration, "TILE_N") = std::int64_t{128};
  value_in(configuration, "PERSISTENT") = true;
  value_in(configuration, "STAGES") = std::int64_t{3};
  for (const auto& [schedule, consumers, rows] :
       {std::tuple("cooperative", 1, 64), std::tuple("pingpong", 2, 64), std::tuple("staggered", 2, 128)}) {
    value_in(configuration, "SCHEDULE") = std::string(schedule);
    value_in(configuration, "CONSUMERS") = std::int64_t{consumers};
    value_in(configuration, "TILE_M") = std::int64_t{rows};
    EXPECT_EQ(expect_correct(sizes(450, 264, 328, "bfloat16"), {configuration}), 1) << schedule;
  }
}

TEST_F(Warpgroups, AreForRowsThatACopyCanFind) {
  EXPECT_TRUE(spread(sizes(200, 136, 70, "bfloat16"), 1).empty());
  EXPECT_TRUE(spread(sizes(200, 130, 72, "bfloat16"), 1).empty());
  EXPECT_TRUE(spread(sizes(200, 136, 70, "tf32"), 1).empty());
}

class AttentionByWarpgroups : public HostTrials {
 protected:
  AttentionByWarpgroups() : HostTrials("attention") { kernel_.constraints.push_back("ALGORITHM == 'wgmma'"); }

  // Three heads of queries and two of keys.
  static search::NamedValues sizes(std::int64_t queries, std::int64_t keys, const std::string& precision,
                                   std::int64_t head_dim, bool causal) {
    return {
        {"QUERIES", queries},       {"KEYS", keys},           {"HEADS", std::int64_t{3}}, {"KV_HEADS", std::int64_t{2}},
        {"BATCH", std::int64_t{1}}, {"PRECISION", precision}, {"HEAD_DIM", head_dim},     {"CAUSAL", causal}};
  }
};

TEST_F(AttentionByWarpgroups, AreRightAtTheTilesBoundaries) {
  const auto sample = spread(sizes(130, 200, "half", 64, true), 4);
  for (const search::NamedValues& at : {sizes(65, 129, "half", 64, true), sizes(1, 300, "bfloat16", 64, false)})
    EXPECT_EQ(expect_correct(at, sample), 4);
}

// More tiles of keys than stages, and more tiles of queries than blocks, of different lengths: the rings turn several
// times, also from tile to tile, and warpgroups that take turns stay in step.
TEST_F(AttentionByWarpgroups, AreRightWhenTheRingsTurn) {
  kernel_.constraints.push_back("PERSISTENT and TILE_N <= 80");
  const auto sample = spread(sizes(128, 128, "bfloat16", 128, true), 4);
  EXPECT_EQ(expect_correct(sizes(200, 260, "bfloat16", 128, true), sample), 4);
}

TEST_F(AttentionByWarpgroups, QueriesThatSeeNoKeyHaveTheResultZero) {
  EXPECT_EQ(expect_correct(sizes(200, 40, "half", 64, true), spread(sizes(200, 40, "half", 64, true), 3)), 3);
}

}  // namespace
}  // namespace warptune::tuner
