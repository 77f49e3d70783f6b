// fft on the host backend at each power of two: the suite of all templates has hardly a size that is one.
#include "tests/support/host_trials.h"

namespace warptune::tuner {
namespace {

class FftLengths : public HostTrials {
 protected:
  FftLengths() : HostTrials("fft") {}

  static search::NamedValues problem(std::int64_t length, std::int64_t batch, const std::string& direction) {
    return {{"LENGTH", length}, {"BATCH", batch}, {"DIRECTION", direction}};
  }
};

TEST_F(FftLengths, WithinABlockAreRight) {
  for (std::int64_t length = 1; length <= 4096; length *= 8) {
    const search::NamedValues at = problem(length, 5, length % 3 == 1 ? "forward" : "inverse");
    EXPECT_EQ(expect_correct(at, spread(at, 3)), 3) << length;
  }
}

TEST_F(FftLengths, OfTwoLaunchesAreRight) {
  for (const auto& [length, direction] : {std::pair(1 << 13, "inverse"), std::pair(1 << 14, "forward")}) {
    kernel_.constraints.push_back("LONGEST_IN_BLOCK < 13");
    const search::NamedValues at = problem(length, 2, direction);
    EXPECT_EQ(expect_correct(at, spread(at, 3)), 3) << length;
  }
}

TEST_F(FftLengths, ArePowersOfTwo) {
  EXPECT_TRUE(spread(problem(31, 4, "forward"), 1).empty());
}

}  // namespace
}  // namespace warptune::tuner
