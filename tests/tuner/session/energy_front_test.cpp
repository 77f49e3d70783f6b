#include "tuner/session/energy_front.h"

#include <gtest/gtest.h>

#include <limits>

#include "tuner/measure/sampling/same_bits.h"

namespace warptune::tuner {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

KernelTemplate kernel() {
  KernelTemplate made;
  made.name = "k";
  made.metrics = {{"J/op", search::Expression::parse("joules / 2"), false}};
  return made;
}

// Of two objectives, time and joules.
search::Trial run_of(double ms, std::optional<double> joules) {
  search::Trial trial;
  trial.measurement = search::Measurement{{ms}, ms, 0.01, false};
  trial.measurement->joules = joules;
  trial.objectives = {ms, joules.value_or(unknown)};
  return trial;
}

EnergyFront front_of(const std::string& objectives) {
  return EnergyFront(make_objectives(kernel(), objectives));
}

TEST(EnergyFront, IsThereWhereTheEnergyIsAnObjectiveItself) {
  EXPECT_TRUE(front_of("time,joules").active());
  EXPECT_TRUE(front_of("joules").active());
  EXPECT_FALSE(front_of("time").active());
  EXPECT_FALSE(front_of("time,J/op").active()) << "what a metric makes of the least energy is unknown";
  EXPECT_FALSE(front_of("joules,J/op").active());
}

TEST(EnergyFront, SparesNothingBeforeItKnowsSome) {
  EnergyFront front = front_of("time,joules");
  for (int i = 0; i < 4; ++i) front.meet(run_of(1 + i, 0.2));
  EXPECT_FALSE(front.rivals().spare_energy(1e6));
  front.meet(run_of(5, 0.3));
  EXPECT_TRUE(front.rivals().spare_energy(1e6));
}

// 1 ms at 300 W, 1.2 ms at 200 W: what takes longer needs at least the work of the latter.
TEST(EnergyFront, SparesWhatCannotJoinEvenWithTheLeastEnergySoFar) {
  EnergyFront front = front_of("time,joules");
  for (int i = 0; i < 5; ++i) front.meet(run_of(1, 0.3));
  front.meet(run_of(1.2, 0.24));
  const Rivals rivals = front.rivals();
  ASSERT_EQ(rivals.front.size(), 2u);
  EXPECT_FALSE(rivals.spare_energy(0.9)) << "faster than all";
  EXPECT_FALSE(rivals.spare_energy(1.1)) << "between the two";
  EXPECT_TRUE(rivals.spare_energy(1.25));
}

TEST(EnergyFront, DoubtsWhatMayBeOnTheFrontTheLikeliestFirst) {
  EnergyFront front = front_of("time,joules");
  // 1 ms is the fastest; 2 ms takes less; 3 ms may take less than it seems; 4 ms surely does not; 5 ms was spared.
  const std::vector<search::Trial> trials = {run_of(1, 0.3), run_of(2, 0.2), run_of(3, 0.21), run_of(4, 0.5),
                                             run_of(5, std::nullopt)};
  for (const search::Trial& trial : trials) front.meet(trial);
  front.meet(run_of(1, 0.3));
  EXPECT_EQ(front.most_doubtful(trials, {}), 0u) << "nothing is as fast";
  EXPECT_EQ(front.most_doubtful(trials, {0}), 1u);
  EXPECT_EQ(front.most_doubtful(trials, {0, 1}), 2u) << "5 % above, and rough";
  EXPECT_FALSE(front.most_doubtful(trials, {0, 1, 2}));
}

TEST(EnergyFront, DoubtsWhatWasSparedByTheLeastThatItCanTake) {
  EnergyFront front = front_of("time,joules");
  std::vector<search::Trial> trials = {run_of(1, 0.3), run_of(2, 0.25), run_of(1.5, std::nullopt)};
  for (int i = 0; i < 5; ++i) front.meet(trials[0]);
  front.meet(trials[1]);
  EXPECT_EQ(front.most_doubtful(trials, {0, 1}), 2u) << "with the work of the second it would be between both";
  trials.back() = run_of(4, std::nullopt);
  EXPECT_FALSE(front.most_doubtful(trials, {0, 1}));
  trials.back() = run_of(1.5, std::nullopt);
  rule_out(trials.back());
  EXPECT_FALSE(front.most_doubtful(trials, {0, 1})) << "it may not win by its bits";
}

TEST(EnergyFront, OfTheEnergyAloneAsksForLessThanTheLeast) {
  EnergyFront front = front_of("joules");
  for (int i = 0; i < 5; ++i) front.meet(run_of(2, 0.3));
  EXPECT_FALSE(front.rivals().spare_energy(1)) << "a shorter run may take less";
  EXPECT_TRUE(front.rivals().spare_energy(4));
}

TEST(EnergyFront, TellsAnUnknownEnergyAsWorseThanTheFrontAndFinite) {
  EnergyFront front = front_of("time,joules");
  front.meet(run_of(1, 0.3));
  front.meet(run_of(2, 0.4));
  const search::Trial told = front.as_told(run_of(3, std::nullopt));
  EXPECT_EQ(told.objectives.at(0), 3);
  EXPECT_DOUBLE_EQ(told.objectives.at(1), 0.9) << "3 ms at 300 W";
  EXPECT_EQ(front.as_told(run_of(3, 0.5)).objectives.at(1), 0.5);
}

}  // namespace
}  // namespace warptune::tuner
