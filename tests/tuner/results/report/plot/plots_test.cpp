// Drawings in characters.
#include "tuner/results/report/plot/plots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace warptune::tuner {

namespace {

using testing::HasSubstr;

std::vector<db::StoredTrial> trials_of(const std::vector<double>& times) {
  std::vector<db::StoredTrial> trials;
  for (const double ms : times) {
    db::StoredTrial stored;
    stored.id = static_cast<db::TrialId>(trials.size()) + 1;
    const auto place = static_cast<std::int64_t>(trials.size());
    stored.values = {{"BLOCK", std::int64_t{32} << place % 3}, {"TILE", place / 3}, {"SAME", std::int64_t{1}}};
    stored.trial.objectives = {ms};
    if (ms == 0) stored.trial.outcome = search::Outcome::timeout, stored.trial.objectives.clear();
    trials.push_back(stored);
  }
  return trials;
}

db::SessionRecord session_by(const std::string& objective, const std::string& maximised = "") {
  db::SessionRecord session;
  session.objective = objective;
  session.maximised = maximised;
  return session;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

const std::vector<double> falling{8, 0, 4, 6, 1, 2};

TEST(Canvas, HasEightDotsInACharacterOfUnicodeAndOneElsewhere) {
  Canvas braille(2, 1, true), plain(2, 1, false);
  EXPECT_EQ(braille.width(), 4U);
  EXPECT_EQ(braille.height(), 4U);
  braille.line(0, 0, 0, 3);
  plain.dot(0, 0);
  plain.dot(7, 7);  // outside
  EXPECT_THAT(braille.lines(), testing::ElementsAre("\u2847"));
  EXPECT_THAT(plain.lines(), testing::ElementsAre("*"));
}

TEST(Plots, TheBestFallsFromTheFirstToTheBestFigure) {
  const auto trials = trials_of(falling);
  const auto lines = lines_of(convergence_plot(plotted(session_by("time"), trials), {40, false}));
  ASSERT_EQ(lines.size(), 14U);
  EXPECT_EQ(lines[1].substr(0, 12), "  8.00 ms|**");
  EXPECT_EQ(lines[12].substr(0, 10), "  1.00 ms|");
  EXPECT_EQ(lines[12].size(), 40U);           // to the last trial
  EXPECT_EQ(lines[12].find('*'), 10U + 23U);  // from the fifth of six: four fifths of 30 columns
  EXPECT_EQ(lines[13].back(), '6');
}

TEST(Plots, OfAMaximisedMetricTheBestRises) {
  auto trials = trials_of({1, 2, 4});
  for (db::StoredTrial& trial : trials) trial.trial.objectives[0] *= -1;
  const auto lines = lines_of(convergence_plot(plotted(session_by("GFLOP/s", "GFLOP/s"), trials), {40, false}));
  EXPECT_THAT(lines[1], HasSubstr("4.00"));
  EXPECT_EQ(lines[1].back(), '*');
}

// A score to be small that is 2, -1 and -4: no logarithm.
TEST(Plots, ValuesOnBothSidesOfZeroHaveALinearScale) {
  auto trials = trials_of({1, 2, 3});
  const std::vector<double> scores = {2, -1, -4};
  for (std::size_t i = 0; i < scores.size(); ++i) {
    trials[i].trial.objectives = {scores[i]};
    trials[i].trial.metrics = {{"score", scores[i]}};
  }
  const PlottedSession session = plotted(session_by("score"), trials);
  EXPECT_FALSE(session.maximised);
  const auto lines = lines_of(convergence_plot(session, {40, false}));
  EXPECT_THAT(lines[1], HasSubstr("2.00|*"));
  EXPECT_THAT(lines[7], HasSubstr("-1.27"));  // half-way
  EXPECT_THAT(lines[12], HasSubstr("-4.00"));
  EXPECT_EQ(lines[12].back(), '*');
  EXPECT_EQ(lines_of(histogram_plot(session, {60, false}))[1].back(), '1');
  for (db::StoredTrial& trial : trials) trial.trial.objectives[0] *= -1;
  EXPECT_EQ(plotted(session_by("score", "score"), trials).points[2].value, -4);
}

TEST(Plots, AHistogramCountsEveryCorrectTrial) {
  const auto trials = trials_of(falling);
  int sum = 0;
  const auto lines = lines_of(histogram_plot(plotted(session_by("time"), trials), {60, true}));
  for (std::size_t i = 1; i < lines.size(); ++i) sum += std::stoi(lines[i].substr(lines[i].rfind(' ')));
  EXPECT_EQ(lines.size(), 13U);
  EXPECT_EQ(sum, 5);
}

TEST(Plots, AHeatMapHasTheBestOfEachPair) {
  const auto trials = trials_of(falling);
  const auto lines = lines_of(heat_map_plot(plotted(session_by("time"), trials), "BLOCK", "TILE", {80, false}));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[1], testing::MatchesRegex(" +32 +64 +128"));
  EXPECT_THAT(lines[2], testing::MatchesRegex("0 +8.00 ms +- +.. 4.00 ms"));
  EXPECT_THAT(lines[3], testing::MatchesRegex("1 +.. 6.00 ms +@@ 1.00 ms +.. 2.00 ms"));
}

TEST(Plots, ThatDoNotFitBecomeNarrower) {
  const auto trials = trials_of(falling);
  auto lines = lines_of(heat_map_plot(plotted(session_by("time"), trials), "BLOCK", "TILE", {20, false}));
  lines.erase(lines.begin());  // the heading
  for (const std::string& line : lines) EXPECT_LE(line.size(), 20U) << line;
}

TEST(Plots, AMistypedParameterIsAnsweredWithTheNearest) {
  const auto trials = trials_of(falling);
  try {
    heat_map_plot(plotted(session_by("time"), trials), "BLOCK", "TILES", {});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("TILE"));
    EXPECT_THAT(error.what(), HasSubstr("BLOCK, TILE, SAME"));
  }
}

