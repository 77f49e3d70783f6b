// The end of a session as terminals of 80 and 120 columns show it.
#include "tuner/results/report/session_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "search/budget.h"
#include "tuner/results/report/text/wrap.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Six parameters, of which the trials change some.
class SessionReport : public testing::Test {
 protected:
  SessionReport() {
    const std::vector<search::Value> values{std::int64_t{1}, std::int64_t{2}, std::int64_t{4}};
    std::vector<search::Parameter> parameters;
    for (const char* name : {"TILE_WIDTH", "TILE_HEIGHT", "COARSENING_X", "COARSENING_Y", "UNROLL_FACTOR", "PADDING"}) {
      parameters.push_back({name, values});
      kernel_.default_values.emplace_back(name, std::int64_t{1});
    }
    space_ = std::make_unique<search::SearchSpace>(search::SearchSpace::build(std::move(parameters), {}, {}));
    kernel_.metrics.push_back({"GFLOP/s", search::Expression::constant(1.0)});
    add({0, 0, 0, 0, 0, 0}, 0.5, 0.004);
    add({2, 2, 1, 2, 2, 0}, 0.2384, 0.0021);
    add({2, 1, 1, 2, 1, 2}, 0.2391, 0.0017);
    add({1, 1, 0, 0, 0, 0}, 0.31, 0.02);
    result_.default_exists = true;
    result_.default_trial = 0;
    result_.best = 1;
    result_.winner = db::Winner{.trial = 2, .objective = 0.2384, .default_objective = 0.5, .ties = {3}};
    result_.winner->default_trial = 1;
    result_.winner->time_ms = 0.2384;
    result_.winner->time_error = 0.0021;
    result_.winner->default_time_ms = 0.5;
    result_.winner->default_time_error = 0.004;
    result_.winner->finalists = {in_winner(2, 0.2384, 0.0021), in_winner(1, 0.5, 0.004)};
    FinalsResult finals;
    finals.rounds = 7;
    finals.finalists = {finalist(1, 0, true), finalist(2, 0.003, true), finalist(0, 1.097, false)};
    result_.finals = finals;
  }

  static Finalist finalist(std::size_t trial, double slower, bool tied) {
    Finalist made{.trial = trial, .visits = 7};
    made.slower_by = slower;
    made.slower_low = tied ? -0.001 : slower - 0.02;
    made.slower_high = slower + 0.02;
    made.tied = tied;
    return made;
  }

  static db::WinnerFinalist in_winner(db::TrialId trial, double ms, double error) {
    db::WinnerFinalist made{.trial = trial, .objective = ms, .relative_error = error, .visits = 7};
    made.time_ms = ms;
    made.time_error = error;
    made.metrics["GFLOP/s"] = 100 / ms;
    return made;
  }

  void add(std::vector<std::uint32_t> indices, double ms, double error) {
    search::Trial trial;
    trial.configuration = search::Configuration{std::move(indices)};
    trial.outcome = search::Outcome::correct;
    trial.measurement = search::Measurement{{}, ms, error, false};
    trial.objectives = {ms};
    trial.metrics["GFLOP/s"] = 100 / ms;
    result_.trials.push_back(std::move(trial));
    result_.ids.push_back(static_cast<db::TrialId>(result_.ids.size() + 1));
  }

  void fail(const std::string& message) {
    search::Trial trial;
    trial.configuration = search::Configuration{{1, 0, 0, 0, 0, 0}};
    trial.outcome = search::Outcome::wrong_result;
    trial.message = message;
    result_.trials.push_back(std::move(trial));
    result_.ids.push_back(static_cast<db::TrialId>(result_.ids.size() + 1));
  }

  std::string report(std::size_t width) const { return session_report(result_, *space_, kernel_, width); }

  KernelTemplate kernel_;
  std::unique_ptr<search::SearchSpace> space_;
  SessionResult result_;
};

