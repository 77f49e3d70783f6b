#include "search/models/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/search/models/small_space.h"

namespace warptune::search {

namespace {

SearchSpace cube(std::int64_t side, int dimensions) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < dimensions; ++i) parameters.push_back(range("p" + std::to_string(i), side));
  return SearchSpace::build(std::move(parameters), {});
}

TEST(Candidates, AreTheWholeOfASmallSpace) {
  const auto space = cube(10, 3);
  const Encoding encoding(space, {});
  Candidates candidates(space, encoding);
  Rng rng(1);
  EXPECT_TRUE(candidates.whole());
  EXPECT_EQ(candidates.gather(History(encoding), rng).size(), 1000u);
}

TEST(Candidates, OfALargeSpaceHoldTheNeighboursOfTheBest) {
  const auto space = cube(20, 5);
  const Encoding encoding(space, {});
  Candidates candidates(space, encoding);
  History history(encoding);
  Rng rng(1);
  const Configuration best{{3, 7, 1, 9, 0}};
  history.settle(trial_of(best, {1.0}));
  const CandidateList& list = candidates.gather(history, rng);
  const std::set<Configuration> all(list.configurations.begin(), list.configurations.end());
  EXPECT_EQ(all.size(), list.size()) << "some twice";
  for (const Configuration& neighbour : space.neighbours(best, Neighbourhood::hamming))
    EXPECT_TRUE(all.contains(neighbour));
  EXPECT_GT(list.size(), 1000u);
}

// Two samples in a thousand of 3.2 million see any one part of the space; steps from the best of them find the optimum.
TEST(Candidates, OfALargeSpaceHoldWhatAFirstGuessThinksBest) {
  const auto space = cube(20, 5);
  const Configuration optimum{{3, 17, 1, 9, 12}};
  const Encoding encoding(space, {}, [&](const Configuration& configuration) {
    double sum = 0;
    for (std::size_t p = 0; p < 5; ++p)
      sum += std::abs(static_cast<double>(configuration.choices[p]) - static_cast<double>(optimum.choices[p]));
    return sum;
  });
  Candidates candidates(space, encoding);
  Rng rng(1);
  const CandidateList& beginning = candidates.most_plausible(rng);
  EXPECT_EQ(beginning.configurations.front(), optimum);
  const CandidateList& later = candidates.gather(History(encoding), rng);
  EXPECT_NE(std::ranges::find(later.configurations, optimum), later.configurations.end());
  const std::set<Configuration> all(later.configurations.begin(), later.configurations.end());
  EXPECT_EQ(all.size(), later.size()) << "some twice";
}

TEST(Beginning, StartsInTheMiddleOfWhatIsPlausibleAndSpreads) {
  const auto space = cube(11, 2);
  const Encoding encoding(space, {});
  Candidates candidates(space, encoding);
  Rng rng(1);
  const CandidateList& list = candidates.gather(History(encoding), rng);
  // Plausible: the half with x <= 4.
  Eigen::ArrayXf penalties(list.rows.rows());
  for (Eigen::Index i = 0; i < penalties.size(); ++i)
    penalties(i) = list.configurations[static_cast<std::size_t>(i)].choices[0] <= 4 ? 0.0f : 1.0f;
  const auto places = plausible_spread(list.rows.leftCols(2), penalties, 0.1, 5, rng);
  ASSERT_EQ(places.size(), 5u);
  EXPECT_EQ(std::set(places.begin(), places.end()).size(), 5u);
  for (std::size_t place : places) EXPECT_LE(list.configurations[place].choices[0], 4u);
  EXPECT_EQ(list.configurations[places[0]], (Configuration{{2, 5}}));
}

TEST(Beginning, TakesNoMoreThanThereIs) {
  Rng rng(1);
  EXPECT_EQ(plausible_spread(Eigen::MatrixXf::Zero(1, 2), Eigen::ArrayXf::Zero(1), 0.1, 4, rng).size(), 1u);
}

}  // namespace

}  // namespace warptune::search
