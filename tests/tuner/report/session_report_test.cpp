#include "tuner/report/session_report.h"

#include <gtest/gtest.h>

#include <limits>

namespace warptune::tuner {
namespace {

TEST(DifferenceText, GivesTheErrorOfAnEvenInterval) {
  EXPECT_EQ(difference_text(0.018, 0.012, 0.024), "1.8 % ± 0.6 %");
  EXPECT_EQ(difference_text(0.002, -0.003, 0.007), "0.2 % ± 0.5 %");
}

TEST(DifferenceText, GivesTheBoundsOfALopsidedIntervalThatStaysAboveZero) {
  EXPECT_EQ(difference_text(1.2, 0.1, 2.6), "120.0 % (10.0 to 260.0 %)");
}

TEST(DifferenceText, GivesTheDifferenceAloneWhereNoBoundIsKnown) {
  const double unknown = std::numeric_limits<double>::infinity();
  EXPECT_EQ(difference_text(0.018, -unknown, unknown), "1.8 %");
}

}  // namespace
}  // namespace warptune::tuner
