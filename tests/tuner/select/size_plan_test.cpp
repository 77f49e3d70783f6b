#include "tuner/select/size_plan.h"

#include <gmock/gmock.h>

#include <numeric>

namespace warptune::tuner {
namespace {

using Kind = SizePlan::Kind;

search::BudgetLimits time_budget(double seconds) {
  search::BudgetLimits limits;
  limits.seconds = seconds;
  return limits;
}

search::BudgetLimits trial_budget(std::size_t trials) {
  search::BudgetLimits limits;
  limits.trials = trials;
  return limits;
}

std::vector<std::size_t> numbered(std::size_t sizes) {
  std::vector<std::size_t> order(sizes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

double no_gain(std::size_t) {
  return 0;
}

// What each step is found to take.
using Run = std::function<SizePlan::Outcome(const SizePlan::Step&)>;

std::vector<SizePlan::Step> steps_of(SizePlan& plan, const Run& run, const SizePlan::Gain& gain = no_gain) {
  std::vector<SizePlan::Step> steps;
  while (const auto step = plan.next(gain)) {
    steps.push_back(*step);
    plan.done(*step, run(*step));
    if (steps.size() > 1000) break;
  }
  return steps;
}

SizePlan::Outcome all_of_it(const SizePlan::Step& step) {
  return {.seconds = *step.limits.seconds, .setup_s = 0.05, .trials = 5};
}

// A search uses its time up; a visit is short.
SizePlan::Outcome usual(const SizePlan::Step& step) {
  if (step.kind == Kind::search) return all_of_it(step);
  return {.seconds = std::min(0.15, *step.limits.seconds), .setup_s = 0.05, .trials = 3};
}

TEST(SizePlan, SearchesAFewSizesAndVisitsEachOfTheOthers) {
  SizePlan plan(numbered(64), time_budget(20));
  const auto steps = steps_of(plan, usual);
  ASSERT_GE(steps.size(), 64u);
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(steps[i].size, i);
    EXPECT_EQ(steps[i].kind, i < 6 ? Kind::search : Kind::visit) << i;
  }
  for (std::size_t size = 0; size < 64; ++size) EXPECT_TRUE(plan.reached(size));
}

TEST(SizePlan, KeepsToTheBudget) {
  for (const double seconds : {1.0, 5.0, 20.0, 300.0}) {
    SizePlan plan(numbered(64), time_budget(seconds));
    double spent = 0;
    for (const auto& step : steps_of(plan, usual)) spent += usual(step).seconds;
    EXPECT_LE(spent, seconds * 1.001) << seconds;
  }
}

TEST(SizePlan, AVisitThatTakesLongIsLimitedAndLeavesTimeForTheOthers) {
  SizePlan plan(numbered(64), time_budget(20));
  for (const auto& step : steps_of(plan, all_of_it))
    if (step.kind == Kind::visit) {
      EXPECT_LT(*step.limits.seconds, 1);
    }
  EXPECT_TRUE(plan.reached(30));
}

TEST(SizePlan, SpendsTheRestWhereTheModelExpectsTheMost) {
  SizePlan plan(numbered(10), time_budget(60));
  std::vector<std::size_t> visits(10);
  const auto gain = [](std::size_t size) { return size == 7 ? 0.1 : size == 3 ? 0.05 : 0.0; };
  for (const auto& step : steps_of(plan, usual, gain))
    if (step.kind == Kind::visit) ++visits[step.size];
  EXPECT_GT(visits[7], visits[5]);
  EXPECT_GT(visits[3], visits[5]);
  EXPECT_EQ(visits[5], 1u);
}

TEST(SizePlan, SearchesWhatStillImprovesWhenTheModelExpectsNothing) {
  SizePlan plan(numbered(10), time_budget(100));
  std::vector<double> searched(10);
  const auto run = [&](const SizePlan::Step& step) {
    SizePlan::Outcome outcome = usual(step);
    outcome.improvement = step.size == 1 ? 0.1 : 0;
    if (step.kind == Kind::search) searched[step.size] += outcome.seconds;
    return outcome;
  };
  steps_of(plan, run);
  EXPECT_EQ(std::ranges::max_element(searched) - searched.begin(), 1);
}

TEST(SizePlan, GivesOutNoTimeInWhichNothingCouldBeCompiled) {
  SizePlan plan(numbered(8), time_budget(12));
  const auto run = [](const SizePlan::Step& step) {
    SizePlan::Outcome outcome = usual(step);
    outcome.compile_s = 1.5;
    return outcome;
  };
  std::size_t begun = 0;
  for (const auto& step : steps_of(plan, run))
    if (++begun > 8 && step.kind == Kind::search) {
      EXPECT_GE(*step.limits.seconds, 4.5);
    }
}

TEST(SizePlan, ATinyBudgetEndsBeforeEverySizeIsReached) {
  SizePlan plan(numbered(64), time_budget(1));
  const auto steps = steps_of(plan, [](const SizePlan::Step& step) {
    return SizePlan::Outcome{.seconds = std::max(0.2, *step.limits.seconds), .setup_s = 0.15, .trials = 1};
  });
  EXPECT_LT(steps.size(), 10u);
  EXPECT_FALSE(plan.reached(63));
}

TEST(SizePlan, CountsTrialsExactly) {
  for (const std::size_t budget : {1, 7, 12, 200}) {
    SizePlan plan(numbered(5), trial_budget(budget));
    std::size_t trials = 0;
    for (const auto& step : steps_of(plan, [](const SizePlan::Step& one) {
           return SizePlan::Outcome{.seconds = 0.1, .trials = *one.limits.trials};
         })) {
      EXPECT_GE(*step.limits.trials, 1u);
      trials += *step.limits.trials;
    }
    EXPECT_EQ(trials, budget);
  }
}

TEST(SizePlan, EndsWhenEverySearchIsExhausted) {
  SizePlan plan(numbered(3), time_budget(1e6));
  const auto steps = steps_of(plan, [](const SizePlan::Step& step) {
    return SizePlan::Outcome{.seconds = 0.1, .trials = 4, .exhausted = step.kind == Kind::search};
  });
  EXPECT_LT(steps.size(), 12u);
}

}  // namespace
}  // namespace warptune::tuner