std::size_t longest(const std::string& text) {
  std::size_t most = 0;
  for (const std::string& line : lines_of(text)) most = std::max(most, line.size());
  return most;
}

TEST(Plots, ALongMetricNameMakesNoLineLongerThanOthers) {
  auto trials = trials_of(falling);
  for (db::StoredTrial& trial : trials)
    for (double& value : trial.trial.objectives) value = -value * 1234.5;
  const std::string name = "giga_operations_of_this_kernel_per_second_and_watt";
  const PlottedSession session = plotted(session_by(name), trials);
  for (const std::size_t width : {40, 80, 120}) {
    const auto convergence = lines_of(convergence_plot(session, {width, false}));
    EXPECT_LE(longest(convergence_plot(session, {width, false})), width);
    EXPECT_EQ(convergence[convergence.size() - 13].find('|'), convergence[convergence.size() - 2].find('|')) << width;
    EXPECT_LE(longest(histogram_plot(session, {width, false})), width);
    EXPECT_LE(longest(heat_map_plot(session, "BLOCK", "TILE", {width, false})), width);
  }
  EXPECT_THAT(convergence_plot(session, {80, false}), HasSubstr("over trials (" + name + ")"));
  EXPECT_THAT(convergence_plot(plotted(session_by("time"), trials_of(falling)), {80, false}), HasSubstr(" ms|"));
}

TEST(Plots, TheParametersThatTellMostComeFirst) {
  const auto trials = trials_of(falling);
  EXPECT_THAT(telling_parameters(plotted(session_by("time"), trials)), testing::ElementsAre("BLOCK", "TILE"));
}

TEST(Plots, ASessionWithoutCorrectTrialsDrawsNothing) {
  const auto trials = trials_of({0, 0});
  const PlottedSession session = plotted(session_by("time"), trials);
  EXPECT_EQ(convergence_plot(session, {}), "");
  EXPECT_EQ(histogram_plot(session, {}), "");
  EXPECT_EQ(heat_map_plot(session, "BLOCK", "TILE", {}), "");
}

}  // namespace

}  // namespace warptune::tuner
