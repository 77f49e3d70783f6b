// What searching with a model promises beyond the conformance suite.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "search/strategies/strategy.h"

namespace warptune::search {

namespace {

SearchSpace grid(std::int64_t side) {
  std::vector<Parameter> parameters;
  for (const char* name : {"x", "y"}) {
    parameters.push_back({name, {}});
    for (std::int64_t i = 0; i < side; ++i) parameters.back().values.emplace_back(i);
  }
  return SearchSpace::build(std::move(parameters), {});
}

// Smooth, with its minimum of 1 at (6, 6).
double bowl(const Configuration& c) {
  return std::exp(0.02 * (std::pow(c.choices[0] - 6.0, 2) + std::pow(c.choices[1] - 6.0, 2)));
}

Trial trial_of(const Configuration& configuration, std::vector<double> objectives) {
  Trial trial{.configuration = configuration};
  if (objectives.empty()) trial.outcome = Outcome::launch_error;
  trial.objectives = std::move(objectives);
  return trial;
}

using Objectives = std::function<std::vector<double>(const Configuration&)>;

// Everything tried, with always so many in flight.
std::vector<Configuration> search(Strategy& strategy, const Objectives& objectives, std::size_t trials,
                                  std::size_t in_flight = 1) {
  std::vector<Configuration> tried, flying;
  while (tried.size() < trials) {
    for (Configuration& asked : strategy.ask(in_flight - flying.size())) flying.push_back(std::move(asked));
    if (flying.empty()) break;
    strategy.tell(trial_of(flying.front(), objectives(flying.front())));
    tried.push_back(flying.front());
    flying.erase(flying.begin());
  }
  return tried;
}

class ModelSearchTest : public ::testing::TestWithParam<const char*> {
 protected:
  SearchSpace space_ = grid(24);
  std::unique_ptr<Strategy> strategy_ = make_strategy(GetParam(), {.space = space_, .seed = 2});
};

std::size_t distance_to(const std::vector<Configuration>& tried, const Configuration& optimum) {
  return static_cast<std::size_t>(std::ranges::find(tried, optimum) - tried.begin());
}

TEST_P(ModelSearchTest, FindsTheBottomOfABowlWithinAFewDozenTrials) {
  EXPECT_LT(distance_to(search(
                            *strategy_, [](const auto& c) { return std::vector{bowl(c)}; }, 60),
                        {{6, 6}}),
            60u);
}

TEST_P(ModelSearchTest, FindsItWithEightInFlight) {
  EXPECT_LT(distance_to(search(
                            *strategy_, [](const auto& c) { return std::vector{bowl(c)}; }, 80, 8),
                        {{6, 6}}),
            80u);
}

TEST_P(ModelSearchTest, LearnsWhereConfigurationsFail) {
  const auto half = [](const Configuration& c) {
    return c.choices[0] + c.choices[1] < 10 ? std::vector<double>{} : std::vector{bowl(c)};
  };
  const auto tried = search(*strategy_, half, 80);
  EXPECT_LT(std::ranges::count_if(tried, [&](const auto& c) { return half(c).empty(); }), 40);
  EXPECT_LT(distance_to(tried, {{6, 6}}), 80u) << "it lies beside the failures";
}

// Trials of a session whose optimum was at (x, y), of which every third configuration was tried.
EarlierTrials session_around(double x, double y) {
  EarlierTrials trials;
  for (std::uint32_t i = 0; i < 24 * 24; i += 3) {
    const Configuration c{{i % 24, i / 24}};
    trials.entries.push_back(
        {c, 40 * std::exp(0.02 * (std::pow(c.choices[0] - x, 2) + std::pow(c.choices[1] - y, 2)))});
  }
  return trials;
}

TEST_P(ModelSearchTest, BeginsWhereAnEarlierSessionWasBest) {
  const auto strategy = make_strategy(GetParam(), {.space = space_, .seed = 2, .earlier = {session_around(7, 5)}});
  const auto tried = search(
      *strategy, [](const auto& c) { return std::vector{bowl(c)}; }, 20);
  EXPECT_LT(bowl(tried.front()), 1.2) << "the best before is among the better half of a percent here";
  EXPECT_LT(distance_to(tried, {{6, 6}}), 20u);
}

TEST_P(ModelSearchTest, OvercomesAnEarlierSessionThatMisleads) {
  const auto strategy = make_strategy(GetParam(), {.space = space_, .seed = 2, .earlier = {session_around(20, 20)}});
  EXPECT_LT(distance_to(search(
                            *strategy, [](const auto& c) { return std::vector{bowl(c)}; }, 60),
                        {{6, 6}}),
            60u);
}

class ModelSearchBeginning : public ::testing::Test {
 protected:
  SearchSpace space_ = grid(24);
};

// What a strategy begins with where nothing is known of other sessions.
std::vector<Configuration> own_beginning(const SearchSpace& space) {
  const auto strategy = make_strategy("gaussian_process", {.space = space, .seed = 2});
  return search(
      *strategy, [](const auto& c) { return std::vector{bowl(c)}; }, 6);
}

TEST_F(ModelSearchBeginning, TakesItsOwnByTurnsWithThoseOfAnEarlierSessionThatHolds) {
  const EarlierTrials earlier = session_around(6, 6);
  const auto strategy = make_strategy("gaussian_process", {.space = space_, .seed = 2, .earlier = {earlier}});
  const auto tried = search(
      *strategy, [](const auto& c) { return std::vector{bowl(c)}; }, 9);
  const auto own = own_beginning(space_);
  for (std::size_t i = 0; i < own.size(); ++i) EXPECT_EQ(tried[i < 3 ? 2 * i + 1 : i + 3], own[i]) << i;
}

TEST_F(ModelSearchBeginning, GoesOnAsWithoutAnEarlierSessionOnceItMisleads) {
  const auto upside_down = [](const Configuration& c) { return std::vector{1 / bowl(c)}; };
  const auto strategy =
      make_strategy("gaussian_process", {.space = space_, .seed = 2, .earlier = {session_around(6, 6)}});
  const auto tried = search(*strategy, upside_down, 9);
  for (const Configuration& own : own_beginning(space_)) EXPECT_LE(distance_to(tried, own), 7u);
}

// The model says nothing sensible after one result: as many more samples as bring in four.
TEST_F(ModelSearchBeginning, GoesOnWithOthersInFlightUntilFourResultsAreIn) {
  const auto objective = [](const Configuration& c) { return std::vector{bowl(c)}; };
  const auto more =
      make_strategy("gaussian_process", {.space = space_, .seed = 2, .options = {{"samples", std::int64_t{12}}}});
  const auto samples = search(*more, objective, 12);
  const auto strategy = make_strategy("gaussian_process", {.space = space_, .seed = 2});
  const auto tried = search(*strategy, objective, 12, 8);
  for (std::size_t i = 0; i < 11; ++i) EXPECT_EQ(tried[i], samples[i]) << i;
  EXPECT_NE(tried[11], samples[11]);
}

TEST_F(ModelSearchBeginning, GoesOnUntilOneIsCorrectOrChanceIsToDecide) {
  const auto strategy = make_strategy("gaussian_process", {.space = space_, .seed = 2});
  const auto more =
      make_strategy("gaussian_process", {.space = space_, .seed = 2, .options = {{"samples", std::int64_t{23}}}});
  const auto fails = [](const Configuration&) { return std::vector<double>{}; };
  const auto tried = search(*strategy, fails, 23), samples = search(*more, fails, 23);
  for (std::size_t i = 0; i < 22; ++i) EXPECT_EQ(tried[i], samples[i]) << i;
  EXPECT_NE(tried[22], samples[22]);
}

// What is believed of the many says little beside the six that are known.
TEST_F(ModelSearchBeginning, LooksFartherFromTheBestTheMoreIsInFlight) {
  const auto strategy = make_strategy("gaussian_process", {.space = space_, .seed = 2});
  const auto known = search(
      *strategy, [](const auto& c) { return std::vector{bowl(c)}; }, 6);
  const Configuration best = *std::ranges::min_element(known, {}, bowl);
  double distances = 0;
  const auto asked = strategy->ask(16);
  for (const Configuration& c : asked)
    distances += std::hypot(static_cast<double>(c.choices[0]) - best.choices[0],
                            static_cast<double>(c.choices[1]) - best.choices[1]);
  EXPECT_GT(distances / static_cast<double>(asked.size()), 7) << "4 if all that is believed were known";
}

// As good a guess as the logarithm of the time, up to what it is counted from.
double guess_around(double x, double y, const Configuration& c) {
  return 5 + 0.02 * (std::pow(c.choices[0] - x, 2) + std::pow(c.choices[1] - y, 2));
}

TEST_P(ModelSearchTest, BeginsWhereTheFirstGuessIsBest) {
  const auto strategy =
      make_strategy(GetParam(), {.space = space_, .seed = 2, .first_guess = std::bind_front(guess_around, 7, 5)});
  const auto tried = search(
      *strategy, [](const auto& c) { return std::vector{bowl(c)}; }, 24);
  EXPECT_LT(bowl(tried.front()), 2);
  EXPECT_LT(distance_to(tried, {{6, 6}}), 20u);
}

// The opposite corner is guessed to be the best: of 576, chance would need 288 on average.
TEST_P(ModelSearchTest, OvercomesAFirstGuessThatMisleads) {
  const auto strategy =
      make_strategy(GetParam(), {.space = space_, .seed = 2, .first_guess = std::bind_front(guess_around, 20, 20)});
  EXPECT_LT(distance_to(search(
                            *strategy, [](const auto& c) { return std::vector{bowl(c)}; }, 100),
                        {{6, 6}}),
            100u);
}

INSTANTIATE_TEST_SUITE_P(All, ModelSearchTest, ::testing::Values("gaussian_process", "random_forest", "auto"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(Automatic, CoversTheParetoFrontOfTwoObjectives) {
  // The front is the diagonal from one objective's optimum to the other's.
  const SearchSpace space = grid(24);
  const auto to = [](const Configuration& c, double x, double y) {
    return 1 + std::hypot(c.choices[0] - x, c.choices[1] - y);
  };
  const auto both = [&](const Configuration& c) { return std::vector{to(c, 4, 4), to(c, 18, 18)}; };
  const auto strategy = make_strategy("auto", {.space = space, .seed = 2});
  const auto tried = search(*strategy, both, 100);
  std::size_t on_front = 0;
  for (std::uint32_t i = 4; i <= 18; ++i) on_front += distance_to(tried, {{i, i}}) < tried.size();
  EXPECT_GE(on_front, 8u) << "of 15";
}

TEST(Automatic, ExpectsLessAndLessImprovement) {
  const SearchSpace space = grid(24);
  const auto strategy = make_strategy("auto", {.space = space, .seed = 2});
  EXPECT_FALSE(strategy->expected_improvement().has_value()) << "it knows nothing yet";
  const auto objective = [](const Configuration& c) { return std::vector{bowl(c)}; };
  search(*strategy, objective, 8);
  const auto early = strategy->expected_improvement();
  search(*strategy, objective, 60);
  const auto late = strategy->expected_improvement();
  ASSERT_TRUE(early && late);
  EXPECT_GT(*early, 0.001);
  EXPECT_LT(*late, *early / 10);
  EXPECT_GE(*late, 0);
}

// Longer than its models decide every trial: they sleep and wake.
TEST(Automatic, ExhaustsASpaceThroughTheRoundsOfItsModels) {
  const SearchSpace space = grid(30);
  const auto strategy = make_strategy("auto", {.space = space, .seed = 2});
  const auto objective = [](const Configuration& c) {
    return c.choices[0] % 7 == 3 ? std::vector<double>{} : std::vector{bowl(c)};
  };
  auto tried = search(*strategy, objective, 700);
  EXPECT_TRUE(strategy->expected_improvement().has_value()) << "as it was when they fell asleep";
  std::ranges::copy(search(*strategy, objective, 300, 8), std::back_inserter(tried));
  EXPECT_EQ(tried.size(), 900u);
  std::ranges::sort(tried, {}, &Configuration::choices);
  EXPECT_EQ(std::ranges::adjacent_find(tried), tried.end()) << "one was asked twice";
}

TEST(Automatic, GoesOnToImproveInASpaceOfMillionsWhereTheModelStalls) {
  std::vector<Parameter> parameters;
  for (int p = 0; p < 8; ++p) {
    parameters.push_back({"p" + std::to_string(p), {}});
    for (std::int64_t i = 0; i < 8; ++i) parameters.back().values.emplace_back(i);
  }
  const SearchSpace space = SearchSpace::build(std::move(parameters), {});
  // Separable, but each parameter's order means nothing.
  const auto scrambled = [](const Configuration& c) {
    double sum = 1;
    for (std::size_t p = 0; p < c.choices.size(); ++p) sum += static_cast<double>((c.choices[p] * 5 + p) % 8);
    return std::vector{sum};
  };
  const auto strategy = make_strategy("auto", {.space = space, .seed = 2});
  double best = 1e9;
  for (const Configuration& c : search(*strategy, scrambled, 400)) best = std::min(best, scrambled(c)[0]);
  EXPECT_LE(best, 3);
}

}  // namespace

}  // namespace warptune::search
