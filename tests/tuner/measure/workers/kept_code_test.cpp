#include "tuner/measure/workers/kept_code.h"

#include <gtest/gtest.h>

namespace warptune::tuner::workers {
namespace {

TEST(KeptCode, IsFoundByName) {
  KeptCode kept(100);
  kept.keep("a", "code of a");
  kept.keep("b", "code of b");
  ASSERT_NE(kept.find("a"), nullptr);
  EXPECT_EQ(*kept.find("a"), "code of a");
  EXPECT_EQ(*kept.find("b"), "code of b");
  EXPECT_EQ(kept.find("c"), nullptr);
}

TEST(KeptCode, ForgetsTheOldestWhereThereIsTooMuch) {
  KeptCode kept(10);
  kept.keep("a", "1234");
  kept.keep("b", "1234");
  kept.keep("c", "1234");
  EXPECT_EQ(kept.find("a"), nullptr);
  EXPECT_NE(kept.find("b"), nullptr);
  EXPECT_NE(kept.find("c"), nullptr);
}

TEST(KeptCode, OfOneNameCountsOnce) {
  KeptCode kept(10);
  for (int i = 0; i < 5; ++i) kept.keep("a", "1234");
  kept.keep("b", "1234");
  EXPECT_NE(kept.find("a"), nullptr);
  EXPECT_NE(kept.find("b"), nullptr);
}

TEST(KeptCode, HasTheLatestHoweverLargeItIs) {
  KeptCode kept(10);
  kept.keep("a", "1234");
  kept.keep("b", std::string(1000, 'b'));
  EXPECT_EQ(kept.find("a"), nullptr);
  EXPECT_NE(kept.find("b"), nullptr);
  kept.keep("c", "1234");
  EXPECT_EQ(kept.find("b"), nullptr);
  EXPECT_NE(kept.find("c"), nullptr);
}

}  // namespace
}  // namespace warptune::tuner::workers
