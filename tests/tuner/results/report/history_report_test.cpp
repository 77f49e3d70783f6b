#include "tuner/results/report/history_report.h"

#include <gmock/gmock.h>

#include "db/settled.h"
#include "tests/support/zone_of_test.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;
using testing::Not;

HistoryRow row(const std::string& kernel, const std::string& device, const std::string& started_at, double objective) {
  HistoryRow row;
  row.session.key.kernel = kernel;
  row.session.key.device.name = device;
  row.session.started_at = started_at;
  row.session.trials = 10;
  row.session.correct_trials = 8;
  row.winner = db::Winner{1, objective, {}, 10.0, {}};
  return row;
}

std::vector<HistoryRow> rows() {
  return {row("gemm", "H200", "2026-03-02T00:00:00.000Z", 5), row("copy", "H200", "2026-03-01T00:00:00.000Z", 8),
          row("gemm", "H100", "2026-02-01T00:00:00.000Z", 2)};
}

TEST(HistoryReport, GroupsByOneField) {
  EXPECT_EQ(grouped_history(rows(), {"kernel"}).render(Format::csv),
            "kernel,sessions,trials,correct,best_speed_up,first,last\r\n"
            "gemm,2,20,16,5.0,2026-02-01T00:00:00.000Z,2026-03-02T00:00:00.000Z\r\n"
            "copy,1,10,8,1.25,2026-03-01T00:00:00.000Z,2026-03-01T00:00:00.000Z\r\n");
}

TEST(HistoryReport, GroupsBySeveralFieldsAndByTime) {
  const ZoneOfTest utc("UTC0");
  const std::string csv = grouped_history(rows(), {"device", "month"}).render(Format::csv);
  EXPECT_THAT(csv, HasSubstr("H200,2026-03,2,20,16,2.0,"));
  EXPECT_THAT(csv, HasSubstr("H100,2026-02,1,"));
}

// As --since 2026-02-28 asks for them.
TEST(HistoryReport, DaysAndMonthsAreThoseOfLocalTime) {
  const ZoneOfTest new_york("EST5EDT,M3.2.0,M11.1.0");
  EXPECT_THAT(grouped_history(rows(), {"kernel", "month"}).render(Format::csv), HasSubstr("copy,2026-02,1,"));
  EXPECT_THAT(grouped_history(rows(), {"kernel", "day"}).render(Format::csv), HasSubstr("copy,2026-02-28,1,"));
}

TEST(HistoryReport, TheHeadingSaysTheZoneOfAllRowsOrEachRowItsOwn) {
  const ZoneOfTest new_york("EST5EDT,M3.2.0,M11.1.0");
  const std::string winter = history_table(rows(), {}).render(Format::table);
  EXPECT_THAT(winter, HasSubstr("STARTED (-05:00)"));
  EXPECT_THAT(winter, HasSubstr("2026-03-01 19:00\n"));
  std::vector<HistoryRow> changed = rows();
  changed.push_back(row("gemm", "H200", "2026-07-02T00:00:00.000Z", 5));
  const std::string both = history_table(changed, {}).render(Format::table);
  EXPECT_THAT(both, HasSubstr("2026-03-01 19:00-05:00\n"));
  EXPECT_THAT(both, HasSubstr("2026-07-01 20:00-04:00\n"));
}

TEST(HistoryReport, RefusesUnknownGroups) {
  EXPECT_THROW(grouped_history(rows(), {"colour"}), std::invalid_argument);
}

TEST(HistoryReport, NamesStoresOnlyIfThereAreSeveral) {
  EXPECT_THAT(history_table(rows()).render(Format::csv), Not(HasSubstr("store")));
  std::vector<HistoryRow> located = rows();
  located[1].store = "/system.db";
  EXPECT_THAT(history_table(located).render(Format::csv), HasSubstr("/system.db"));
}

TEST(HistoryReport, SpeedUpIsTheGainWhicheverWayTheObjectiveGoes) {
  EXPECT_EQ(db::speed_up({1, 5, {}, 10.0, {}}), 2);
  EXPECT_EQ(db::speed_up({1, -20, {}, -10.0, {}}), 2);
  EXPECT_FALSE(db::speed_up({1, 5, {}, {}, {}}).has_value());
}

}  // namespace
}  // namespace warptune::tuner
