#include "tuner/results/select/selection.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>

#include "search/random.h"

namespace warptune::tuner {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

constexpr double infinite = std::numeric_limits<double>::infinity();

// What the choice is judged by, computed in the plainest way.
std::tuple<double, double, double> judged(const SelectionProblem& problem, const std::vector<std::size_t>& chosen) {
  double missed = 0, worst = 0, mean = 0;
  for (std::size_t size = 0; size < problem.default_slowdown.size(); ++size) {
    double best = infinite;
    for (const std::size_t c : chosen) best = std::min(best, problem.slowdown[c][size]);
    if (best > problem.default_slowdown[size]) missed += best - problem.default_slowdown[size];
    worst = std::max(worst, best);
    mean += best / static_cast<double>(problem.default_slowdown.size());
  }
  return {missed, worst, mean};
}

std::tuple<double, double, double> brute_force(const SelectionProblem& problem, std::size_t k) {
  std::tuple<double, double, double> best{infinite, infinite, infinite};
  std::vector<std::size_t> chosen;
  const std::function<void(std::size_t)> extend = [&](std::size_t first) {
    if (!chosen.empty()) best = std::min(best, judged(problem, chosen));
    if (chosen.size() == k) return;
    for (std::size_t c = first; c < problem.slowdown.size(); ++c) {
      chosen.push_back(c);
      extend(c + 1);
      chosen.pop_back();
    }
  };
  extend(0);
  return best;
}

SelectionProblem random_problem(std::size_t configurations, std::size_t sizes, search::Rng& rng) {
  SelectionProblem problem;
  for (std::size_t c = 0; c < configurations; ++c) {
    problem.slowdown.emplace_back();
    for (std::size_t size = 0; size < sizes; ++size) problem.slowdown.back().push_back(1 + rng.uniform());
  }
  problem.default_slowdown = problem.slowdown.front();  // the default is one of them
  return problem;
}

TEST(Selection, IsTheBestThereIsAsBruteForceFinds) {
  search::Rng rng(7);
  for (int round = 0; round < 60; ++round) {
    const std::size_t k = 1 + rng.below(4);
    const SelectionProblem problem = random_problem(3 + rng.below(10), 2 + rng.below(6), rng);
    const Selection selection = select_kernels(problem, k);
    EXPECT_TRUE(selection.exact);
    const auto [missed, worst, mean] = brute_force(problem, k);
    EXPECT_EQ(missed, 0);  // the default alone misses nothing
    EXPECT_FALSE(selection.above_default);
    EXPECT_DOUBLE_EQ(selection.worst_regret, worst - 1) << round;
    EXPECT_THAT(selection.mean_regret, DoubleNear(mean - 1, 1e-12)) << round;
  }
}

TEST(Selection, GreedyAndSwapsNeverFallBelowTheDefaultAndStayNearTheBest) {
  search::Rng rng(3);
  double heuristic = 0, exact = 0;
  for (int round = 0; round < 40; ++round) {
    const SelectionProblem problem = random_problem(14, 5, rng);
    const Selection fast = select_kernels(problem, 3, 1);  // no nodes for branch and bound
    EXPECT_FALSE(fast.exact);
    EXPECT_FALSE(fast.above_default);
    heuristic += fast.worst_regret;
    exact += select_kernels(problem, 3).worst_regret;
  }
  EXPECT_GE(heuristic, exact);
  EXPECT_LT(heuristic, 1.15 * exact);
}

TEST(Selection, OneForEverySizeHasNoRegret) {
  const SelectionProblem problem{{{1, 3}, {3, 1}, {2, 2}}, {2.5, 2.5}};
  EXPECT_THAT(select_kernels(problem, 1).chosen, ElementsAre(2));
  const Selection two = select_kernels(problem, 2);
  EXPECT_THAT(two.chosen, ElementsAre(0, 1));
  EXPECT_THAT(two.at, ElementsAre(0, 1));
  EXPECT_EQ(two.worst_regret, 0);
  EXPECT_EQ(select_kernels(problem, 9).worst_regret, 0);
}

TEST(Selection, RatherRegretsMoreThanIsSlowerThanTheDefault) {
  // Configuration 1 has the smaller worst regret, but loses to the default at the first size.
  const SelectionProblem problem{{{1.1, 1.9}, {1.2, 1.2}}, {1.1, 1.9}};
  const Selection selection = select_kernels(problem, 1);
  EXPECT_THAT(selection.chosen, ElementsAre(0));
  EXPECT_FALSE(selection.above_default);
}

TEST(Selection, AConfigurationThatFailsSomewhereServesElsewhere) {
  const SelectionProblem problem{{{1, infinite}, {2, 1}}, {infinite, infinite}};
  EXPECT_THAT(select_kernels(problem, 1).chosen, ElementsAre(1));
  EXPECT_THAT(select_kernels(problem, 2).at, ElementsAre(0, 1));
}

TEST(Selection, SaysWhenTheDefaultCannotBeReached) {
  EXPECT_TRUE(select_kernels({{{1.5, 1.0}}, {1.2, 1.2}}, 1).above_default);
}

TEST(Selection, RefusesWhatMakesNoSense) {
  EXPECT_THROW(select_kernels({{{1}}, {1}}, 0), std::invalid_argument);
  EXPECT_THROW(select_kernels({{}, {1}}, 1), std::invalid_argument);
  EXPECT_THROW(select_kernels({{{1, 2}}, {1}}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace warptune::tuner
