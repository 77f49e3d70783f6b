#include "search/space/moves.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace warptune::search {

namespace {

SearchSpace halves() {
  return SearchSpace::build({{"x", {1, 2, 3, 4}}, {"y", {1, 2, 3}}, {"z", {1, 2, 3, 4, 5}}}, {{"x + y <= 5"}});
}

std::size_t differences(const Configuration& a, const Configuration& b) {
  std::size_t count = 0;
  for (std::size_t p = 0; p < a.choices.size(); ++p) count += a.choices[p] != b.choices[p];
  return count;
}

TEST(RandomNeighbour, IsUniformOverTheValidNeighbours) {
  const SearchSpace space = halves();
  Rng rng(1);
  const Configuration centre{{2, 1, 0}};
  const auto neighbours = space.neighbours(centre, Neighbourhood::hamming);
  std::map<Configuration, int> drawn;
  for (int i = 0; i < 8000; ++i) ++drawn[*random_neighbour(space, centre, rng)];
  EXPECT_EQ(drawn.size(), neighbours.size());
  for (const Configuration& neighbour : neighbours)
    EXPECT_NEAR(drawn[neighbour], 8000.0 / static_cast<double>(neighbours.size()), 150) << space.key(neighbour);
}

TEST(RandomNeighbour, FindsTheOnlyOneAmongManyInvalid) {
  const auto space = SearchSpace::build({{"x", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}, {"y", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}},
                                        {{"(x == 0 and y == 0) or (x == 0 and y == 9)"}});
  Rng rng(1);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(random_neighbour(space, {{0, 0}}, rng), (Configuration{{0, 9}}));
}

TEST(RandomNeighbour, IsNothingWhereThereIsNone) {
  const auto space = SearchSpace::build({{"x", {0, 1}}, {"y", {0, 1}}}, {{"x == y"}});
  Rng rng(1);
  EXPECT_EQ(random_neighbour(space, {{0, 0}}, rng), std::nullopt);
  EXPECT_EQ(kicked(space, {{0, 0}}, 5, rng), (Configuration{{0, 0}}));
}

TEST(SomeNeighbours, AreDrawnFromWideDomainsOnlyUntilThereAreEnough) {
  Parameter wide{"x", {}};
  for (std::int64_t i = 0; i < 1000; ++i) wide.values.emplace_back(i);
  const SearchSpace space = SearchSpace::build({wide}, {});
  constexpr std::size_t enough = 20;
  Rng rng(1), same(1);
  EXPECT_EQ(some_neighbours(space, {{0}}, enough, rng).size(), enough);
  std::set<std::uint64_t> drawn;
  while (drawn.size() < enough) drawn.insert(same.below(999));
  EXPECT_EQ(rng.below(1'000'000), same.below(1'000'000)) << "one draw each, and none beside";
}

TEST(Repaired, LeavesValidConfigurationsAlone) {
  const SearchSpace space = halves();
  Rng rng(1);
  EXPECT_EQ(repaired(space, {{3, 0, 4}}, {{0, 0, 0}}, rng), (Configuration{{3, 0, 4}}));
}

TEST(Repaired, ChangesOneParameterWhereThatIsEnough) {
  const SearchSpace space = halves();
  Rng rng(1);
  const Configuration invalid{{3, 2, 4}};
  for (int i = 0; i < 20; ++i) {
    const Configuration result = repaired(space, invalid, {{0, 0, 0}}, rng);
    EXPECT_TRUE(space.contains(result));
    EXPECT_EQ(differences(result, invalid), 1u);
  }
}

TEST(Repaired, KeepsWhatItCanOfTheWantedChoices) {
  Rng rng(1);
  // Changing a, b and c one by one is never valid; d can be had.
  const auto wide = SearchSpace::build({{"a", {0, 1, 2}}, {"b", {0, 1, 2}}, {"c", {0, 1, 2}}, {"d", {0, 1}}},
                                       {{"a == b"}, {"b == c"}});
  EXPECT_EQ(repaired(wide, {{0, 1, 2, 1}}, {{0, 0, 0, 0}}, rng), (Configuration{{0, 0, 0, 1}}));
}

TEST(Positions, CountOnlyValuesThatOccur) {
  const auto space = SearchSpace::build({{"x", {1, 2, 3, 4, 5}}, {"y", {0, 1}}}, {{"x % 2 == 1"}});
  EXPECT_EQ(position_of(space, {{4, 1}}), (Position{2, 1}));
  EXPECT_EQ(choices_at(space, {1.2, -3}), (Configuration{{2, 0}}));
  EXPECT_EQ(choices_at(space, {9, 0.6}), (Configuration{{4, 1}}));
}

}  // namespace

}  // namespace warptune::search
