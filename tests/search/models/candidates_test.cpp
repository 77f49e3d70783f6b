#include "search/models/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "search/models/beginning.h"
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
