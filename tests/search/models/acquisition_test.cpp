#include "search/models/acquisition.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warptune::search {

namespace {

double exact_improvement(double mean, double deviation, double best) {
  const double u = (best - mean) / deviation;
  return (best - mean) * 0.5 * std::erfc(-u / std::sqrt(2)) + deviation * std::exp(-u * u / 2) / std::sqrt(2 * M_PI);
}

Eigen::ArrayXf one(double value) {
  return Eigen::ArrayXf::Constant(1, static_cast<float>(value));
}

TEST(Acquisition, IsTheExpectedImprovementWithinSinglePrecision) {
  for (double mean : {-2.0, -0.5, 0.0, 0.3, 1.0, 2.5})
    for (double deviation : {0.05, 0.5, 2.0})
      EXPECT_NEAR(acquisition(Acquisition::improvement, one(mean), one(deviation * deviation), 0.2f)(0),
                  exact_improvement(mean, deviation, 0.2), 2e-6)
          << mean << ' ' << deviation;
}

TEST(Acquisition, IsTheProbabilityOfAnImprovement) {
  EXPECT_NEAR(acquisition(Acquisition::probability, one(1), one(4), 1.0f)(0), 0.5, 1e-6);
  EXPECT_NEAR(acquisition(Acquisition::probability, one(3), one(4), 1.0f)(0), 0.158655, 1e-6);
}

TEST(Acquisition, BoundIsHopelessWhereThreeDeviationsDoNotReachTheBest) {
  EXPECT_EQ(acquisition(Acquisition::bound, one(5), one(1), 0.0f)(0), 0);
  EXPECT_NEAR(acquisition(Acquisition::bound, one(0), one(1), 1.0f)(0), 2.5, 1e-6);
}

TEST(VarianceFactor, GrowsByThreeTimesTheShareThatIsInFlight) {
  EXPECT_EQ(variance_factor(0, 8), 1);
  EXPECT_EQ(variance_factor(2, 8), 1.75F);
  EXPECT_EQ(variance_factor(2, 0), 7);
}

TEST(Acquisition, NamesTheKnownOnesWhenItRefusesAName) {
  EXPECT_EQ(acquisition_from("bound"), Acquisition::bound);
  EXPECT_THROW(acquisition_from("luck"), std::invalid_argument);
}

}  // namespace

}  // namespace warptune::search