TEST_F(SessionReport, FitsEightyColumns) {
  EXPECT_EQ(report(80),
            "Winner    TILE_WIDTH=4,TILE_HEIGHT=4,COARSENING_X=2,COARSENING_Y=4,\n"
            "          UNROLL_FACTOR=4, and 1 more that ties\n"
            "          238 µs, 419 GFLOP/s, ± 0.21 %\n"
            "Speed-up  2.10 times the default (500 µs)\n"
            "Finals    3 candidates, 7 rounds; the next of them takes 2.10 times (2.08 to\n"
            "          2.12) as long\n"
            "\n"
            "RANK    TIME  GFLOP/s     ERROR  VISITS  CONFIGURATION\n"
            "   1  238 µs      419  ± 0.21 %       7  TILE_WIDTH=4,TILE_HEIGHT=4,\n"
            "                                         COARSENING_X=2,COARSENING_Y=4,\n"
            "                                         UNROLL_FACTOR=4\n"
            "   2  239 µs      418  ± 0.17 %       7  TILE_WIDTH=4,TILE_HEIGHT=2,\n"
            "                                         COARSENING_X=2,COARSENING_Y=4,\n"
            "                                         UNROLL_FACTOR=2,PADDING=4\n"
            "   3  500 µs      200  ± 0.40 %       7  default\n"
            "\n"
            "Not in the finals; as the search measured them, at other times:\n"
            "  TIME  GFLOP/s    ERROR  CONFIGURATION\n"
            "310 µs      323  ± 2.0 %  TILE_WIDTH=2,TILE_HEIGHT=2\n"
            "Parameters that a configuration does not name have their default values.\n");
}

TEST_F(SessionReport, FitsAHundredAndTwentyColumns) {
  EXPECT_EQ(report(120),
            "Winner    TILE_WIDTH=4,TILE_HEIGHT=4,COARSENING_X=2,COARSENING_Y=4,UNROLL_FACTOR=4, and 1 more that ties\n"
            "          238 µs, 419 GFLOP/s, ± 0.21 %\n"
            "Speed-up  2.10 times the default (500 µs)\n"
            "Finals    3 candidates, 7 rounds; the next of them takes 2.10 times (2.08 to 2.12) as long\n"
            "\n"
            "RANK    TIME  GFLOP/s     ERROR  VISITS  CONFIGURATION\n"
            "   1  238 µs      419  ± 0.21 %       7  "
            "TILE_WIDTH=4,TILE_HEIGHT=4,COARSENING_X=2,COARSENING_Y=4,UNROLL_FACTOR=4\n"
            "   2  239 µs      418  ± 0.17 %       7  "
            "TILE_WIDTH=4,TILE_HEIGHT=2,COARSENING_X=2,COARSENING_Y=4,UNROLL_FACTOR=2,\n"
            "                                         PADDING=4\n"
            "   3  500 µs      200  ± 0.40 %       7  default\n"
            "\n"
            "Not in the finals; as the search measured them, at other times:\n"
            "  TIME  GFLOP/s    ERROR  CONFIGURATION\n"
            "310 µs      323  ± 2.0 %  TILE_WIDTH=2,TILE_HEIGHT=2\n"
            "Parameters that a configuration does not name have their default values.\n");
}

TEST_F(SessionReport, SaysSoWhereFinalistsAreNotInTheOrderOfTheirTimes) {
  const std::string sentence = "Finalists are ranked by their differences within each round";
  EXPECT_THAT(report(0), Not(HasSubstr(sentence)));
  result_.trials[2].measurement->median_ms = 0.2;  // the second of the finals
  result_.trials[2].objectives = {0.2};
  EXPECT_THAT(report(0), HasSubstr(sentence));
}

// Faster by the search's clock than the winner by the finals', it is none the better for it.
TEST_F(SessionReport, KeepsTimesOfTheSearchOutOfTheFinalsColumn) {
  result_.trials[3].measurement->median_ms = 0.2;
  result_.trials[3].objectives = {0.2};
  const std::string text = report(0), csv = top_table(result_, *space_, kernel_, 5).render(Format::csv);
  EXPECT_LT(text.find("500 µs"), text.find("Not in the finals"));
  EXPECT_LT(text.find("Not in the finals"), text.find("200 µs"));
  EXPECT_THAT(csv, HasSubstr("rank,time_ms,GFLOP/s,relative_error,visits,search_ms,configuration"));
  EXPECT_THAT(csv, HasSubstr("\r\n4,,")) << "no time of the finals";
}

