#include "search/search_space.h"

#include <gtest/gtest.h>

#include <set>

namespace warptune {
namespace {

std::vector<Value> integers(std::initializer_list<std::int64_t> numbers) {
  return {numbers.begin(), numbers.end()};
}

Constraint rule(std::string text) {
  return {.text = std::move(text)};
}

SearchSpace blocks() {
  return SearchSpace::build({{"x", integers({16, 32, 64, 128})}, {"y", integers({1, 2, 4})}, {"pad", {true, false}}},
                            {rule("32 <= x * y <= limit"), rule("not pad or x % 32 == 0")},
                            {{"limit", std::int64_t{128}}});
}

TEST(SearchSpace, CountsWhatTheConstraintsLeave) {
  const SearchSpace space = blocks();
  EXPECT_EQ(to_text(space.cartesian_size()), "24");
  EXPECT_EQ(to_text(space.size()), "14");
  EXPECT_TRUE(space.exact());
  EXPECT_FALSE(space.empty());
}

TEST(SearchSpace, IndicesAndConfigurationsAreOneToOne) {
  const SearchSpace space = blocks();
  std::set<Configuration> seen;
  for (Count i = 0; i < space.size(); ++i) {
    const Configuration configuration = space.at(i);
    EXPECT_TRUE(seen.insert(configuration).second);
    EXPECT_TRUE(space.contains(configuration));
    EXPECT_EQ(space.index_of(configuration), i);
  }
  EXPECT_THROW(space.at(space.size()), std::out_of_range);
  EXPECT_FALSE(space.contains({{0, 0, 0}}));
}

TEST(SearchSpace, HammingNeighboursDifferInOneParameter) {
  const SearchSpace space = blocks();
  const Configuration from{{1, 1, 1}};  // x=32, y=2, pad=false
  const std::vector<Configuration> expected{{{0, 1, 1}}, {{2, 1, 1}}, {{1, 0, 1}}, {{1, 2, 1}}, {{1, 1, 0}}};
  EXPECT_EQ(space.neighbours(from, Neighbourhood::hamming), expected);
}

TEST(SearchSpace, AdjacentNeighboursSkipInvalidValues) {
  const SearchSpace space = SearchSpace::build({{"x", integers({1, 2, 3, 4, 5, 6})}}, {rule("x != 4 and x != 5")});
  EXPECT_EQ(space.neighbours({{2}}, Neighbourhood::adjacent), (std::vector<Configuration>{{{1}}, {{5}}}));
}

TEST(SearchSpace, AConstraintThatHasNoValueIsNotSatisfied) {
  const SearchSpace space =
      SearchSpace::build({{"x", integers({4, 6})}, {"y", integers({0, 2, 4})}}, {rule("x % y == 0")});
  EXPECT_EQ(to_text(space.size()), "3");
}

TEST(SearchSpace, PredicatesReadTheirParametersInTheOrderNamed) {
  const Constraint greater{.text = "y > x", .names = {"y", "x"}, .predicate = [](const std::vector<Value>& values) {
                             return to_integer(values[0]) > to_integer(values[1]);
                           }};
  const SearchSpace space = SearchSpace::build({{"x", integers({1, 2, 3})}, {"y", integers({1, 2, 3})}}, {greater});
  EXPECT_EQ(to_text(space.size()), "3");
}

TEST(SearchSpace, RefusesWhatIsNoSpace) {
  EXPECT_THROW(SearchSpace::build({{"x", {}}}, {}), std::invalid_argument);
  EXPECT_THROW(SearchSpace::build({{"x", integers({1, 1})}}, {}), std::invalid_argument);
  EXPECT_THROW(SearchSpace::build({{"x", {std::int64_t{1}, 1.0}}}, {}), std::invalid_argument);
  EXPECT_THROW(SearchSpace::build({{"x", integers({1})}, {"x", integers({2})}}, {}), std::invalid_argument);
  EXPECT_THROW(SearchSpace::build({{"x", integers({1})}}, {rule("x < y")}), std::invalid_argument);
  EXPECT_THROW(SearchSpace::build({{"x", integers({1})}}, {rule("x <")}), ExpressionError);
}

TEST(SearchSpace, RowsKeepTheirOrderAndCountOnce) {
  const SearchSpace space = SearchSpace::from_rows({{"x", integers({1, 2, 3})}, {"y", integers({1, 2})}},
                                                   {{{2, 1}}, {{0, 0}}, {{2, 1}}, {{2, 0}}});
  EXPECT_EQ(to_text(space.size()), "3");
  EXPECT_EQ(space.at(0), (Configuration{{2, 1}}));
  EXPECT_EQ(space.index_of({{2, 0}}), Count{2});
  EXPECT_EQ(space.domains(), (std::vector<std::vector<std::uint32_t>>{{0, 2}, {0, 1}}));
  EXPECT_EQ(space.neighbours({{2, 0}}, Neighbourhood::hamming), (std::vector<Configuration>{{{0, 0}}, {{2, 1}}}));
  EXPECT_THROW(SearchSpace::from_rows({{"x", integers({1})}}, {{{1}}}), std::invalid_argument);
}

TEST(SearchSpace, ValuesAndKeysGoBothWays) {
  const SearchSpace space = blocks();
  const Configuration configuration{{1, 2, 0}};
  EXPECT_EQ(space.key(configuration), "x=32,y=4,pad=true");
  EXPECT_EQ(space.find(space.values(configuration)), configuration);
  EXPECT_FALSE(space.find({{"x", std::int64_t{32}}, {"y", std::int64_t{4}}}).has_value());
  EXPECT_FALSE(space.find({{"x", std::int64_t{33}}, {"y", std::int64_t{4}}, {"pad", true}}).has_value());
}

}  // namespace
}  // namespace warptune
