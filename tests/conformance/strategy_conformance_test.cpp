// What every strategy of the registry must do, whatever the space and the results are like.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "search/strategies/strategy.h"

namespace warptune::tuner {

namespace {

using Objective =
    std::function<std::optional<double>(const search::Configuration&)>;  // nothing: the configuration fails

search::Parameter numbers(const std::string& name, std::int64_t n) {
  search::Parameter parameter{name, {}};
  for (std::int64_t i = 0; i < n; ++i) parameter.values.emplace_back(i);
  return parameter;
}

search::SearchSpace grid(std::int64_t width, std::int64_t height) {
  return search::SearchSpace::build({numbers("x", width), numbers("y", height)}, {});
}

double distance(const search::Configuration& configuration, double centre) {
  double sum = 0;
  for (std::uint32_t choice : configuration.choices) sum += std::abs(choice - centre);
  return sum;
}

std::optional<double> single_valley(const search::Configuration& configuration) {
  return 1 + distance(configuration, 3);
}
std::optional<double> constant_time(const search::Configuration&) {
  return 1.0;
}
std::optional<double> always_failing(const search::Configuration&) {
  return std::nullopt;
}
std::optional<double> many_valleys(const search::Configuration& configuration) {
  double value = 10;
  for (std::uint32_t choice : configuration.choices) value += 0.1 * choice - std::cos(1.7 * choice);
  return value;
}
std::optional<double> noisy(const search::Configuration& configuration) {
  return 1 + static_cast<double>(search::ConfigurationHash()(configuration) % 1000);
}
std::optional<double> half_failing(const search::Configuration& configuration) {
  return configuration.choices[0] % 2 == 0 ? std::nullopt : many_valleys(configuration);
}

search::Trial trial_of(const search::Configuration& configuration, const Objective& objective) {
  search::Trial trial{.configuration = configuration};
  if (const auto value = objective(configuration)) {
    trial.measurement = search::Measurement{.samples_ms = {*value}, .median_ms = *value};
    trial.objectives = {*value};
  } else {
    trial.outcome = search::Outcome::launch_error;
    trial.message = "refused";
  }
  return trial;
}

class StrategyConformance : public ::testing::TestWithParam<std::string_view> {
 protected:
  static std::unique_ptr<search::Strategy> make(const search::SearchSpace& space, std::uint64_t seed = 1) {
    return search::make_strategy(GetParam(), {.space = space, .seed = seed});
  }

  // Up to `limit` trials with so many in flight, told in random order; checks the promises on the way.
  static std::vector<search::Configuration> search(search::Strategy& strategy, const search::SearchSpace& space,
                                                   const Objective& objective, std::size_t limit,
                                                   std::size_t in_flight = 1) {
    search::Rng rng(7);
    std::vector<search::Configuration> asked, flying;
    std::set<search::Configuration> seen;
    while (asked.size() < limit) {
      for (const search::Configuration& configuration : strategy.ask(in_flight - flying.size())) {
        EXPECT_TRUE(space.contains(configuration)) << space.key(configuration);
        EXPECT_TRUE(seen.insert(configuration).second) << "again: " << space.key(configuration);
        asked.push_back(configuration);
        flying.push_back(configuration);
      }
      if (flying.empty()) break;
      EXPECT_LE(flying.size(), in_flight);
      std::swap(flying[rng.below(flying.size())], flying.back());
      strategy.tell(trial_of(flying.back(), objective));
      flying.pop_back();
    }
    return asked;
  }

