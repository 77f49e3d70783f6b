// Which energies a session measures, and how well.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/tuner/session/formula_session.h"

namespace warptune::tuner {
namespace {

// The power falls with the time, so that the fastest and some slower ones are on the front.
TEST_F(SessionTest, EnergiesAreMeasuredOfWhatMayJoinTheFrontOnly) {
  objective_ = "time,joules";
  watts_of_ = [](double x) { return x < 2 ? 300 - 160 * x : 200; };
  const SessionResult result = run("exhaustive", {});
  EXPECT_EQ(result.trials.size(), 10u);
  std::vector<std::string> front;
  for (const std::size_t i : result.front) front.push_back(space_.key(result.trials[i].configuration));
  EXPECT_EQ(front, (std::vector<std::string>{"x=0", "x=1"}));
  EXPECT_EQ(evaluator_->energies, 7u) << "the first five, and the front once more";
  for (const search::Trial& trial : result.trials) {
    if (!trial.correct()) continue;
    EXPECT_EQ(std::isinf(trial.objectives.at(1)), !trial.measurement->joules);
  }
}

TEST_F(SessionTest, RoughEnergiesOfWhatMayBeOnTheFrontAreMeasuredAgain) {
  objective_ = "time,joules";
  const auto joules = [](double x) { return x == 1 ? 0.285 : 0.3 * (x + 1); };
  watts_of_ = [&](double x) { return joules(x) / (x + 1) * 1e3; };
  energy_error_ = 0.05;
  const SessionResult result = run("exhaustive", {});
  ASSERT_EQ(result.front.size(), 2u);
  for (const std::size_t i : result.front) {
    const double x = search::to_double(space_.values(result.trials[i].configuration)[0].second);
    EXPECT_DOUBLE_EQ(result.trials[i].objectives.at(1), joules(x));
    EXPECT_DOUBLE_EQ(store_.trial(result.ids[i])->trial.objectives.at(1), joules(x)) << "as the store has it";
  }
  EXPECT_NE(result.trials.at(4).objectives.at(1), joules(4)) << "what is far from the front stays rough";
}

// A trial takes a second on this clock, and all of them are doubtful.
TEST_F(SessionTest, EnergiesAreSettledAsFarAsTheTimeAllows) {
  objective_ = "time,joules";
  watts_of_ = [](double x) { return 300 / (x + 1); };
  const SessionResult result = run("exhaustive", seconds(20));
  EXPECT_EQ(result.search_s, 10);
  EXPECT_GT(evaluator_->energies, 9u);
  const SessionResult short_one = [&] {
    id_ = other_session("short");
    return run("exhaustive", seconds(12));
  }();
  EXPECT_EQ(short_one.search_s, 10);
  EXPECT_LE(short_one.elapsed_s, 13) << "the one that is running may exceed the time";
  EXPECT_EQ(short_one.trials.size(), 10u) << "nothing is a trial twice";
}

// The first energy of x = 0 is too low, and that of x = 1 too high. There is time for one more energy.
TEST_F(SessionTest, TheBestGivesWayIfItsEnergyWasGoodByLuck) {
  objective_ = "joules";
  const auto joules = [](double x) { return x == 0 ? 1.2 : x == 1 ? 0.85 : 10.0; };
  watts_of_ = [&](double x) { return joules(x) / (x + 1) * 1e3; };
  energy_error_ = 0.2;
  const SessionResult result = run("exhaustive", seconds(11));
  EXPECT_DOUBLE_EQ(result.trials.at(0).objectives.at(0), 1.2) << "measured again";
  ASSERT_TRUE(result.best);
  EXPECT_EQ(space_.key(result.trials[*result.best].configuration), "x=1");
}

}  // namespace
}  // namespace warptune::tuner
