// The vocabulary of counters: sums, means and ratios over launches, and its page.
#include "tuner/device/counters.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "tests/support/places.h"
#include "tuner/device/backends/cuda/sensors/counter_metrics.h"

namespace warptune::tuner {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

TEST(Counters, OfSeveralLaunchesAddUp) {
  const search::Counters counters = counters_of({{"a", {{"dram_read_bytes", 100}, {"dram_write_bytes", 20}}},
                                                 {"b", {{"dram_read_bytes", 1}, {"dram_write_bytes", 2}}}},
                                                {});
  EXPECT_EQ(counters.values.at("dram_read_bytes"), 101);
  EXPECT_EQ(counters.values.at("dram_bytes"), 123);
  EXPECT_EQ(counters.launches.at(0).values.at("dram_bytes"), 120);
}

// A rate of a launch with much traffic counts for more than that of one with little.
TEST(Counters, RatesOfSeveralLaunchesAreWeighed) {
  const std::vector<search::LaunchCounters> launches = {{"a", {{"l2_bytes", 300}, {"l2_hit_rate", 100}}},
                                                        {"b", {{"l2_bytes", 100}, {"l2_hit_rate", 0}}}};
  EXPECT_EQ(in_all(launches).at("l2_hit_rate"), 75);
}

TEST(Counters, RatiosAreThoseOfTheSumsAndNotTheirMean) {
  const std::vector<search::LaunchCounters> launches = {
      {"a", {{"global_load_requests", 10}, {"global_load_sectors", 40}}},
      {"b", {{"global_load_requests", 30}, {"global_load_sectors", 960}}}};
  EXPECT_EQ(in_all(launches).at("global_load_sectors_per_request"), 25);
}

TEST(Counters, WithoutAnythingToCountHaveNoRate) {
  const double nothing = std::nan("");
  const search::Counters counters = counters_of(
      {{"a", {{"l1_bytes", 0}, {"l1_hit_rate", nothing}, {"shared_load_requests", 0}, {"shared_load_conflicts", 0}}},
       {"b", {{"l1_bytes", 64}, {"l1_hit_rate", 50}, {"shared_load_requests", 0}, {"shared_load_conflicts", 0}}}},
      {});
  EXPECT_EQ(counters.values.at("l1_hit_rate"), 50);
  EXPECT_FALSE(counters.launches[0].values.contains("l1_hit_rate"));
  EXPECT_FALSE(counters.values.contains("shared_load_conflicts_per_request"));
}

TEST(Counters, ThatOneLaunchLacksHaveNoSum) {
  EXPECT_THAT(in_all(std::vector<search::LaunchCounters>{{"a", {{"warps", 1}}}, {"b", {}}}),
              Not(Contains(Pair("warps", 1))));
}

TEST(Counters, FollowFromOthersOfTheList) {
  std::vector<std::string_view> before;
  for (const CounterInfo& counter : all_counters()) {
    if (counter.counted == Counted::added || counter.counted == Counted::ratio) {
      EXPECT_THAT(before, Contains(counter.part)) << counter.name;
    }
    EXPECT_TRUE(counter.whole.empty() || find_counter(counter.whole)) << counter.name;
    EXPECT_THAT(before, Not(Contains(counter.name)));
    EXPECT_FALSE(counter.meaning.empty());
    before.push_back(counter.name);
  }
}

TEST(Counters, HaveTheHostBackendsWords) {
  AccessCounts counts;
  counts[Count::global_load_requests] = 2;
  counts[Count::global_load_sectors] = 9;
  EXPECT_EQ(counters_of({{"k", values_of(counts)}}, {}).values.at("global_load_sectors_per_request"), 4.5);
  EXPECT_THAT(lacking_on_the_host(), Contains("dram_read_bytes"));
  for (std::size_t i = 0; i < count_kinds; ++i)
    EXPECT_NE(find_counter(name_of(static_cast<Count>(i))), nullptr) << name_of(static_cast<Count>(i));
}

bool is_counted_on_the_host(std::string_view name) {
  for (std::size_t i = 0; i < count_kinds; ++i)
    if (name_of(static_cast<Count>(i)) == name) return true;
  return false;
}

std::string metric_of(const CounterInfo& counter) {
  for (const cuda::CounterMetric& metric : cuda::counter_metrics())
    if (metric.counter == counter.name)
      return metric.further.empty() ? fmt::format("`{}`", metric.metric)
                                    : fmt::format("`{}`, else `{}`", metric.metric, metric.further);
  if (counter.counted == Counted::added) return fmt::format("`{}` + `{}`", counter.part, counter.whole);
  if (counter.counted == Counted::ratio) return fmt::format("`{}` / `{}`", counter.part, counter.whole);
  return "";
}

std::string rows() {
  std::string text;
  for (const CounterInfo& counter : all_counters()) {
    const bool follows = counter.counted == Counted::ratio && is_counted_on_the_host(counter.whole);
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", counter.name, counter.unit, counter.meaning,
                        metric_of(counter), is_counted_on_the_host(counter.name) || follows ? "yes" : "");
  }
  return text;
}

TEST(Counters, AreOnTheirPageAsTheProgramHasThem) {
  std::ifstream file(source_folder() + "/docs/reference/counters.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_THAT(page.str(), HasSubstr(rows())) << "the table should be:\n" << rows();
}

}  // namespace
}  // namespace warptune::tuner
