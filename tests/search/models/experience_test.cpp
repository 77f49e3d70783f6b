#include "search/models/experience.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/search/models/small_space.h"

namespace warptune::search {
namespace {

using testing::ElementsAre;

class ExperienceTest : public testing::Test {
 protected:
  // A session whose times grow by a factor of e^0.4 with each step of x away from `best`.
  EarlierTrials session(int best, std::vector<std::uint32_t> tried, double unit = 1) const {
    EarlierTrials trials;
    for (const std::uint32_t x : tried)
      trials.entries.push_back({{{x, 0}}, unit * std::exp(0.4 * std::abs(static_cast<int>(x) - best))});
    return trials;
  }

  SearchSpace space_ = SearchSpace::build({range("x", 10), range("y", 2)}, {});
  Encoding encoding_{space_, {}};
};

TEST_F(ExperienceTest, CountsTimesByTheirRatioToTheSessionsBest) {
  const Experience experience(encoding_, {session(3, {2, 3, 5}, 1000)}, 1);
  EXPECT_NEAR(experience.loss({{3, 0}}), 0, 1e-9);
  EXPECT_NEAR(experience.loss({{2, 0}}), 0.4, 1e-9);
  EXPECT_NEAR(experience.loss({{5, 0}}), 0.8, 1e-9);
}

TEST_F(ExperienceTest, CountsNothingAsWorseThanTheWorst) {
  const Experience experience(encoding_, {session(0, {0, 9})}, 1);
  EXPECT_EQ(experience.loss({{9, 0}}), Experience::worst);
}

TEST_F(ExperienceTest, AveragesSessionsByTheirWeights) {
  EarlierTrials close = session(3, {3, 4}), far = session(4, {3, 4});
  far.weight = 0.25;
  const Experience experience(encoding_, {close, far}, 1);
  EXPECT_NEAR(experience.loss({{3, 0}}), 0.08, 1e-9);
  EXPECT_NEAR(experience.loss({{4, 0}}), 0.32, 1e-9);
}

TEST_F(ExperienceTest, GuessesWhatNobodyKnowsFromItsNeighbours) {
  const Experience experience(encoding_, {session(0, {0, 1, 2, 7, 8, 9})}, 1);
  EXPECT_LT(experience.loss({{1, 1}}), experience.loss({{8, 1}}));
}

TEST_F(ExperienceTest, NamesTheBestOfEachSessionByTurnsAndOnce) {
  const Experience experience(encoding_, {session(3, {2, 3}), session(8, {8, 9, 3})}, 1);
  ASSERT_GE(experience.best().size(), 4u);
  EXPECT_THAT(std::vector(experience.best().begin(), experience.best().begin() + 2),
              ElementsAre(Configuration{{2, 0}}, Configuration{{8, 0}}))
      << "the second session found 3 slow";
  EXPECT_EQ(std::ranges::count(experience.best(), Configuration{{3, 0}}), 1);
}

TEST_F(ExperienceTest, IsEmptyWithoutTwoTrialsThatCompare) {
  EXPECT_TRUE(Experience(encoding_, {}, 1).empty());
  EXPECT_TRUE(Experience(encoding_, {session(3, {3})}, 1).empty());
  EarlierTrials both_signs;
  both_signs.entries = {{{{1, 0}}, -2.0}, {{{2, 0}}, 3.0}};
  EXPECT_TRUE(Experience(encoding_, {both_signs}, 1).empty());
}

TEST_F(ExperienceTest, OfRatesThatAreMaximisedTheLargestIsBest) {
  EarlierTrials rates;
  rates.entries = {{{{1, 0}}, -100.0}, {{{2, 0}}, -50.0}};
  const Experience experience(encoding_, {rates}, 1);
  EXPECT_NEAR(experience.loss({{1, 0}}), 0, 1e-9);
  EXPECT_NEAR(experience.loss({{2, 0}}), std::log(2.0), 1e-9);
}

TEST(Agreement, IsWholeWithoutEvidenceAndWhereExpectationsHold) {
  EXPECT_EQ(agreement({}, {}), 1);
  EXPECT_NEAR(agreement({0, 1, 2}, {5, 6, 7}), 1, 1e-9);
}

TEST(Agreement, IsNoneWhereTheOppositeHoldsAndLittleWhereNothingDoes) {
  EXPECT_EQ(agreement({0, 1, 2}, {2, 1, 0}), 0);
  EXPECT_LT(agreement({0, 1, 2, 0, 1, 2}, {1, 1, 1, 1, 1, 1}), 0.1);
}

TEST(EarlierTrialsTest, AreTakenByTheirValuesWithDefaultsForParametersThatCameLater) {
  const SearchSpace space = SearchSpace::build({numbers("a", {1, 2}), numbers("b", {8, 16})}, {});
  EarlierTrials trials;
  EXPECT_TRUE(trials.add(space, {{"b", std::int64_t{16}}, {"a", std::int64_t{2}}}, {}, 5));
  EXPECT_TRUE(trials.add(space, {{"a", std::int64_t{1}}, {"gone", std::int64_t{7}}}, {{"b", std::int64_t{8}}}, 6));
  EXPECT_FALSE(trials.add(space, {{"a", std::int64_t{1}}}, {}, 6));
  EXPECT_FALSE(trials.add(space, {{"a", std::int64_t{3}}, {"b", std::int64_t{8}}}, {}, 6));
  ASSERT_EQ(trials.entries.size(), 2u);
  EXPECT_EQ(trials.entries[0].configuration, (Configuration{{1, 1}}));
  EXPECT_EQ(trials.entries[1].configuration, (Configuration{{0, 0}}));
}

}  // namespace
}  // namespace warptune::search
