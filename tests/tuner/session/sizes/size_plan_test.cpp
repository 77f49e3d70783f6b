#include "tuner/session/sizes/size_plan.h"

#include <gmock/gmock.h>

#include <map>
#include <numeric>

namespace warptune::tuner {
namespace {

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

TEST(SizePlan, VisitsEverySizeBeforeAnyASecondTime) {
  SizePlan plan({2, 0, 1}, time_budget(20));
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 6; ++i) {
    const auto visit = plan.next();
    ASSERT_TRUE(visit);
    sizes.push_back(visit->size);
    plan.done(*visit, visit->most);
  }
  EXPECT_THAT(sizes, testing::ElementsAre(2, 0, 1, 2, 0, 1));
}

TEST(SizePlan, TriesMoreAtTheSizesThatCoverAllThanAtThoseThatLearnFromThem) {
  SizePlan plan(numbered(64), time_budget(20));
  std::vector<std::size_t> most;
  for (int i = 0; i < 64; ++i) most.push_back(plan.next()->most);
  EXPECT_GT(most.front(), most.back());
}

TEST(SizePlan, SomethingIsTriedInEveryVisit) {
  SizePlan plan(numbered(2), time_budget(20));
  for (int i = 0; i < 6; ++i) EXPECT_GT(plan.next()->least, 0u);
}

TEST(SizePlan, SpendsAllTrialsAndNoneMoreAlsoWhenTheNextVisitIsPlannedAhead) {
  for (const std::size_t budget : {1, 7, 12, 200}) {
    SizePlan plan(numbered(5), trial_budget(budget));
    std::size_t trials = 0;
    for (auto visit = plan.next(); visit;) {
      const auto ahead = plan.next();
      EXPECT_GE(visit->most, 1u);
      EXPECT_GE(visit->most, visit->least);
      trials += visit->most;
      plan.done(*visit, visit->most);
      visit = ahead;
    }
    EXPECT_EQ(trials, budget);
  }
}

TEST(SizePlan, KeepsTrialsForSizesThatAreYetToCome) {
  SizePlan plan(numbered(5), trial_budget(14));
  std::map<std::size_t, std::size_t> trials;
  while (const auto visit = plan.next()) {
    trials[visit->size] += visit->most;
    plan.done(*visit, visit->most);
  }
  ASSERT_EQ(trials.size(), 5u);
  for (const auto& [size, spent] : trials) EXPECT_GE(spent, 2u) << size;
}

TEST(SizePlan, TrialsThatAVisitDidNotNeedAreTheOthers) {
  SizePlan plan(numbered(2), trial_budget(10));
  const auto first = plan.next();
  plan.done(*first, 1);
  EXPECT_EQ(plan.trials_left(), 9u);
}

TEST(SizePlan, ReachedAreThoseWhoseVisitIsDone) {
  SizePlan plan(numbered(2), time_budget(1));
  const auto visit = plan.next();
  EXPECT_FALSE(plan.reached(visit->size));
  plan.done(*visit, 1);
  EXPECT_TRUE(plan.reached(visit->size));
  EXPECT_FALSE(plan.reached(1 - visit->size));
}

}  // namespace
}  // namespace warptune::tuner
