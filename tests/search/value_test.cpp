#include "search/value.h"

#include <gtest/gtest.h>

#include "search/expression/by_value.h"
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

TEST(ByValue, HoldsOneThingForWhatIsTheSameNumber) {
  ByValue<int> held;
  held[Value(std::int64_t{1})] = 7;
  held[Value(std::string("1"))] = 8;
  held[Value(0.0)] = 9;
  EXPECT_EQ(held[Value(true)], 7);
  EXPECT_EQ(*held.find(Value(1.0)), 7);
  EXPECT_EQ(*held.find(Value(-0.0)), 9);
  EXPECT_EQ(*held.find(Value(std::string("1"))), 8);
  EXPECT_EQ(held.find(Value(1.5)), nullptr);
  const std::int64_t big = std::int64_t{1} << 53;
  held[Value(big)] = 10;
  EXPECT_EQ(held.find(Value(big + 1)), nullptr);  // whose double is the same
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
