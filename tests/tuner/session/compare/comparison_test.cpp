#include "tuner/session/compare/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/tuner/session/compare/test_strategies.h"

namespace warptune::tuner::compare {
namespace {

using testing::HasSubstr;

TEST(Compare, TellsGoodFromRandom) {
  const replay::Recording space = valley("valley");
  const Comparison comparison = compare(request({&space}, {"sorted", "random"}));
  const search::compare::Score& sorted = comparison.strategies[0].overall.score;
  const search::compare::Score& random = comparison.strategies[1].overall.score;
  EXPECT_EQ(sorted.p_direct.value, 1);
  EXPECT_EQ(sorted.evaluations_to[1].value, 1);
  EXPECT_NEAR(random.p_direct.value, 0, 0.25);
  EXPECT_GT(random.p_direct.error, 0);
  EXPECT_GT(random.ratio[0].value, random.ratio[4].value);
}

TEST(Compare, DescribesTheSpaces) {
  const replay::Recording space = valley("valley");
  const SpaceSummary summary = compare(request({&space}, {"random"})).spaces.at(0);
  EXPECT_EQ(summary.name, "valley");
  EXPECT_EQ(summary.configurations, 600u);
  EXPECT_EQ(summary.failed, 60u);
  EXPECT_EQ(summary.optimum, 1.01);
}

TEST(Compare, GivesEveryStrategyTheSameSeeds) {
  const replay::Recording space = valley("valley");
  const Comparison comparison = compare(request({&space}, {"random", "random"}));
  EXPECT_EQ(comparison.strategies[0].overall.score.p_direct.value,
            comparison.strategies[1].overall.score.p_direct.value);
}

TEST(Compare, GoesOnUntilTheRatiosAreKnown) {
  const replay::Recording space = valley("valley");
  Request wanted = request({&space}, {"random"});
  wanted.scoring.checkpoints = {500, 25};
  EXPECT_EQ(compare(wanted).strategies[0].overall.evaluations, 500);
}

TEST(Compare, EndsWithAStrategyThatIsDone) {
  const replay::Recording space = valley("valley", 30);
  EXPECT_EQ(compare(request({&space}, {"random"})).strategies[0].overall.evaluations, 30);
}

// Counts how many it was asked to have in flight.
class Counting : public FixedOrder {
 public:
  Counting(std::vector<search::Configuration> order, std::size_t& most) : FixedOrder(std::move(order)), most_(most) {}
  std::vector<search::Configuration> ask(std::size_t n) override {
    auto asked = FixedOrder::ask(n);
    in_flight_ += asked.size();
    most_ = std::max(most_, in_flight_);
    return asked;
  }
  void tell(const search::Trial&) override { --in_flight_; }

 private:
  std::size_t& most_;
  std::size_t in_flight_ = 0;
};

TEST(Compare, KeepsSoManyInFlight) {
  const replay::Recording space = valley("valley");
  std::size_t most = 0;
  Request wanted = request({&space}, {"counting"});
  wanted.threads = 1;
  wanted.in_flight = 8;
  wanted.make = [&](std::string_view, const search::StrategyContext& context) {
    return std::make_unique<Counting>(in_order(context.space), most);
  };
  compare(wanted);
  EXPECT_EQ(most, 8u);
}

TEST(Compare, TellsTheBudgetOnlyIfAsked) {
  const replay::Recording space = valley("valley");
  std::vector<std::optional<std::size_t>> budgets;
  Request wanted = request({&space}, {"any"});
  wanted.threads = 1;
  wanted.repeats = 1;
  wanted.make = [&](std::string_view, const search::StrategyContext& context) {
    budgets.push_back(context.trial_budget);
    return std::make_unique<FixedOrder>(in_order(context.space));
  };
  compare(wanted);
  wanted.tell_budget = true;
  const Comparison comparison = compare(wanted);
  EXPECT_FALSE(budgets[0].has_value());
  EXPECT_NEAR(static_cast<double>(budgets[1].value()), 1.1 * comparison.spaces[0].end_evaluations, 1);
}

TEST(Compare, ChargesTheStrategysOwnTime) {
  const replay::Recording space = valley("valley");
  Request wanted = request({&space}, {"random"});
  wanted.threads = 1;
  double clock_s = 0;
  wanted.cpu_s = [&] { return clock_s += 0.01; };  // every call of the strategy takes 10 ms
  const Result measured = compare(wanted).strategies[0].overall;
  EXPECT_NEAR(measured.cpu_ms_per_evaluation, 20, 0.1);
  wanted.charge_cpu = true;
  const Result charged = compare(wanted).strategies[0].overall;
  EXPECT_LT(charged.score.p_direct.value, measured.score.p_direct.value);
}

TEST(Compare, RefusesStrategiesThatBreakTheirContract) {
  const replay::Recording space = valley("valley");
  const auto message = [&](const std::string& name) {
    try {
      compare(request({&space}, {name}));
    } catch (const std::logic_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message("twice"), HasSubstr("strategy twice on valley"));
  EXPECT_THAT(message("foreign"), HasSubstr("not in the space"));
  EXPECT_THROW(compare(request({&space}, {"throws"})), std::runtime_error);
}

TEST(Compare, RefusesRequestsThatCannotBeRun) {
  const replay::Recording space = valley("valley");
  EXPECT_THROW(compare(request({}, {"random"})), std::invalid_argument);
  EXPECT_THROW(compare(request({&space}, {})), std::invalid_argument);
  Request wanted = request({&space}, {"random"});
  wanted.charge_cpu = true;
  EXPECT_THROW(compare(wanted), std::invalid_argument);
}

TEST(Compare, ReportsProgress) {
  const replay::Recording space = valley("valley");
  Request wanted = request({&space}, {"random", "sorted"});
  std::vector<std::size_t> seen;
  wanted.progress = [&](std::size_t done, std::size_t total) {
    seen.push_back(done);
    EXPECT_EQ(total, 2u);
  };
  compare(wanted);
  EXPECT_THAT(seen, testing::ElementsAre(1, 2));
}

TEST(ThreadCpuTime, GrowsWithWork) {
  const double before_s = thread_cpu_s();
  std::uint64_t sum = 0;
  search::Rng rng(1);
  while (thread_cpu_s() == before_s) sum += rng.next();
  EXPECT_GT(thread_cpu_s(), before_s) << sum;
}

}  // namespace
}  // namespace warptune::tuner::compare
