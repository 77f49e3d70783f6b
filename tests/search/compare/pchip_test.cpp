#include "search/compare/pchip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace warptune::search::compare {
namespace {

using testing::DoubleNear;
using testing::Pointwise;

// Expected values from SciPy's PchipInterpolator.
TEST(MonotoneCubic, AgreesWithSciPy) {
  const MonotoneCubic curve({1, 2, 4, 7, 8}, {10, 6, 5, 5, 1});
  EXPECT_THAT(curve.at_ascending({1, 1.5, 3, 5, 7.5, 8}),
              Pointwise(DoubleNear(1e-8), {10.0, 7.47578829, 5.25675676, 5.0, 3.625, 1.0}));
}

TEST(MonotoneCubic, AgreesWithSciPyAroundAPeak) {
  const MonotoneCubic curve({0, 1, 3}, {0, 3, 1});
  EXPECT_THAT(curve.at_ascending({0.5, 2}), Pointwise(DoubleNear(1e-8), {2.04166667, 2.75}));
}

TEST(MonotoneCubic, IsAStraightLineThroughTwoPoints) {
  const MonotoneCubic curve({1, 3}, {5, 1});
  EXPECT_THAT(curve.at_ascending({1, 2, 3}), Pointwise(DoubleNear(1e-12), {5.0, 3.0, 1.0}));
}

TEST(MonotoneCubic, RefusesWhatIsNoFunction) {
  EXPECT_THROW(MonotoneCubic({1}, {1}), std::invalid_argument);
  EXPECT_THROW(MonotoneCubic({1, 1}, {1, 2}), std::invalid_argument);
  EXPECT_THROW(MonotoneCubic({1, 2}, {1}), std::invalid_argument);
}

}  // namespace
}  // namespace warptune::search::compare
