#include "tuner/program/cli/terminal/display.h"

#include <gmock/gmock.h>

namespace warptune::tuner::cli {
namespace {

using testing::ElementsAre;
using Phase = DisplayState::Phase;

DisplayState searching() {
  DisplayState state;
  state.phase = Phase::search;
  state.elapsed_s = 12;
  state.searching_s = 10;
  state.done = 400;
  state.failed = 3;
  state.most_seconds = 60;
  state.best = "0.1204 ms, 1140 GFLOP/s";
  state.bests = {8, 4, 2, 1};
  return state;
}

TEST(Display, ShowsWhatIsSetUpAndForHowLong) {
  DisplayState state;
  state.step = "compiling the reference reference.cpp of jacobi2d";
  state.step_s = 3.2;
  EXPECT_THAT(display_lines(state, {80, true}),
              ElementsAre("set-up: compiling the reference reference.cpp of jacobi2d, 3 s"));
  EXPECT_THAT(display_lines(state, {30, true}), ElementsAre("set-up: compiling the ..., 3 s"));
}

TEST(Display, ShowsTheSearchInTwoLines) {
  EXPECT_THAT(display_lines(searching(), {80, true}),
              ElementsAre("400 done, 48 s left, 3 failed, 40/s", "best 0.1204 ms, 1140 GFLOP/s  █▆▄▁"));
}

TEST(Display, HasNoLineWiderThanTheTerminal) {
  DisplayState state = searching();
  state.size = 2;
  state.sizes = 5;
  for (const Phase phase : {Phase::setup, Phase::search, Phase::finals})
    for (const std::size_t width : {1u, 10u, 20u, 33u, 40u}) {
      state.phase = phase;
      for (const std::string& line : display_lines(state, {width, false})) EXPECT_LE(line.size(), width) << line;
    }
  EXPECT_THAT(display_lines(searching(), {22, false}), ElementsAre("400 done, 48 s left", "best 0.1204 ms, 1140 G"));
}

TEST(Display, TellsWhichOfSeveralSizesIsTuned) {
  DisplayState state = searching();
  state.phase = Phase::finals;
  state.size = 2;
  state.sizes = 5;
  state.round = 3;
  state.candidates = 7;
  EXPECT_EQ(display_lines(state, {80, true}).front(), "size 2 of 5: finals: round 3, 7 candidates");
}

TEST(Display, EstimatesTheTimeThatABudgetOfTrialsTakes) {
  DisplayState state = searching();
  state.most_seconds.reset();
  state.most_trials = 8400;
  EXPECT_EQ(display_lines(state, {80, true}).front(), "400 done of 8400, 3:20 left, 3 failed, 40/s");
  state.most_seconds = 13;
  EXPECT_EQ(display_lines(state, {80, true}).front(), "400 done of 8400, 1 s left, 3 failed, 40/s");
}

TEST(Display, IsOneLineWhereThereIsNoTerminal) {
  EXPECT_EQ(plain_line(searching()), "   12.0 s  400 done, 48 s left, 3 failed, 40/s, best 0.1204 ms, 1140 GFLOP/s");
}

TEST(Sparkline, FallsFromTheFirstBestToTheLast) {
  EXPECT_EQ(sparkline({8, 4, 2, 1}, 10, true), "█▆▄▁");
  EXPECT_EQ(sparkline({8, 4, 2, 1}, 10, false), "#+~_");
  EXPECT_EQ(sparkline({8, 4, 2, 1}, 2, false), "+_") << "a column shows the last of what it stands for";
  EXPECT_EQ(sparkline({3, 3}, 10, false), "__");
  EXPECT_EQ(sparkline({-1, -3, -8}, 10, false), "#+_") << "metrics that are to be large";
  EXPECT_EQ(sparkline({}, 10, false), "");
}

}  // namespace
}  // namespace warptune::tuner::cli
