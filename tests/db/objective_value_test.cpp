#include "db/objective_value.h"

#include <gmock/gmock.h>

#include <limits>

namespace warptune::db {
namespace {

search::Trial rated(double stored, double metric) {
  search::Trial trial;
  trial.objectives = {stored};
  trial.metrics["score"] = metric;
  return trial;
}

TEST(ObjectiveValue, KeepsTheSignOfAMetricWhetherItIsMinimisedOrMaximised) {
  EXPECT_EQ(objective_value(3, "score", rated(3, 3)), 3);
  EXPECT_EQ(objective_value(-3, "score", rated(-3, -3)), -3);    // minimised and negative
  EXPECT_EQ(objective_value(-3, "score", rated(-3, 3)), 3);      // maximised
  EXPECT_EQ(objective_value(3, "score", rated(3, -3)), -3);      // maximised and negative
  EXPECT_EQ(objective_value(2.5, "score", rated(3, -3)), -2.5);  // measured again
}

TEST(ObjectiveValue, OfAnObjectiveThatTheTrialDoesNotNameIsItsSize) {
  EXPECT_EQ(objective_value(2, "time", rated(2, 7)), 2);
  EXPECT_EQ(objective_value(-2, "other", rated(-2, 7)), 2);
  EXPECT_EQ(is_maximised("score", rated(0, 0)), std::nullopt);
  EXPECT_EQ(is_maximised("score", rated(std::numeric_limits<double>::infinity(), 4)), std::nullopt);
}

TEST(ObjectiveValue, EachOfSeveralHasItsOwnSense) {
  search::Trial trial;
  trial.objectives = {2, 5, -4};
  trial.metrics = {{"depth", -5.0}, {"rate", 4.0}};
  EXPECT_THAT(objective_values(trial.objectives, "time,depth,rate", trial), testing::ElementsAre(2, -5, 4));
}

TEST(ObjectiveValue, TheFirstTrialThatTellsDecidesForASession) {
  StoredTrial silent, telling;
  silent.trial = rated(0, 0);
  telling.trial = rated(3, -3);
  EXPECT_TRUE(is_maximised("score", std::vector{silent, telling}));
  EXPECT_FALSE(is_maximised("score", std::vector{silent}));
}

}  // namespace
}  // namespace warptune::db
