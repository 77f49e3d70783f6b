// How near a run comes to the roofs of its device, and which of them binds it.
#include "tuner/device/roofline/roofline.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {
namespace {

// 4 TB/s from memory, 8 TB/s from the L2, 50 TFLOP/s in FP32.
const std::vector<db::Roof> roofs = {{"dram", 4e12, "copy"}, {"l2", 8e12, "reads"}, {"fp32", 50e12, "fma"}};
constexpr std::int64_t l2_bytes = 50'000'000;

std::optional<Attainment> at(const search::Work& work, double time_ms, CacheState cache = CacheState::warm) {
  return attainment(work, time_ms, roofs, l2_bytes, cache);
}

TEST(Roofline, NamesTheNearestRoofAndItsShare) {
  // 8 GB in 2.5 ms is 3.2 TB/s; 25 GFLOP in that time is 10 TFLOP/s.
  const auto memory = at({25e9, 8e9, "fp32"}, 2.5);
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->bound, "dram");
  EXPECT_DOUBLE_EQ(memory->nearest().share, 0.8);
  EXPECT_DOUBLE_EQ(memory->roofs.at(1).share, 0.2);
  const auto arithmetic = at({100e9, 8e8, "fp32"}, 2.5);
  EXPECT_EQ(arithmetic->bound, "fp32");
  EXPECT_DOUBLE_EQ(arithmetic->nearest().rate, 40e12);
}

TEST(Roofline, NamesNoBoundFarBelowEveryRoof) {
  const auto slow = at({1e9, 8e9, "fp32"}, 10);
  ASSERT_TRUE(slow);
  EXPECT_FALSE(slow->bound);
  EXPECT_EQ(slow->nearest().roof, "dram");
  EXPECT_DOUBLE_EQ(slow->nearest().share, 0.2);
}

TEST(Roofline, HoldsWarmDataThatFitsAgainstTheL2) {
  EXPECT_EQ(at({{}, 4e6, ""}, 0.001)->nearest().roof, "l2");
  EXPECT_EQ(at({{}, 4e6, ""}, 0.001, CacheState::cold)->nearest().roof, "dram");
  EXPECT_EQ(at({{}, 40e6, ""}, 0.02)->nearest().roof, "dram");
  // Between half of it and all of it, what comes faster than memory delivers came from the L2.
  EXPECT_EQ(at({{}, 40e6, ""}, 0.006)->nearest().roof, "l2");
}

TEST(Roofline, SaysNothingWithoutWorkOrRoofs) {
  EXPECT_FALSE(at({}, 1));
  EXPECT_FALSE(at({1e9, {}, "tensor_bf16"}, 1));
  EXPECT_FALSE(at({0.0, 0.0, "fp32"}, 1));
  EXPECT_FALSE(attainment({1e9, 1e9, "fp32"}, 1, {}, l2_bytes, CacheState::warm));
}

TEST(Roofline, ReadsTheCacheFromTheSessionsPolicy) {
  db::SessionKey key;
  key.policy = "verify=always cache=warm precision=0.01";
  EXPECT_EQ(cache_state(key), CacheState::warm);
  key.policy = "verify=always cache=cold precision=0.01";
  EXPECT_EQ(cache_state(key), CacheState::cold);
}

TEST(Roofline, HasARoofForEveryArithmeticOfManifests) {
  for (const std::string& name : arithmetic_names()) EXPECT_TRUE(is_arithmetic(name)) << name;
  for (const RoofKind& kind : roof_kinds())
    EXPECT_EQ(is_arithmetic(kind.name), std::ranges::count(arithmetic_names(), kind.name) == 1) << kind.name;
}

}  // namespace
}  // namespace warptune::tuner
