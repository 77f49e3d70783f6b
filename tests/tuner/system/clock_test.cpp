#include "tuner/system/clock.h"

#include <gtest/gtest.h>

namespace warptune::tuner {
namespace {

TEST(Deadline, TellsWhatIsLeft) {
  const Deadline soon = Deadline::in_s(60), gone = Deadline::in_ms(-1);
  EXPECT_FALSE(soon.is_none());
  EXPECT_FALSE(soon.has_passed());
  EXPECT_GT(soon.left_s(), 50);
  EXPECT_LE(soon.left_ms(), 60'000);
  EXPECT_GT(soon.left_ms(), 50'000);
  EXPECT_TRUE(gone.has_passed());
  EXPECT_EQ(gone.left_ms(), 0);
  EXPECT_EQ(soon.left_ms(200), 200);
}

TEST(Deadline, MayBeNone) {
  for (const Deadline& none : {Deadline(), Deadline::in_s(std::numeric_limits<double>::infinity())}) {
    EXPECT_TRUE(none.is_none());
    EXPECT_FALSE(none.has_passed());
    EXPECT_EQ(none.left_ms(), -1) << "poll() waits for ever";
    EXPECT_EQ(none.left_ms(200), 200);
  }
}

TEST(Deadline, IsWaitedForToItsEnd) {
  const Deadline soon = Deadline::in_s(1e-4);
  EXPECT_EQ(soon.has_passed() ? 1 : soon.left_ms(), 1) << "less than a millisecond is one to poll()";
  EXPECT_EQ(Deadline::in_s(1e12).left_ms(), 1'000'000'000);
}

}  // namespace
}  // namespace warptune::tuner
