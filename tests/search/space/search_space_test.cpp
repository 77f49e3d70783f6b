#include "search/space/search_space.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

namespace warptune::search {
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

// Trying all of the 10^10 pairs would take minutes.
TEST(SearchSpace, TwoLargeDomainsUnderOneConstraintMakeASpaceWithoutTryingAllPairs) {
  std::vector<Value> numbers;
  for (std::int64_t i = 1; i <= 100'000; ++i) numbers.emplace_back(i);
  for (const char* text : {"x == 2 * y", "x % y == 0 and x > y", "x <= y"}) {
    const SearchSpace space = SearchSpace::build({{"x", numbers}, {"y", numbers}}, {rule(text)});
    EXPECT_FALSE(space.empty()) << text;
    EXPECT_TRUE(space.contains({{9, 9}}) == (std::string(text) == "x <= y"));
    EXPECT_TRUE(space.contains({{9, 4}}) == (std::string(text) != "x <= y"));
  }
}

std::vector<Value> up_to(std::int64_t last) {
  std::vector<Value> numbers;
  for (std::int64_t i = 1; i <= last; ++i) numbers.emplace_back(i);
  return numbers;
}

// In 1 … last, what `holds`.
template <class Holds>
std::size_t count_pairs(std::int64_t last, const Holds& holds) {
  std::size_t count = 0;
  for (std::int64_t x = 1; x <= last; ++x)
    for (std::int64_t y = 1; y <= last; ++y) count += holds(x, y);
  return count;
}

TEST(SearchSpace, TheFewPairsThatAConstraintLeavesOfTwoWideDomainsAreFoundAndCounted) {
  constexpr std::int64_t last = 3000;
  const auto size = [](const char* text) {
    const SearchSpace space = SearchSpace::build({{"x", up_to(last)}, {"y", up_to(last)}}, {rule(text)});
    EXPECT_TRUE(space.exact()) << text;
    return static_cast<std::size_t>(space.size());
  };
  using Int = std::int64_t;
  EXPECT_EQ(size("1000000 % (x * y) == 0"), count_pairs(last, [](Int x, Int y) { return 1'000'000 % (x * y) == 0; }));
  EXPECT_EQ(size("x * y == 29994 or x == y"), count_pairs(last, [](Int x, Int y) { return x * y == 29994 || x == y; }));
  EXPECT_EQ(size("(x + y) % 2999 == 0"), count_pairs(last, [](Int x, Int y) { return (x + y) % 2999 == 0; }));
  EXPECT_EQ(size("x + y in [2, 3, 5, 7, 4999, 5003]"), count_pairs(last, [](Int x, Int y) {
              return x + y <= 3 || x + y == 5 || x + y == 7 || x + y == 4999 || x + y == 5003;
            }));
  EXPECT_EQ(size("x ** 2 + y ** 2 == 1000000"),
            count_pairs(last, [](Int x, Int y) { return x * x + y * y == 1'000'000; }));
  EXPECT_EQ(size("x // 7 == y // 3 and abs(x - y) == 400"),
            count_pairs(last, [](Int x, Int y) { return x / 7 == y / 3 && std::abs(x - y) == 400; }));
}

// Some 10^10 combinations, of which trying each would take minutes.
TEST(SearchSpace, ThinSpacesAreExactHoweverWideTheirDomains) {
  const auto size = [](std::int64_t last, const char* text) {
    const SearchSpace space = SearchSpace::build({{"x", up_to(last)}, {"y", up_to(last)}}, {rule(text)});
    EXPECT_TRUE(space.exact()) << text;
    return to_text(space.size());
  };
  EXPECT_EQ(size(100'000, "x * y == 299994 or x == y"), "100004");
  EXPECT_EQ(size(100'000, "x + y == 100001"), "100000");
  EXPECT_EQ(size(100'000, "x * y == 1000000"), "39");
  const SearchSpace three =
      SearchSpace::build({{"x", up_to(2000)}, {"y", up_to(2000)}, {"z", up_to(2000)}}, {rule("x * y * z == 2 ** 10")});
  EXPECT_TRUE(three.exact());
  EXPECT_EQ(to_text(three.size()), "66");
}

TEST(SearchSpace, NeighboursAlongAWideDomainAreFoundAmongTheFewThatAreValid) {
  const SearchSpace space =
      SearchSpace::build({{"x", up_to(20'000)}, {"y", up_to(20'000)}}, {rule("1000000 % (x * y) == 0")});
  const auto neighbours = space.neighbours(*space.find({{"x", std::int64_t{250'000 / 25}}, {"y", std::int64_t{1}}}),
                                           Neighbourhood::hamming);
  std::size_t divisors = 0;  // of 100, and of a million
  for (std::int64_t y = 2; y <= 100; ++y) divisors += 100 % y == 0;
  for (std::int64_t x = 1; x <= 20'000; ++x) divisors += x != 10'000 && 1'000'000 % x == 0;
  EXPECT_EQ(neighbours.size(), divisors);
  for (const Configuration& neighbour : neighbours) EXPECT_TRUE(space.contains(neighbour));
}

// Nothing is known of a predicate, so the space cannot be exact, and single draws find nothing.
TEST(SearchSpace, SamplesOfAThinSpaceThatIsNotExactAreValidOrNone) {
  const Constraint product{
      .text = "x * y == 9240", .names = {"x", "y"}, .predicate = [](const std::vector<Value>& values) {
        return std::get<std::int64_t>(values[0]) * std::get<std::int64_t>(values[1]) == 9240;
      }};
  const SearchSpace space =
      SearchSpace::build({{"x", up_to(10'000)}, {"y", up_to(10'000)}}, {product}, {}, {.max_nodes = 10});
  EXPECT_FALSE(space.exact());
  Rng rng(5);
  for (const Configuration& configuration : space.sample_distinct(5, rng)) EXPECT_TRUE(space.contains(configuration));
  for (const Configuration& configuration : space.spread(5, rng)) EXPECT_TRUE(space.contains(configuration));
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

TEST(SearchSpace, CountsBeyondSixtyFourBitsAreExact) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 100; ++i) parameters.push_back({"p" + std::to_string(i), integers({1, 2, 3, 4})});
  const SearchSpace space = SearchSpace::build(parameters, {rule("p0 < p1"), rule("p2 + p3 == 5")});
  EXPECT_EQ(space.cartesian_text(), "1606938044258990275541962092341162602522202993782792835301376");  // 4^100
  EXPECT_EQ(space.cartesian_size(), ~Count{0});
  EXPECT_FALSE(space.exact());  // 24 * 4^96 still exceeds 128 bits
  Rng rng(1);
  EXPECT_TRUE(space.contains(space.sample(rng)));

  parameters.resize(60);
  const SearchSpace countable = SearchSpace::build(parameters, {rule("p0 < p1"), rule("p2 + p3 == 5")});
  EXPECT_TRUE(countable.exact());
  EXPECT_EQ(to_text(countable.size()), "124615124604835863084731911901282304");  // 24 * 4^56
  EXPECT_EQ(countable.index_of(countable.at(countable.size() - 1)), countable.size() - 1);
}

TEST(SearchSpace, SamplesAreUniform) {
  const SearchSpace space = blocks();
  Rng rng(3);
  std::map<Configuration, int> seen;
  for (int i = 0; i < 14'000; ++i) ++seen[space.sample(rng)];
  EXPECT_EQ(seen.size(), 14u);
  for (const auto& [configuration, count] : seen) EXPECT_NEAR(count, 1000, 150) << space.key(configuration);
}

TEST(SearchSpace, TheSameSeedDrawsTheSame) {
  const SearchSpace space = blocks();
  Rng a(5);
  Rng b(5);
  EXPECT_EQ(space.sample_distinct(6, a), space.sample_distinct(6, b));
  EXPECT_EQ(space.spread(6, a), space.spread(6, b));
}

TEST(SearchSpace, SpreadUsesEveryValueAboutEquallyOften) {
  std::vector<Parameter> parameters;
  for (const char* name : {"a", "b", "c"}) parameters.push_back({name, integers({0, 1, 2, 3, 4, 5, 6, 7, 8, 9})});
  const SearchSpace space = SearchSpace::build(parameters, {rule("a != b")});
  Rng rng(6);
  const std::vector<Configuration> spread = space.spread(10, rng);
  ASSERT_EQ(spread.size(), 10u);
  for (std::size_t p = 0; p < 3; ++p) {
    std::set<std::uint32_t> values;
    for (const Configuration& configuration : spread) values.insert(configuration.choices[p]);
    EXPECT_GE(values.size(), 9u) << parameters[p].name;
  }
}

TEST(SearchSpace, AnEmptySpaceNamesAContradictoryPair) {
  const SearchSpace space = SearchSpace::build({{"x", integers({1, 2, 3})}, {"y", integers({1, 2, 3})}},
                                               {rule("x != 2"), rule("x * y > 6"), rule("y < 2"), rule("x > 0")});
  EXPECT_TRUE(space.empty());
  EXPECT_EQ(space.contradiction(), (std::vector<std::string>{"x * y > 6", "y < 2"}));
  EXPECT_EQ(space.domains(), (std::vector<std::vector<std::uint32_t>>{{}, {}}));
  Rng rng(1);
  EXPECT_THROW(space.sample(rng), std::logic_error);
  EXPECT_TRUE(space.sample_distinct(3, rng).empty());
  EXPECT_TRUE(space.neighbours({{0, 0}}, Neighbourhood::hamming).empty());
}

TEST(SearchSpace, KillCountsIgnoreWhatTheOtherConstraintsRemoved) {
  const std::vector<KillCount> counts = blocks().kill_counts();
  ASSERT_EQ(counts.size(), 2u);
  EXPECT_EQ(counts[0].alone, Count{8});  // 16*1, 64*4, 128*2, 128*4, padded or not
  EXPECT_EQ(counts[1].alone, Count{3});  // x = 16 padded
}

// Twenty-four parameters of ten values on a random 4-regular graph: far more than 10^9 valid configurations, and any
// order keeps many parameters open at once, so that hardly any two partial configurations merge.
SearchSpace entangled(std::size_t max_nodes) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 24; ++i)
    parameters.push_back({"p" + std::to_string(i), integers({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})});
  std::vector<Constraint> constraints;
  for (int i = 0; i < 24; ++i)
    for (int step : {5, 7})
      constraints.push_back(rule("p" + std::to_string(i) + " * p" + std::to_string((i + step) % 24) +
                                 " % 11 != " + std::to_string(1 + i % 10)));
  return SearchSpace::build(parameters, constraints, {}, {.max_nodes = max_nodes});
}

TEST(SearchSpace, AnEntangledComponentFallsBackAndStillSamplesValidOnes) {
  const SearchSpace space = entangled(200'000);
  EXPECT_FALSE(space.exact());
  EXPECT_GT(space.size(), Count{1'000'000'000});
  EXPECT_LT(space.index_bytes(), 20'000'000u);
  EXPECT_THROW(space.at(0), std::out_of_range);
  Rng rng(8);
  const std::vector<Configuration> drawn = space.sample_distinct(50, rng);
  EXPECT_EQ(drawn.size(), 50u);
  for (const Configuration& configuration : drawn) EXPECT_TRUE(space.contains(configuration));
}

TEST(SearchSpace, TheFallbackSamplesUniformly) {
  // All different: no state of the search is shared, and nine nodes hold no diagram of it.
  std::vector<Parameter> parameters;
  for (const char* name : {"a", "b", "c"}) parameters.push_back({name, integers({1, 2, 3, 4})});
  const SearchSpace space =
      SearchSpace::build(parameters, {rule("a != b"), rule("b != c"), rule("a != c")}, {}, {.max_nodes = 9});
  ASSERT_FALSE(space.exact());
  Rng rng(9);
  std::map<Configuration, int> seen;
  for (int i = 0; i < 24'000; ++i) ++seen[space.sample(rng)];
  EXPECT_EQ(seen.size(), 24u);
  for (const auto& [configuration, count] : seen) EXPECT_NEAR(count, 1000, 150) << space.key(configuration);
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
}  // namespace warptune::search
