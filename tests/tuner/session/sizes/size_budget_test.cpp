#include "tuner/session/sizes/size_budget.h"

#include <gmock/gmock.h>

#include <functional>

namespace warptune::tuner {
namespace {

using testing::ElementsAre;

// Spends every slice as it was meant; `improvement` tells a size's from the number of its slice.
std::vector<double> spent_by_size(SizeBudget& budget, std::size_t sizes, double seconds,
                                  const std::function<double(std::size_t size, std::size_t slice)>& improvement) {
  std::vector<double> spent(sizes);
  std::vector<std::size_t> slices(sizes);
  while (const auto slice = budget.next()) {
    spent[slice->size] += *slice->limits.seconds;
    budget.done(*slice, {.fraction_spent = *slice->limits.seconds / seconds,
                         .improvement = improvement(slice->size, slices[slice->size]++)});
  }
  return spent;
}

search::BudgetLimits seconds(double amount) {
  search::BudgetLimits limits;
  limits.seconds = amount;
  return limits;
}

TEST(SizeBudget, SpreadsEvenlyWhereNothingImproves) {
  SizeBudget budget(4, seconds(80));
  EXPECT_THAT(spent_by_size(budget, 4, 80, [](auto, auto) { return 0.0; }), ElementsAre(20, 20, 20, 20));
}

TEST(SizeBudget, GivesTheRestToTheSizeThatStillImproves) {
  SizeBudget budget(4, seconds(80));
  EXPECT_THAT(spent_by_size(budget, 4, 80, [](std::size_t size, auto) { return size == 2 ? 0.1 : 0.0; }),
              ElementsAre(10, 10, 50, 10));
}

TEST(SizeBudget, MovesOnWhenTheImprovementEnds) {
  SizeBudget budget(2, seconds(80));
  const auto spent = spent_by_size(
      budget, 2, 80, [](std::size_t size, std::size_t slice) { return size == 0 && slice < 2 ? 0.1 : 0.05; });
  EXPECT_THAT(spent, ElementsAre(40, 40));
}

TEST(SizeBudget, ExhaustedSizesLeaveTheirShareToTheOthers) {
  SizeBudget budget(2, seconds(80));
  double other = 0;
  while (const auto slice = budget.next()) {
    const bool first = slice->size == 0;
    other += first ? 0 : *slice->limits.seconds;
    budget.done(*slice, {.fraction_spent = first ? 0.0 : *slice->limits.seconds / 80, .exhausted = first});
  }
  EXPECT_DOUBLE_EQ(other, 80);
}

TEST(SizeBudget, EverySizeHasItsShareEvenIfTheFirstTakesTooLong) {
  SizeBudget budget(2, seconds(80));
  auto slice = budget.next();
  budget.done(*slice, {.fraction_spent = 1.5});
  slice = budget.next();
  ASSERT_TRUE(slice.has_value());
  EXPECT_EQ(slice->size, 1u);
  EXPECT_EQ(slice->limits.seconds, 20);
  budget.done(*slice, {.fraction_spent = 0.25});
  EXPECT_FALSE(budget.next().has_value());
}

TEST(SizeBudget, DividesTrialsToo) {
  search::BudgetLimits limits;
  limits.trials = 40;
  SizeBudget budget(2, limits);
  std::size_t trials = 0;
  while (const auto slice = budget.next()) {
    trials += *slice->limits.trials;
    budget.done(*slice, {.fraction_spent = budget.fraction(1, *slice->limits.trials)});
  }
  EXPECT_EQ(trials, 40u);
}

TEST(SizeBudget, WithoutALimitEverySizeIsSearchedOnceToItsEnd) {
  SizeBudget budget(2, {});
  std::vector<std::size_t> order;
  while (const auto slice = budget.next()) {
    order.push_back(slice->size);
    budget.done(*slice, {.improvement = 1});
  }
  EXPECT_THAT(order, ElementsAre(0, 1));
}

TEST(SizeBudget, LateImprovementIsThatOfTheLaterHalfOfTheSlice) {
  const auto trial = [](double objective) {
    search::Trial one;
    one.objectives = {objective};
    return one;
  };
  search::Trial failed;
  failed.outcome = search::Outcome::timeout;
  EXPECT_DOUBLE_EQ(late_improvement({trial(9), trial(10), trial(8), trial(6), trial(7)}, 1), 0.25);
  EXPECT_EQ(late_improvement({trial(5), trial(10), trial(8)}, 1), 0);
  EXPECT_EQ(late_improvement({failed, trial(8)}, 0), 1);
  EXPECT_EQ(late_improvement({failed, failed}, 0), 0);
  EXPECT_DOUBLE_EQ(late_improvement({trial(-4), trial(-5)}, 0), 0.25);  // a maximised metric
}

}  // namespace
}  // namespace warptune::tuner
