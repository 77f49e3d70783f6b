// Importance is stated of what decides, and not at all where the model predicts nothing.
#include "tuner/results/explain/importance.h"

#include <gmock/gmock.h>

#include <cmath>

#include "search/random.h"
#include "tests/tuner/results/explain/evidence_fixture.h"

namespace warptune::tuner {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

const std::vector<search::Parameter> grid = {numbers("TILE", {8, 16, 32, 64, 128, 256}),
                                             {"LAYOUT", {"row", "column", "morton"}},
                                             numbers("UNROLL", {1, 2, 4, 8}),
                                             {"CACHED", {false, true}}};

TEST(Importance, RanksWhatDecidesAboveWhatDoesNot) {
  const ImportanceReport report = importance(exhausted(grid, [](const search::NamedValues& values) {
    const double tile = std::abs(std::log2(static_cast<double>(number(values, "TILE"))) - 5);
    const double layout = std::get<std::string>(*search::find_value(values, "LAYOUT")) == "morton" ? 1.4 : 1;
    return std::exp(0.5 * tile) * layout;
  }));
  EXPECT_EQ(report.trials, 144u);
  EXPECT_GT(report.explained, 0.9);
  EXPECT_LT(report.median_error, 0.1);
  ASSERT_THAT(report.parameters, SizeIs(4));
  EXPECT_EQ(report.parameters[0].parameter, "TILE");
  EXPECT_EQ(report.parameters[1].parameter, "LAYOUT");
  EXPECT_GT(report.parameters[0].loss, 5 * report.parameters[1].loss);
  EXPECT_LT(report.parameters[2].loss, 0.02);
}

// What shuffling costs is twice that, and would be more than there is.
TEST(Importance, OfAParameterIsItsShareOfTheVariance) {
  const ImportanceReport report = importance(exhausted(grid, [](const search::NamedValues& values) {
    const bool tile = number(values, "TILE") > 32, unroll = number(values, "UNROLL") > 2;
    return std::exp((tile ? 3 : 0) + (unroll ? 1 : 0));  // variances of 9/4 and 1/4
  }));
  ASSERT_THAT(report.parameters, SizeIs(4));
  EXPECT_NEAR(report.parameters[0].loss, 0.9, 0.1);
  EXPECT_NEAR(report.parameters[1].loss, 0.1, 0.05);
  for (const Importance& one : report.parameters) EXPECT_LE(one.loss, report.explained);
}

TEST(Importance, IsSilentWhereCostsFollowNoParameter) {
  search::Rng rng(7);
  const ImportanceReport report =
      importance(exhausted(grid, [&](const search::NamedValues&) { return 1 + rng.uniform(); }));
  EXPECT_EQ(report.trials, 144u);
  EXPECT_LT(report.explained, 0.2);
  EXPECT_THAT(report.parameters, IsEmpty());
}

TEST(Importance, IsSilentOfFewTrials) {
  const ImportanceReport report = importance(exhausted(
      {grid[0]}, [](const search::NamedValues& values) { return static_cast<double>(number(values, "TILE")); }));
  EXPECT_EQ(report.trials, 6u);
  EXPECT_THAT(report.parameters, IsEmpty());
}

TEST(Importance, IsTheSameEachTime) {
  const Evidence evidence = exhausted(grid, [](const search::NamedValues& values) {
    return static_cast<double>(number(values, "TILE") + number(values, "UNROLL"));
  });
  const ImportanceReport once = importance(evidence), again = importance(evidence);
  ASSERT_EQ(once.parameters.size(), again.parameters.size());
  for (std::size_t i = 0; i < once.parameters.size(); ++i) EXPECT_EQ(once.parameters[i].loss, again.parameters[i].loss);
}

}  // namespace
}  // namespace warptune::tuner