TEST_F(SessionReport, SaysThatAnEarlierRunsWinnerStands) {
  result_.earlier_stands = true;
  EXPECT_THAT(report(0), HasSubstr("3 candidates, 7 rounds of an earlier run, which this one found no reason to"));
  result_.finals.reset();
  EXPECT_THAT(report(0), HasSubstr("Kept      the winner of an earlier run"));
}

TEST_F(SessionReport, NoLineIsLongerThanTheTerminalWhateverFails) {
  fail("out[700] (element 700): expected 1.2345678, got 9.8765432; 301 of 1001 elements differ, the worst by 8.64");
  for (const std::size_t width : {60, 80, 100, 120})
    for (const std::string& line : wrapped(report(width), 0)) EXPECT_LE(text_width(line), width) << line;
}

// After one round no bound is known; that the search told them apart is why it is no tie.
TEST_F(SessionReport, DoesNotCallWhatIsBeatenNotSeparable) {
  result_.finals->rounds = 1;
  Finalist& beaten = result_.finals->finalists.back();
  beaten.slower_low = -1;
  beaten.slower_high = std::numeric_limits<double>::infinity();
  EXPECT_EQ(finals_text(result_), "3 candidates, 1 round; the next of them takes 2.10 times as long");
}

TEST_F(SessionReport, CountsTiesInsteadOfListingThem) {
  result_.winner->ties = {3, 4, 5, 6, 7, 8, 9};
  EXPECT_THAT(report(0), HasSubstr(", and 7 more that tie\n"));
  EXPECT_THAT(report(0), Not(HasSubstr("a tie with")));
}

TEST_F(SessionReport, SaysThatTheDefaultIsNotSeparable) {
  result_.winner->ties = {1};
  EXPECT_THAT(report(0), HasSubstr("Speed-up  not separable from the default on this noisy device (500 µs)\n"));
}

TEST_F(SessionReport, SaysThatTheDefaultWon) {
  result_.best = 0;
  result_.winner->trial = 1;
  EXPECT_THAT(report(0), HasSubstr("Winner    the default configuration"));
  EXPECT_THAT(report(0), HasSubstr("Speed-up  none: the default configuration is the best\n"));
}

TEST_F(SessionReport, SaysThatAShortTimeTriedLittle) {
  result_.elapsed_s = 6.04;
  result_.setup_s = 2.5;
  EXPECT_THAT(report(0), Not(HasSubstr("Tried")));
  result_.reason = search::time_is_up;
  EXPECT_THAT(report(0), HasSubstr("Tried     only 4 of 729 configurations in 6.0 s, 2.5 s of which were setting up;"));
}

TEST_F(SessionReport, SaysWhatToDoWhereTheSetUpTookAllOfTheTime) {
  result_.trials.clear();
  result_.best.reset();
  result_.reason = std::string(search::time_is_up) + ", and the set-up took all of it";
  EXPECT_THAT(report(0), HasSubstr("the time was up before the first trial. Smaller sizes (--size)"));
}

TEST_F(SessionReport, DoesNotCallADefaultTheBestThatWasTriedAlone) {
  result_.trials.resize(1);
  result_.finals.reset();
  result_.best = 0;
  result_.winner->trial = 1;
  EXPECT_THAT(report(0), HasSubstr("Speed-up  none: only the default configuration was tried\n"));
}

TEST_F(SessionReport, SaysWhyCorrectConfigurationsHaveNoWinner) {
  result_.best.reset();
  for (search::Trial& trial : result_.trials) {
    trial.objectives = {std::numeric_limits<double>::infinity()};
    trial.counters = search::Counters{{}, {}, {}, "this user may not"};
  }
  EXPECT_THAT(report(0), AllOf(HasSubstr("There is no winner"), HasSubstr("this user may not")));
  for (search::Trial& trial : result_.trials) trial.outcome = search::Outcome::wrong_result;
  EXPECT_THAT(report(0), HasSubstr("No configuration was correct.\n"));
}

}  // namespace
}  // namespace warptune::tuner
