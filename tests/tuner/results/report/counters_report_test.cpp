// What was counted, for people and programs.
#include "tuner/results/report/text/counters_report.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tuner/device/counters.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

search::Counters two_launches() {
  return counters_of({{"load", {{"dram_read_bytes", 1'500'000}, {"dram_write_bytes", 0}, {"warps", 64}}},
                      {"store", {{"dram_read_bytes", 0}, {"dram_write_bytes", 2'000'000}, {"warps", 32}}}},
                     {"pipe_fp64"});
}

TEST(CountersReport, ValuesHaveTheirUnits) {
  EXPECT_EQ(counter_value_text("dram_bytes", 3'500'000), "3.50 MB");
  EXPECT_EQ(counter_value_text("dram_bytes", 512), "512 B");
  EXPECT_EQ(counter_value_text("achieved_occupancy", 61.25), "61.2 %");
  EXPECT_EQ(counter_value_text("warps", 1e9), "1.00 G");
  EXPECT_EQ(counter_value_text("stall_barrier", 0.5), "0.500 cycles");
}

TEST(CountersReport, TheBusiestUnitIsNamedAndBindsIfItIsBusyMostOfTheTime) {
  search::Counters counters;
  EXPECT_EQ(busiest_text(counters), "");
  counters.values = {{"sm_throughput", 37.2}, {"l2_throughput", 94.07}, {"dram_throughput", 32.3}};
  EXPECT_EQ(busiest_text(counters), "The L2 cache was busiest, at 94 % of the peak: that is what it is bound by.");
  counters.values["l2_throughput"] = 20.7;
  EXPECT_THAT(busiest_text(counters), AllOf(HasSubstr("The multiprocessors were busiest"), HasSubstr("latency")));
}

TEST(CountersReport, ForPeopleSumsComeFirstAndLaunchesBehind) {
  const std::string text = counters_text(two_launches(), 100);
  EXPECT_THAT(text, AllOf(HasSubstr("dram_bytes"), HasSubstr("3.50 MB"), HasSubstr("pipe_fp64")));
  EXPECT_LT(text.find("3.50 MB"), text.find("LAUNCH"));
  EXPECT_LT(text.find("LAUNCH"), text.find("store"));
  EXPECT_THAT(text, AllOf(HasSubstr("load"), HasSubstr("store")));
}

TEST(CountersReport, FitsTheTerminal) {
  std::istringstream lines(counters_text(two_launches(), 80));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST(CountersReport, SaysWhyNothingWasCounted) {
  const search::Counters none{{}, {}, {}, "this user may not"};
  EXPECT_THAT(counters_text(none, 80), AllOf(HasSubstr("this user may not"), Not(HasSubstr("COUNTER"))));
  EXPECT_EQ(counters_json(none)["failure"], "this user may not");
  EXPECT_TRUE(counters_json(std::nullopt).is_null());
}

TEST(CountersReport, ProgramsGetEveryLaunchAndEveryBit) {
  const std::string csv = counter_table(two_launches()).render(Format::csv);
  EXPECT_THAT(csv, AllOf(HasSubstr("launch,kernel,counter,value,unit"), HasSubstr(",,dram_bytes,3500000.0,B"),
                         HasSubstr("2,store,dram_write_bytes,2e+06,B")));
  EXPECT_EQ(counters_json(two_launches())["launches"][0]["values"]["dram_read_bytes"], 1'500'000);
}

}  // namespace
}  // namespace warptune::tuner
