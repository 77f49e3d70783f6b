#include "db/objective_value.h"

#include <gmock/gmock.h>

namespace warptune::db {
namespace {

SessionRecord rated_by(const std::string& objective, const std::string& maximised = "") {
  SessionRecord session;
  session.objective = objective;
  session.maximised = maximised;
  return session;
}

TEST(ObjectiveValue, KeepsTheSignOfAMetricWhetherItIsMinimisedOrMaximised) {
  EXPECT_EQ(objective_value(3, rated_by("score")), 3);
  EXPECT_EQ(objective_value(-3, rated_by("score")), -3);          // negative itself
  EXPECT_EQ(objective_value(-3, rated_by("score", "score")), 3);  // the negative of 3
  EXPECT_EQ(objective_value(3, rated_by("score", "score")), -3);
}

TEST(ObjectiveValue, EachOfSeveralHasItsOwnDirection) {
  const SessionRecord session = rated_by("time,depth,rate", "rate");
  EXPECT_THAT(objective_values({2, -5, -4}, session), testing::ElementsAre(2, -5, 4));
  EXPECT_FALSE(is_maximised(session));
  EXPECT_TRUE(is_maximised(session, 2));
  EXPECT_FALSE(is_maximised(session, 3)) << "there is none";
}

TEST(ObjectiveValue, APartOfANameIsNotTheName) {
  EXPECT_FALSE(is_maximised(rated_by("rate", "rate2")));
}

}  // namespace
}  // namespace warptune::db
