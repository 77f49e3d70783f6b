// What single strategies promise beyond the conformance suite.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "search/strategies/strategy.h"

namespace warptune::search {

namespace {

using Objective = std::function<std::optional<double>(const Configuration&)>;

SearchSpace cube(std::int64_t side) {
  std::vector<Parameter> parameters;
  for (const char* name : {"x", "y", "z"}) {
    parameters.push_back({name, {}});
    for (std::int64_t i = 0; i < side; ++i) parameters.back().values.emplace_back(i);
  }
  return SearchSpace::build(std::move(parameters), {});
}

double valley(const Configuration& c) {
  double value = 1;
  for (std::uint32_t choice : c.choices) value += std::abs(static_cast<double>(choice) - 6);
  return value;
}

Trial trial_of(const Configuration& configuration, std::optional<double> value) {
  Trial trial{.configuration = configuration};
  if (value)
    trial.objectives = {*value};
  else
    trial.outcome = Outcome::launch_error;
  return trial;
}

double best_after(std::string_view name, std::uint64_t seed, std::size_t trials) {
  const SearchSpace space = cube(16);
  const auto strategy = make_strategy(name, {.space = space, .seed = seed});
  double best = 1e9;
  for (std::size_t i = 0; i < trials; ++i) {
    const Configuration asked = strategy->ask(1).at(0);
    best = std::min(best, valley(asked));
    strategy->tell(trial_of(asked, valley(asked)));
  }
  return best;
}

TEST(Repeat, TriesWhatWasTriedInItsOrderAndWhatIsValidHereAlone) {
  const SearchSpace space =
      SearchSpace::build({{"x", {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3}}}}, {{"x != 1"}});
  EarlierTrials earlier;
  for (std::uint32_t x : {2, 1, 0, 2}) earlier.entries.push_back({{{x}}, 1.0});
  const auto strategy = make_strategy("repeat", {.space = space, .earlier = {earlier}});
  const auto asked = strategy->ask(2);
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0], (Configuration{{2}}));
  EXPECT_EQ(asked[1], (Configuration{{0}}));
  EXPECT_EQ(strategy->ask(5), std::vector<Configuration>{(Configuration{{3}})}) << "then what is left";
}

class LearningStrategy : public ::testing::TestWithParam<const char*> {};

TEST_P(LearningStrategy, DescendsAValleyFasterThanChance) {
  double learnt = 0, chance = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    learnt += best_after(GetParam(), seed, 120);
    chance += best_after("random", seed, 120);
  }
  EXPECT_LT(learnt, 0.7 * chance);
}

TEST_P(LearningStrategy, BeginsAtTheStart) {
  const SearchSpace space = cube(16);
  const Configuration start{{3, 4, 5}};
  const auto strategy = make_strategy(GetParam(), {.space = space, .seed = 1, .default_configuration = start});
  EXPECT_EQ(strategy->ask(1), std::vector{start});
}

INSTANTIATE_TEST_SUITE_P(All, LearningStrategy,
                         ::testing::Values("hill_climbing", "multi_start", "local_search", "basin_hopping", "tabu",
                                           "annealing", "genetic", "differential_evolution", "particle_swarm",
                                           "firefly", "distribution", "bandit", "gaussian_process", "random_forest",
                                           "parzen", "auto"),
                         [](const auto& instance) { return std::string(instance.param); });

bool is_neighbour(const Configuration& a, const Configuration& b) {
  int differences = 0;
  for (std::size_t p = 0; p < a.choices.size(); ++p) differences += a.choices[p] != b.choices[p];
  return differences == 1;
}

TEST(LocalSearch, IsNotDraggedBackByLateResultsOfANeighbourhoodItLeft) {
  const SearchSpace space = cube(3);
  const NamedValues options{{"samples", std::int64_t{0}}, {"kick", std::int64_t{3}}, {"restart", 1.0}};
  const auto strategy =
      make_strategy("local_search",
                    {.space = space, .seed = 4, .default_configuration = Configuration{{1, 1, 1}}, .options = options});
  const Configuration start = strategy->ask(1).at(0);
  strategy->tell(trial_of(start, 10));
  const auto neighbours = strategy->ask(6);  // all there are
  ASSERT_EQ(neighbours.size(), 6u);
  for (const Configuration& neighbour : neighbours) EXPECT_TRUE(is_neighbour(neighbour, start));
  const Configuration landing = strategy->ask(1).at(0);  // the search has left, with six results to come
  strategy->tell(trial_of(landing, 20));
  for (const Configuration& neighbour : neighbours) strategy->tell(trial_of(neighbour, 11));  // better than the landing
  EXPECT_TRUE(is_neighbour(strategy->ask(1).at(0), landing));
}

// Five steps of eight, and three of four.
TEST(Firefly, FliesTheLargerShareOfTheWayTheNearerTheBetterOneIs) {
  Parameter x{"x", {}};
  for (std::int64_t i = 0; i < 9; ++i) x.values.emplace_back(i);
  const SearchSpace space = SearchSpace::build({x}, {});
  const auto flies_to = [&](std::uint32_t from) {
    StrategyContext context{.space = space, .seed = 1};
    context.options = {{"samples", std::int64_t{0}},
                       {"fireflies", std::int64_t{2}},
                       {"attraction", 1.0},
                       {"absorption", std::log(2.0)},
                       {"noise", 0.0}};
    const auto strategy = make_strategy("firefly", context);
    strategy->tell(trial_of({{from}}, 5));
    strategy->tell(trial_of({{8}}, 1));
    return strategy->ask(1).at(0);
  };
  EXPECT_EQ(flies_to(0), (Configuration{{5}}));
  EXPECT_EQ(flies_to(4), (Configuration{{7}}));
}

TEST(Distribution, DrawsValuesOfFailuresLess) {
  const SearchSpace space = cube(16);
  const auto strategy = make_strategy("distribution", {.space = space, .seed = 3});
  std::size_t failed = 0;
  constexpr std::size_t trials = 200;
  for (std::size_t i = 0; i < trials; ++i) {
    const Configuration asked = strategy->ask(1).at(0);
    const bool fails = asked.choices[0] < 8;  // half of the space
    failed += fails;
    strategy->tell(trial_of(asked, fails ? std::nullopt : std::optional(1.0 + asked.choices[1] + asked.choices[2])));
  }
  EXPECT_LT(failed, trials / 4);
}

TEST(Strategies, RefuseHyperparametersOutOfRange) {
  const SearchSpace space = cube(3);
  const StrategyContext flag{.space = space, .options = {{"steepest", std::string("yes")}}};
  EXPECT_THROW(make_strategy("hill_climbing", flag), std::invalid_argument);
  const StrategyContext word{.space = space, .options = {{"population", std::string("many")}}};
  EXPECT_THROW(make_strategy("genetic", word), std::invalid_argument);
  const StrategyContext context{.space = space, .options = {{"population", std::int64_t{0}}}};
  EXPECT_THROW(make_strategy("genetic", context), std::invalid_argument);
}

}  // namespace

}  // namespace warptune::search