  static void expect_exhausts(const search::SearchSpace& space, const Objective& objective) {
    for (std::size_t in_flight : {1u, 3u, 8u}) {
      const auto strategy = make(space);
      const auto asked = search(*strategy, space, objective, 100'000, in_flight);
      EXPECT_EQ(asked.size(), static_cast<std::size_t>(space.size())) << in_flight << " in flight";
      EXPECT_TRUE(strategy->ask(1).empty());
    }
  }
};

TEST_P(StrategyConformance, ExhaustsASpaceOfOneConfiguration) {
  expect_exhausts(grid(1, 1), single_valley);
}
TEST_P(StrategyConformance, ExhaustsATinySpace) {
  expect_exhausts(grid(2, 2), single_valley);
}
TEST_P(StrategyConformance, ExhaustsASingleValley) {
  expect_exhausts(grid(12, 9), single_valley);
}
TEST_P(StrategyConformance, ExhaustsManyValleys) {
  expect_exhausts(grid(12, 9), many_valleys);
}
TEST_P(StrategyConformance, ExhaustsWhereEveryTimeIsTheSame) {
  expect_exhausts(grid(12, 9), constant_time);
}
TEST_P(StrategyConformance, ExhaustsWhereEverythingFails) {
  expect_exhausts(grid(12, 9), always_failing);
}
TEST_P(StrategyConformance, ExhaustsWhereHalfFails) {
  expect_exhausts(grid(12, 9), half_failing);
}
TEST_P(StrategyConformance, ExhaustsNoise) {
  expect_exhausts(grid(12, 9), noisy);
}

TEST_P(StrategyConformance, AcceptsNegatedAndZeroObjectives) {
  expect_exhausts(grid(12, 9), [](const search::Configuration& c) { return std::optional(4 - distance(c, 3)); });
}

// Only one configuration in about thirty is valid, and most have no valid neighbour.
TEST_P(StrategyConformance, ExhaustsAHeavilyConstrainedSpace) {
  const auto space = search::SearchSpace::build({numbers("x", 16), numbers("y", 16), numbers("z", 16)},
                                                {{"(x + y + z) % 16 == 5"}, {"x % 2 == y % 2"}});
  expect_exhausts(space, many_valleys);
}

TEST_P(StrategyConformance, ExhaustsASpaceGivenByItsRows) {
  const auto space = search::SearchSpace::from_rows(
      {numbers("x", 9), numbers("y", 9)}, {{{0, 0}}, {{1, 5}}, {{8, 2}}, {{8, 8}}, {{0, 8}}, {{3, 3}}, {{3, 4}}});
  expect_exhausts(space, single_valley);
}

TEST_P(StrategyConformance, AsksNothingOfAnEmptySpace) {
  const auto space = search::SearchSpace::build({numbers("x", 3)}, {{"x > 5"}});
  EXPECT_TRUE(make(space)->ask(4).empty());
}

TEST_P(StrategyConformance, WorksInAHugeConstrainedSpace) {
  std::vector<search::Parameter> parameters;
  for (int i = 0; i < 12; ++i) parameters.push_back(numbers("p" + std::to_string(i), 12));
  const auto space =
      search::SearchSpace::build(std::move(parameters), {{"(p0 + p1) % 2 == 0"}, {"p2 <= p3"}, {"p4 * p5 < 60"}});
  ASSERT_GT(space.size(), search::Count{1'000'000'000'000});
  const auto strategy = make(space);
  EXPECT_GE(search(*strategy, space, many_valleys, 150, 8).size(), 150u);
}

TEST_P(StrategyConformance, RepeatsItsDecisionsUnderASeed) {
  const auto space = grid(20, 20);
  const auto first = make(space, 5), second = make(space, 5);
  EXPECT_EQ(search(*first, space, many_valleys, 120, 4), search(*second, space, many_valleys, 120, 4));
}

TEST_P(StrategyConformance, NeverAsksForWhatItWasToldUnasked) {
  const auto space = grid(9, 9);
  const auto strategy = make(space);
  search::Rng rng(3);
  std::set<search::Configuration> told;
  for (const search::Configuration& configuration : space.sample_distinct(40, rng)) {
    strategy->tell(trial_of(configuration, half_failing));
    told.insert(configuration);
  }
  const auto asked = search(*strategy, space, half_failing, 1000, 3);
  EXPECT_EQ(asked.size(), 41u);
  for (const search::Configuration& configuration : asked) EXPECT_FALSE(told.contains(configuration));
}

TEST_P(StrategyConformance, ToleratesResultsToldTwiceAndInBetween) {
  const auto space = grid(9, 9);
  const auto strategy = make(space);
  search::Rng rng(3);
  std::set<search::Configuration> known;
  for (int round = 0; round < 30; ++round) {
    for (const search::Configuration& configuration : strategy->ask(2)) {
      EXPECT_TRUE(known.insert(configuration).second) << space.key(configuration);
      strategy->tell(trial_of(configuration, single_valley));
      strategy->tell(trial_of(configuration, single_valley));
    }
    const search::Configuration foreign = space.sample(rng);
    strategy->tell(trial_of(foreign, single_valley));
    known.insert(foreign);
  }
}

TEST_P(StrategyConformance, KeepsAskingWhileNothingIsTold) {
  const auto space = grid(8, 8);
  const auto strategy = make(space);
  std::set<search::Configuration> asked;
  for (int i = 0; i < 16; ++i)
    for (const search::Configuration& configuration : strategy->ask(8)) EXPECT_TRUE(asked.insert(configuration).second);
  EXPECT_LE(asked.size(), 64u);
  EXPECT_FALSE(asked.empty());
}

TEST_P(StrategyConformance, RefusesTrialsThatItsSpaceCannotHave) {
  const auto space = grid(3, 3);
  const auto strategy = make(space);
  for (const search::Configuration& foreign :
       {search::Configuration{{1}}, search::Configuration{{1, 1, 1}}, search::Configuration{{1, 3}}})
    EXPECT_THROW(strategy->tell(trial_of(foreign, single_valley)), std::invalid_argument);
  EXPECT_EQ(search(*strategy, space, single_valley, 100).size(), 9u);
}

TEST_P(StrategyConformance, RefusesAFailedTrialThatIsRated) {
  const auto space = grid(3, 3);
  const auto strategy = make(space);
  search::Trial rated = trial_of({{1, 1}}, always_failing);
  rated.objectives = {1.0};
  EXPECT_THROW(strategy->tell(rated), std::invalid_argument);
  EXPECT_EQ(search(*strategy, space, single_valley, 100).size(), 9u);
}

TEST_P(StrategyConformance, TakesACorrectTrialWithoutRatingForAFailure) {
  const auto space = grid(3, 3);
  const auto strategy = make(space);
  search::Trial unrated = trial_of({{1, 1}}, single_valley);
  unrated.objectives.clear();
  strategy->tell(unrated);
  EXPECT_EQ(search(*strategy, space, single_valley, 100).size(), 8u);
}

TEST_P(StrategyConformance, TakesAnObjectiveThatIsNoNumberForAFailure) {
  expect_exhausts(grid(6, 5), [](const search::Configuration& c) {
    return std::optional(c.choices[0] % 2 == 0 ? std::numeric_limits<double>::quiet_NaN()
                                               : std::numeric_limits<double>::infinity());
  });
}

TEST_P(StrategyConformance, AsksNothingWhenAskedForNothing) {
  const auto space = grid(3, 3);
  const auto strategy = make(space);
  EXPECT_TRUE(strategy->ask(0).empty());
  EXPECT_EQ(search(*strategy, space, single_valley, 100).size(), 9u);
}

TEST_P(StrategyConformance, RefusesUnknownOptions) {
  const auto space = grid(3, 3);
  const search::StrategyContext context{.space = space, .options = {{"no such option", std::int64_t{1}}}};
  EXPECT_THROW(make_strategy(GetParam(), context), std::invalid_argument);
}

search::Parameter from_one(const std::string& name, std::int64_t last) {
  search::Parameter parameter{name, {}};
  for (std::int64_t i = 1; i <= last; ++i) parameter.values.emplace_back(i);
  return parameter;
}

// In 4 · 10^8 combinations a constraint leaves few: whoever looks for them one by one takes minutes for a step.
TEST_P(StrategyConformance, ThinksOfSomethingInASpaceOfWideDomainsWithFewValidPairs) {
  for (const char* constraint : {"1000000 % (x * y) == 0", "x * y == 19994 or x == y", "x + y == 19997"}) {
    const auto space =
        search::SearchSpace::build({from_one("x", 20'000), from_one("y", 20'000), numbers("z", 2)}, {{constraint}});
    EXPECT_EQ(search(*make(space), space, noisy, 40, 4).size(), 40u) << constraint;
  }
}

TEST_P(StrategyConformance, ThinksOfSomethingWhereThreeWideDomainsAreTiedTogether) {
  const auto space = search::SearchSpace::build({from_one("x", 3000), from_one("y", 3000), from_one("z", 3000)},
                                                {{"x * y * z == 5040"}});
  EXPECT_EQ(search(*make(space), space, noisy, 40, 4).size(), 40u);
}

TEST_P(StrategyConformance, ThinksOfSomethingWhereAParameterIsWideAndFree) {
  const auto space = search::SearchSpace::build({from_one("x", 200'000), from_one("y", 200'000)}, {});
  EXPECT_EQ(search(*make(space), space, noisy, 40, 4).size(), 40u);
}

// Nothing is known of a predicate, so that the few cannot be counted. Whatever is found is valid, and nothing is a
// result, too.
TEST_P(StrategyConformance, GivesUpWhereValidConfigurationsAreTooRareToFind) {
  const search::Constraint product{
      .text = "x * y == 9240", .names = {"x", "y"}, .predicate = [](const std::vector<search::Value>& values) {
        return std::get<std::int64_t>(values[0]) * std::get<std::int64_t>(values[1]) == 9240;
      }};
  const auto space =
      search::SearchSpace::build({from_one("x", 10'000), from_one("y", 10'000)}, {product}, {}, {.max_nodes = 10});
  ASSERT_FALSE(space.exact());
  if (GetParam() == "exhaustive") {
    EXPECT_THROW(make(space), std::invalid_argument);
  } else {
    EXPECT_LE(search(*make(space), space, noisy, 5, 1).size(), 5u);
  }
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> all;
  for (const search::StrategyEntry& entry : search::strategies()) all.push_back(entry.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, StrategyConformance, ::testing::ValuesIn(names()),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace

}  // namespace warptune::tuner
