#include "tuner/program/cli/grammar/dates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "db/timestamp.h"
#include "tuner/results/report/text/figures.h"

namespace warptune::tuner::cli {
namespace {

// As the machine's data on zones have America/New_York and Asia/Kolkata.
constexpr char new_york[] = "EST5EDT,M3.2.0,M11.1.0", kolkata[] = "IST-5:30";

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

TEST_F(Dates, MayNameTheirZone) {
  for (const char* zone : {new_york, kolkata, "UTC0"}) {
    set_zone(zone);
    for (const char* date :
         {"2026-11-22T15:30+05:30", "2026-11-22 15:30+05:30", "2026-11-22 15:30 +0530", "2026-11-22 05:00-05:00",
          "2026-11-22 05:00-05", "2026-11-22 10:00Z", "2026-11-22 10:00 UTC", "2026-11-22T10:00+00:00"}) {
      EXPECT_EQ(since(date), "2026-11-22T10:00:00.000Z") << date;
      EXPECT_EQ(until(date), "2026-11-22T10:00:59.999Z") << date;
    }
    EXPECT_EQ(since("2026-11-22T10:00:30.125+01:00"), "2026-11-22T09:00:30.125Z");
  }
}

TEST_F(Dates, WithoutAZoneAreLocal) {
  set_zone(new_york);
  EXPECT_EQ(since("2026-11-24 18:30"), "2026-11-24T23:30:00.000Z");
  EXPECT_EQ(since("2026-07-24 18:30"), "2026-07-24T22:30:00.000Z");
  set_zone(kolkata);
  EXPECT_EQ(since("2026-11-25 05:00"), "2026-11-24T23:30:00.000Z");
}

// On 1 November 2026, New York's 01:30 is at 05:30 and at 06:30 UTC; on 8 March it has no 02:30.
TEST_F(Dates, OfAnHourThatComesTwiceAreBoth) {
  set_zone(new_york);
  EXPECT_EQ(since("2026-11-01 01:30"), "2026-11-01T05:30:00.000Z");
  EXPECT_EQ(until("2026-11-01 01:30"), "2026-11-01T06:30:59.999Z");
  EXPECT_EQ(since("2026-11-01 01:30-04:00"), "2026-11-01T05:30:00.000Z");
  EXPECT_EQ(until("2026-11-01 01:30-05:00"), "2026-11-01T06:30:59.999Z");
  EXPECT_EQ(since("2026-11-01 00:59"), "2026-11-01T04:59:00.000Z");
  EXPECT_EQ(since("2026-11-01 02:00"), "2026-11-01T07:00:00.000Z");
  EXPECT_NO_THROW(since("2026-03-08 02:30"));
}

// Through a year with its changes of the clock.
TEST_F(Dates, AreAskedForAsTheyAreShown) {
  for (const char* zone : {new_york, kolkata, "CET-1CEST,M3.5.0,M10.5.0/3", "UTC0", "NST3:30NDT,M3.2.0,M11.1.0"}) {
    set_zone(zone);
    for (int hours = 0; hours < 24 * 365; hours += 1 + hours % 3) {
      const std::string moment = db::iso8601(now_ + std::chrono::hours(hours));
      const std::string shown = moment_text(moment);
      ASSERT_TRUE(since(shown) <= moment && moment <= until(shown)) << zone << ' ' << moment << ' ' << shown;
      ASSERT_EQ(since(shown).substr(0, 16), moment.substr(0, 16)) << zone << ' ' << shown;
    }
  }
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
                            "2026-11-22T10:00+24:00",
                            "2026-11-22T10:00+1",
                            "2026-11-22T10:00+01:00:00",
                            "2026-11-22Z",
                            "2026-11-22T10:00+",
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
