#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tuner/measure/metrics/metrics.h"
#include "tuner/measure/metrics/pareto.h"

namespace warptune::tuner {
namespace {

KernelTemplate kernel_with_metrics() {
  KernelTemplate kernel;
  kernel.name = "k";
  kernel.metrics = {{"GFLOP/s", search::Expression::parse("n / time / 1e9"), true},
                    {"GFLOP/s/W", search::Expression::parse("n / joules / 1e9"), true}};
  return kernel;
}

TEST(Metrics, OfAnEnergyAreThereOnlyIfItWasMeasured) {
  const KernelTemplate kernel = kernel_with_metrics();
  search::Measurement measurement{{2.0}, 2.0};
  auto metrics = evaluate_metrics(kernel, {{"n", std::int64_t{4'000'000'000}}}, {}, measurement);
  EXPECT_DOUBLE_EQ(metrics.at("GFLOP/s"), 2000);
  EXPECT_FALSE(metrics.contains("GFLOP/s/W"));
  measurement.joules = 0.5;
  metrics = evaluate_metrics(kernel, {{"n", std::int64_t{4'000'000'000}}}, {}, measurement);
  EXPECT_DOUBLE_EQ(metrics.at("GFLOP/s/W"), 8);
  EXPECT_DOUBLE_EQ(metrics.at("joules"), 0.5);
}

TEST(Metrics, OfTheErrorAreThereIfItIsKnown) {
  const KernelTemplate kernel = kernel_with_metrics();
  search::Measurement measurement{{2.0}, 2.0};
  EXPECT_FALSE(evaluate_metrics(kernel, {}, {}, measurement).contains("max_error"));
  measurement.error = search::OutputError{0.5, 0.25};
  search::Trial trial;
  trial.metrics = evaluate_metrics(kernel, {}, {}, measurement);
  EXPECT_EQ(trial.metrics.at("max_error"), 0.5);
  EXPECT_EQ(Objective(kernel, "rms_error").value(trial), 0.25);
}

TEST(Metrics, OfCountersAreThereWhereTheyWereRead) {
  KernelTemplate kernel = kernel_with_metrics();
  kernel.metrics.push_back({"reuse", search::Expression::parse("counter.l2_bytes / counter.dram_bytes"), true});
  const search::Measurement measurement{{2.0}, 2.0};
  EXPECT_FALSE(evaluate_metrics(kernel, {}, {}, measurement).contains("reuse"));
  const search::Counters counters{{{"l2_bytes", 12.0}, {"dram_bytes", 3.0}}, {}, {}, ""};
  EXPECT_EQ(evaluate_metrics(kernel, {}, {}, measurement, counters).at("reuse"), 4);
  EXPECT_TRUE(Objective(kernel, "reuse").needs_counters());
  EXPECT_FALSE(Objective(kernel, "GFLOP/s").needs_counters());
}

TEST(Metrics, ThatHaveNoValueForAProblemSayWhy) {
  KernelTemplate kernel = kernel_with_metrics();
  kernel.metrics.push_back({"rate", search::Expression::parse("1 / (n - 1000) / time"), true});
  kernel.metrics.push_back({"share", search::Expression::parse("1 / (n - 1000) / BLOCK"), true});
  const auto reasons = impossible_metrics(kernel, {{"n", std::int64_t{1000}}}, {});
  ASSERT_EQ(reasons.size(), 1u);  // BLOCK is not known yet
  EXPECT_THAT(reasons.at("rate"), testing::HasSubstr("division by zero"));
  EXPECT_TRUE(impossible_metrics(kernel, {{"n", std::int64_t{1001}}}, {}).empty());
}

TEST(Objectives, KnowWhetherTheyNeedTheEnergy) {
  const KernelTemplate kernel = kernel_with_metrics();
  EXPECT_FALSE(Objective(kernel, "time").needs_energy());
  EXPECT_FALSE(Objective(kernel, "GFLOP/s").needs_energy());
  EXPECT_TRUE(Objective(kernel, "joules").needs_energy());
  EXPECT_TRUE(Objective(kernel, "GFLOP/s/W").needs_energy());
}

TEST(Objectives, AreListedByCommas) {
  const KernelTemplate kernel = kernel_with_metrics();
  const auto two = make_objectives(kernel, "time,GFLOP/s/W");
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[1].name(), "GFLOP/s/W");
  EXPECT_EQ(two[1].shown(-8), 8);
  EXPECT_THROW(make_objectives(kernel, "time,time"), std::invalid_argument);
  EXPECT_THROW(make_objectives(kernel, ""), std::invalid_argument);
  EXPECT_THROW(make_objectives(kernel, "time,watts"), std::invalid_argument);
}

TEST(ParetoFront, HoldsWhatNothingElseDominates) {
  EXPECT_EQ(pareto_front({{3, 1}, {1, 3}, {2, 2}, {3, 3}, {2, 2}, {1, 4}, {0, INFINITY}, {}}),
            (std::vector<std::size_t>{1, 2, 0}));
}

TEST(ParetoFront, OfOneObjectiveIsTheBest) {
  EXPECT_EQ(pareto_front({{2}, {1}, {1}}), std::vector<std::size_t>{1});
}

}  // namespace
}  // namespace warptune::tuner
