#include "search/value.h"

#include <gtest/gtest.h>

#include "search/random.h"
#include "search/trial.h"

namespace warptune::search {
namespace {

TEST(Value, ADoubleShowsThatItIsOne) {
  EXPECT_EQ(to_text(Value(2.0)), "2.0");
  EXPECT_EQ(to_text(Value(0.1)), "0.1");
  EXPECT_EQ(to_text(Value(1e300)), "1e+300");
}

TEST(Value, NumbersAreTheSameAcrossTypes) {
  EXPECT_TRUE(same_value(Value(true), Value(std::int64_t{1})));
  EXPECT_TRUE(same_value(Value(std::int64_t{1}), Value(1.0)));
  EXPECT_FALSE(same_value(Value(std::string("1")), Value(std::int64_t{1})));
}

TEST(Value, LargeIntegersAreNotComparedAsDoubles) {
  const std::int64_t big = std::int64_t{1} << 53;
  EXPECT_FALSE(same_value(Value(big), Value(big + 1)));
}

TEST(Rng, BelowStaysBelowAndReachesEveryValue) {
  Rng rng(7);
  std::vector<int> seen(5);
  for (int i = 0; i < 1000; ++i) ++seen.at(rng.below(5));
  for (int count : seen) EXPECT_GT(count, 100);
}

TEST(Outcome, NamesRoundTrip) {
  for (Outcome outcome : all_outcomes()) EXPECT_EQ(outcome_from_string(to_string(outcome)), outcome);
  EXPECT_FALSE(outcome_from_string("fine").has_value());
}

}  // namespace
}  // namespace warptune::search
