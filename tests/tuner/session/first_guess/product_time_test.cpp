#include "tuner/session/first_guess/product_time.h"

#include <gtest/gtest.h>

namespace warptune::tuner {
namespace {

// Four tiles, two at once, each with warps enough.
ProductSteps steps() {
  ProductSteps steps;
  steps.clocks_issued = 64;
  steps.warps = 16;
  steps.independent = 8;
  steps.depth = 100;
  steps.tiles = 4;
  steps.resident = 2;
  return steps;
}

TEST(ProductTime, IsThatOfItsSlowestUnit) {
  EXPECT_NEAR(clocks_of(steps()), 4 * 64 * 100, 200);
  ProductSteps by_cache = steps();
  by_cache.clocks_cache = 640;
  EXPECT_NEAR(clocks_of(by_cache), 4 * 640 * 100, 1000);
  ProductSteps by_shared = steps();
  by_shared.clocks_shared = 640;
  EXPECT_NEAR(clocks_of(by_shared), 4 * 640 * 100, 1000);
}

TEST(ProductTime, HidesWhatOneBlockWaitsForBehindAnother) {
  ProductSteps alone = steps(), together = steps();
  alone.clocks_waited = together.clocks_waited = 64;
  alone.resident = 1;
  EXPECT_LT(clocks_of(together), 0.9 * clocks_of(alone));
}

TEST(ProductTime, IsLongerWhereFewWarpsHideLatency) {
  ProductSteps few = steps();
  few.warps = 1;
  few.independent = 4;
  EXPECT_GT(clocks_of(few), 2 * clocks_of(steps()));
  ProductSteps more_each = few;
  more_each.independent = 16;
  EXPECT_LT(clocks_of(more_each), clocks_of(few) / 2);
}

// Five tiles, four at once: the fifth is alone, and has not the warps of four.
TEST(ProductTime, LosesInTheLastRound) {
  ProductSteps whole = steps(), with_rest = steps();
  whole.warps = with_rest.warps = 2;
  whole.resident = with_rest.resident = 4;
  with_rest.tiles = 5;
  EXPECT_GT(clocks_of(with_rest), 1.3 * clocks_of(whole));
}

TEST(ProductTime, NeedsNoMoreRoomThanTiles) {
  ProductSteps roomy = steps();
  roomy.resident = 32;
  ProductSteps exact = steps();
  exact.resident = 4;
  EXPECT_DOUBLE_EQ(clocks_of(roomy), clocks_of(exact));
}

}  // namespace
}  // namespace warptune::tuner
