// Finals simulated thousands of times: how often they err, and what they find.
#include "tuner/measure/sampling/elimination.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "search/random.h"

namespace warptune::tuner {
namespace {

// Times of `ratios.size()` candidates over all rounds: a drift common to a round, noise of each visit on its own.
struct World {
  std::vector<double> ratios;
  std::function<double(search::Rng&)> noise;
  double drift = 0;  // a round
};

Elimination hold(const World& world, search::Rng& rng) {
  Elimination finals(world.ratios.size());
  for (std::size_t round = 0; !finals.decided(); ++round) {
    std::vector<double> times;
    for (const std::size_t i : finals.remaining())
      times.push_back(world.ratios[i] * (1 + world.drift * static_cast<double>(round)) * std::exp(world.noise(rng)));
    finals.add_round(times);
  }
  return finals;
}

// In how many of `repeats` finals `event` happens.
int count(const World& world, int repeats, const std::function<bool(const Elimination&)>& event) {
  search::Rng rng(17);
  int happened = 0;
  for (int i = 0; i < repeats; ++i) happened += event(hold(world, rng));
  return happened;
}

bool separated_something(const Elimination& finals) {
  for (std::size_t i = 0; i < 20; ++i)
    if (finals.eliminated(i)) return true;
  return false;
}

double quiet(search::Rng& rng) {
  return 0.003 * rng.normal();
}

double loud(search::Rng& rng) {
  return 0.03 * rng.normal();
}

// One visit in twenty is slow by up to a half.
double heavy_tailed(search::Rng& rng) {
  return rng.below(20) == 0 ? 0.5 * rng.uniform() : 0.004 * rng.normal();
}

// Times in steps, as a coarse clock gives them.
double stepped(search::Rng& rng) {
  return 0.01 * static_cast<double>(rng.below(3));
}

// The address sanitizer looks at what they touch, not at how often they err, and takes ten times as long.
#if defined(__SANITIZE_ADDRESS__)
constexpr int sessions = 24;
#else
constexpr int sessions = 240;
#endif

TEST(Elimination, CallsEqualCandidatesDifferentOnceInTwentyAtMost) {
  for (const auto noise : {quiet, loud, heavy_tailed, stepped}) {
    const World world{std::vector<double>(20, 1.0), noise, 0.001};
    EXPECT_LE(count(world, sessions, separated_something), 12);
  }
}

TEST(Elimination, FindsAThreePercentDifference) {
  for (const auto noise : {quiet, heavy_tailed}) {
    World world{std::vector<double>(10, 1.03), noise, 0.001};
    world.ratios[4] = 1.0;
    const int found =
        count(world, 200, [](const Elimination& finals) { return finals.remaining() == std::vector<std::size_t>{4}; });
    EXPECT_GE(found, 190);
  }
}

TEST(Elimination, LeavesDifferencesBelowItsMarginAsTies) {
  World world{{1.0, 1.002}, [](search::Rng& rng) { return 0.0002 * rng.normal(); }};
  EXPECT_EQ(count(world, 100, [](const Elimination& finals) { return finals.remaining().size() == 2; }), 100);
}

TEST(Elimination, ItsBoundsHoldTheTrueDifference) {
  const World world{{1.0, 1.02, 1.05}, quiet};
  const int held = count(world, 300, [](const Elimination& finals) {
    const Shift shift = finals.slower_by(2);
    return shift.low <= 0.05 && 0.05 <= shift.high;
  });
  EXPECT_GE(held, 285);
}

TEST(Elimination, StopsAsSoonAsAllAreDecidedAndAtTheLatestAtItsCap) {
  search::Rng rng(3);
  const World clear{{1.0, 1.5}, quiet};
  const Elimination quick = hold(clear, rng);
  EXPECT_EQ(quick.rounds(), quick.first_look());
  const World never{{1.0, 1.006}, loud};
  const Elimination long_one = hold(never, rng);
  EXPECT_LE(long_one.rounds(), long_one.most_rounds());
}

TEST(Elimination, IsLedByTheLeastMedianAndNotByOneLuckyRound) {
  Elimination finals(2);
  for (const double lucky : {1.0, 1.0, 0.2, 1.0, 1.0}) finals.add_round(std::vector<double>{lucky, 0.9});
  EXPECT_EQ(finals.leader(), 1u);
}

TEST(Elimination, GoesOnWithoutACandidateThatFails) {
  Elimination finals(3);
  finals.add_round(std::vector<double>{3, 2, 1});
  finals.drop(2);
  EXPECT_EQ(finals.remaining(), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(finals.leader(), 1u);
  finals.add_round(std::vector<double>{3, 2});
  EXPECT_EQ(finals.times(2).size(), 1u);
  finals.drop(0);
  EXPECT_TRUE(finals.decided());
}

TEST(SignedRankShift, IsTheTextbooks) {
  // Hollander and Wolfe, table 3.1 (depression scores before and after a drug, n = 9): the estimate is -0.46, and the
  // interval of 96 % (confidence coefficient of the 6th smallest and largest average) from -0.786 to -0.010.
  const std::vector<double> differences{-0.952, 0.147, -1.022, -0.430, -0.620, -0.590, -0.490, 0.080, -0.010};
  const Shift shift = signed_rank_shift(differences, 0.04);
  EXPECT_NEAR(shift.estimate, -0.46, 0.001);
  EXPECT_NEAR(shift.low, -0.786, 0.001);
  EXPECT_NEAR(shift.high, -0.010, 0.001);
}

TEST(SignedRankShift, HasNoBoundsForTooFewDifferences) {
  const std::vector<double> three{0.1, 0.2, 0.3};
  EXPECT_TRUE(std::isinf(signed_rank_shift(three, 0.05).low));
  EXPECT_DOUBLE_EQ(signed_rank_shift(three, 0.05).estimate, 0.2);
}

}  // namespace
}  // namespace warptune::tuner
