#include "tuner/kernel/numbers16.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warptune::tuner {
namespace {

TEST(Numbers16, EveryHalfRoundTrips) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = half_value(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(half_value(half_bits(value))));
    } else {
      EXPECT_EQ(half_bits(value), half);
    }
  }
}

TEST(Numbers16, EveryBfloat16RoundTrips) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = bfloat16_value(half);
    if (!std::isnan(value)) {
      EXPECT_EQ(bfloat16_bits(value), half);
    }
  }
}

TEST(Numbers16, TiesGoToEven) {
  EXPECT_EQ(half_bits(2049.0f), half_bits(2048.0f));
  EXPECT_EQ(half_bits(2051.0f), half_bits(2052.0f));
  EXPECT_EQ(half_bits(65519.0f), half_bits(65504.0f));
  EXPECT_EQ(half_bits(65520.0f), half_bits(INFINITY));
  EXPECT_EQ(half_bits(0x1p-25f), 0);
  EXPECT_EQ(half_bits(0x1.8p-24f), 2);
}

}  // namespace
}  // namespace warptune::tuner
