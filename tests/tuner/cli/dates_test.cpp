#include "tuner/cli/dates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "db/timestamp.h"

namespace warptune::tuner::cli {
namespace {

// In a place with summer time, east of Greenwich, whatever the machine's is.
class Dates : public testing::Test {
 protected:
  Dates() { set_zone("CET-1CEST,M3.5.0,M10.5.0/3"); }
  ~Dates() override {
    unsetenv("TZ");
    tzset();
  }
  void set_zone(const char* zone) {
    setenv("TZ", zone, 1);
    tzset();
  }
  // Sunday, 22 November 2026, 12:52:46 UTC.
  TimePoint now_ = std::chrono::sys_days(std::chrono::year(2026) / 11 / 22) + std::chrono::hours(12) +
                   std::chrono::minutes(52) + std::chrono::seconds(46);
  std::string since(const std::string& date) { return since_text(date, now_); }
  std::string until(const std::string& date) { return until_text(date, now_); }
};

TEST_F(Dates, OfTheCalendarArePeriodsInLocalTime) {
  EXPECT_EQ(since("today"), "2026-11-21T23:00:00.000Z");
  EXPECT_EQ(until("today"), "2026-11-22T22:59:59.999Z");
  EXPECT_EQ(since("Yesterday"), "2026-11-20T23:00:00.000Z");
  EXPECT_EQ(until("yesterday"), "2026-11-21T22:59:59.999Z");
  EXPECT_EQ(since("this week"), "2026-11-15T23:00:00.000Z");  // Monday the 16th
  EXPECT_EQ(since("last week"), "2026-11-08T23:00:00.000Z");
  EXPECT_EQ(until("last week"), "2026-11-15T22:59:59.999Z");
  EXPECT_EQ(since("this month"), "2026-10-31T23:00:00.000Z");
  EXPECT_EQ(since("last month"), "2026-09-30T22:00:00.000Z");  // summer time still
  EXPECT_EQ(until("last month"), "2026-10-31T22:59:59.999Z");
  EXPECT_EQ(since("last year"), "2024-12-31T23:00:00.000Z");
  EXPECT_EQ(until("last year"), "2025-12-31T22:59:59.999Z");
}

TEST_F(Dates, OfIsoAreAsLongAsTheyArePrecise) {
  EXPECT_EQ(since("2026"), "2025-12-31T23:00:00.000Z");
  EXPECT_EQ(until("2026"), "2026-12-31T22:59:59.999Z");
  EXPECT_EQ(since("2026-11"), "2026-10-31T23:00:00.000Z");
  EXPECT_EQ(until("2026-11"), "2026-11-30T22:59:59.999Z");
  EXPECT_EQ(since("2026-12"), "2026-11-30T23:00:00.000Z");
  EXPECT_EQ(until("2024-02-29"), "2024-02-29T22:59:59.999Z");
  EXPECT_EQ(since("2026-11-22T10:00"), "2026-11-22T09:00:00.000Z");
  EXPECT_EQ(until("2026-11-22T10:00"), "2026-11-22T09:00:59.999Z");
  EXPECT_EQ(since("2026-07-22 10:00:30"), "2026-07-22T08:00:30.000Z");
  EXPECT_EQ(until("2026-07-22 10:00:30"), "2026-07-22T08:00:30.999Z");
  EXPECT_EQ(since("2026-11-22T10:00:30.125Z"), "2026-11-22T10:00:30.125Z");  // as the store writes them
  EXPECT_EQ(until("2026-11-22T10:00:30.125Z"), "2026-11-22T10:00:30.125Z");
  EXPECT_EQ(since("2026-11-22T10:00Z"), "2026-11-22T10:00:00.000Z");
}

TEST_F(Dates, AgoAreMoments) {
  EXPECT_EQ(since("30d"), "2026-10-23T11:52:46.000Z");  // at 13:52 by the clock on the wall, of summer then
  EXPECT_EQ(until("30d"), since("30d"));
  EXPECT_EQ(since("12h"), "2026-11-22T00:52:46.000Z");
  EXPECT_EQ(since("90min"), "2026-11-22T11:22:46.000Z");
  EXPECT_EQ(since("2w"), "2026-11-08T12:52:46.000Z");
  EXPECT_EQ(since("3 days ago"), "2026-11-19T12:52:46.000Z");
  EXPECT_EQ(since("1 day"), "2026-11-21T12:52:46.000Z");
  EXPECT_EQ(since("2 months ago"), "2026-09-22T11:52:46.000Z");
  EXPECT_EQ(since("1y"), "2025-11-22T12:52:46.000Z");
}

TEST_F(Dates, FollowTheZone) {
  set_zone("UTC0");
  EXPECT_EQ(since("today"), "2026-11-22T00:00:00.000Z");
  set_zone("EST5");
  EXPECT_EQ(since("today"), "2026-11-22T05:00:00.000Z");
}

TEST_F(Dates, ThatAreNoneAreRefusedWithTheForms) {
  for (const char* wrong : {"tomorow",
                            "30",
                            "d",
                            "30m",
                            "30x",
                            "-3d",
                            "2026-13",
                            "2026-02-30",
                            "2026-1-1",
                            "2026-11-22T25:00",
                            "2026-11-22T1",
                            "2026-11-22T10:00:61",
                            "2026-11-22T10:00:00.1",
                            "22.11.2026",
                            "11/22/2026",
                            "last",
                            "1969",
                            " ",
                            "99999999999d",
                            "2026-11-22T10:00Zz",
                            "2026-11-22x"})
    EXPECT_THROW(since(wrong), std::invalid_argument) << wrong;
  EXPECT_EQ(since(""), "");
  try {
    since("tomorow");
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("yesterday"));
    EXPECT_THAT(error.what(), testing::HasSubstr("2026-11-22"));
  }
}

}  // namespace
}  // namespace warptune::tuner::cli
