#include "search/budget.h"

#include <gtest/gtest.h>

namespace warptune::search {
namespace {

Trial measured(double objective) {
  Trial trial;
  trial.outcome = Outcome::correct;
  trial.objectives = {objective};
  return trial;
}

TEST(Budget, IsNeverSpentWithoutALimit) {
  Budget budget({});
  for (int i = 0; i < 1000; ++i) budget.count(measured(1));
  EXPECT_FALSE(budget.spent(1e9, 0.0));
  EXPECT_GT(budget.remaining(1000), 1'000'000u);
}

TEST(Budget, EndsAtTheFirstLimitThatIsReached) {
  BudgetLimits limits;
  limits.trials = 3;
  limits.seconds = 60;
  Budget budget(limits);
  EXPECT_EQ(budget.spent(60, {}), "the time is up");
  for (const std::size_t left : {2u, 1u, 0u}) {
    EXPECT_EQ(budget.remaining(1), left) << "what is in flight is spoken for";
    EXPECT_FALSE(budget.spent(1, {}));
    budget.count(measured(1));
  }
  EXPECT_EQ(budget.spent(1, {}), "all 3 trials are done");
}

TEST(Budget, SpeaksOfOneTrialInTheSingular) {
  BudgetLimits limits;
  limits.trials = 1;
  Budget budget(limits);
  budget.count(measured(1));
  EXPECT_EQ(budget.spent(1, {}), "the one trial is done");
}

TEST(Budget, EndsAtATargetThatAnEarlierSessionReached) {
  BudgetLimits limits;
  limits.target = 2;
  Budget budget(limits);
  budget.count(measured(2.5));
  EXPECT_FALSE(budget.spent(0, {}));
  budget.remember(measured(2));
  EXPECT_EQ(budget.spent(0, {}), "the target is reached");
}

TEST(Budget, CountsFailuresAndEqualsAsNoImprovement) {
  BudgetLimits limits;
  limits.stagnation = 2;
  Budget budget(limits);
  budget.count(measured(2));
  Trial failed;
  failed.outcome = Outcome::timeout;
  budget.count(failed);
  EXPECT_FALSE(budget.spent(0, {}));
  budget.count(measured(2));
  EXPECT_EQ(budget.spent(0, {}), "no improvement in 2 trials");
  budget.count(measured(1));
  EXPECT_FALSE(budget.spent(0, {}));
}

TEST(Budget, EndsWhenLittleIsExpectedButNotWhenNothingIsKnown) {
  BudgetLimits limits;
  limits.min_expected_improvement = 0.01;
  const Budget budget(limits);
  EXPECT_FALSE(budget.spent(0, std::nullopt)) << "the strategy has no model, or not yet";
  EXPECT_FALSE(budget.spent(0, 0.02));
  EXPECT_EQ(budget.spent(0, 0.005), "no configuration is expected to be much better");
}

TEST(Budget, SaysWhenItEnds) {
  BudgetLimits limits;
  EXPECT_EQ(to_text(limits), "no limit");
  limits.trials = 1;
  EXPECT_EQ(to_text(limits), "1 trial");
  limits = {};
  limits.seconds = 90;
  EXPECT_EQ(to_text(limits), "90 s");
  limits = {};
  limits.seconds = 600;
  limits.stagnation = 200;
  limits.min_expected_improvement = 0.0025;
  EXPECT_EQ(to_text(limits),
            "10 min, or 200 trials without an improvement, or when less than 0.25 % improvement is expected");
}

}  // namespace
}  // namespace warptune::search
