// What `best` says of a winner's lead.
#include "tuner/results/report/best_report.h"

#include <gmock/gmock.h>

namespace warptune::tuner {
namespace {

using testing::HasSubstr;

db::WinnerFinalist finalist(db::TrialId trial, double slower_by) {
  db::WinnerFinalist made;
  made.trial = trial;
  made.objective = 1 + slower_by;
  made.slower_by = made.slower_low = made.slower_high = slower_by;
  return made;
}

// Trial 1 won, and trial 2 is the default configuration.
BestRow row(std::vector<db::WinnerFinalist> finalists, db::TrialId won = 1) {
  BestRow row;
  row.best.session.objective = "time";
  row.best.winner = {won, 1.0, {}, 4.08, {}, std::move(finalists)};
  row.best.winner.default_trial = 2;
  row.best.trial.id = won;
  row.best.trial.trial.objectives = {1.0};
  row.best.trial.trial.measurement = search::Measurement{{1}, 1, 0.01, false};
  row.shown = {row.best.trial};
  return row;
}

std::string ahead_by(const BestRow& row) {
  const std::string csv = best_table({row}, Columns::all).render(Format::json);
  const std::size_t begin = csv.find("\"ahead_by\": ") + 12;
  return csv.substr(begin, csv.find_first_of(",\n", begin) - begin);
}

TEST(BestReport, TheDefaultConfigurationIsNoRunnerUp) {
  const BestRow alone = row({finalist(1, 0), finalist(2, 3.08)});
  EXPECT_EQ(ahead_by(alone), "null");
  EXPECT_TRUE(lacks_runner_up(alone.best.winner));
  const BestRow with_another = row({finalist(1, 0), finalist(2, 0.1), finalist(3, 0.25)});
  EXPECT_EQ(ahead_by(with_another), "0.25");
  EXPECT_FALSE(lacks_runner_up(with_another.best.winner));
}

TEST(BestReport, AheadOfOthersIsADefaultThatWins) {
  EXPECT_EQ(ahead_by(row({finalist(2, 0), finalist(3, 0.5)}, 2)), "0.5");
}

TEST(BestReport, WithoutFinalsNothingIsSaidOfThem) {
  EXPECT_EQ(ahead_by(row({})), "null");
  EXPECT_FALSE(lacks_runner_up(row({}).best.winner));
}

}  // namespace
}  // namespace warptune::tuner
