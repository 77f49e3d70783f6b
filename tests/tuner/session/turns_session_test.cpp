// Sessions that take turns: begun, visited, concluded.
#include <gmock/gmock.h>

#include "search/strategies/model_based/shared_model.h"
#include "tests/tuner/session/formula_session.h"

namespace warptune::tuner {
namespace {

class TurnsTest : public SessionTest {
 protected:
  search::Configuration at(std::int64_t x) const { return *space_.find({{"x", x}}); }
  void turn(
      const std::vector<std::int64_t>& numbers, const Session::Meanwhile& meanwhile = [](std::size_t) {}) {
    std::vector<search::Configuration> configurations;
    for (const std::int64_t x : numbers) configurations.push_back(at(x));
    given_.give(std::move(configurations));
    session_.visit(meanwhile);
  }

  FormulaEvaluator measuring_{space_};
  std::vector<search::Configuration> told_;
  search::GivenStrategy given_{[this](const search::Trial& trial) { told_.push_back(trial.configuration); }};
  Session session_{{kernel_,
                    space_,
                    {},
                    given_,
                    measuring_,
                    store_,
                    id_,
                    make_objectives(kernel_, objective_),
                    search::Budget(seconds(100)),
                    at(9),
                    stop_}};
};

TEST_F(TurnsTest, ATurnTriesWhatItIsGivenAndTheFirstTheDefaultToo) {
  session_.begin();
  turn({5, 7});
  EXPECT_EQ(session_.result().trials.size(), 3u);
  EXPECT_EQ(session_.result().default_trial, 0u);
  turn({1});
  EXPECT_EQ(session_.result().trials.size(), 4u);
  EXPECT_THAT(told_, testing::ElementsAre(at(9), at(5), at(7), at(1)));
  EXPECT_EQ(store_.trials(id_).size(), 4u);
  EXPECT_FALSE(store_.winner(id_)) << "it is not over";
}

TEST_F(TurnsTest, TheWinnerOfAllTurnsIsSettledAtTheEnd) {
  session_.begin();
  turn({1});
  turn({6});
  session_.conclude(0);
  ASSERT_TRUE(store_.winner(id_));
  EXPECT_EQ(store_.winner(id_)->objective, 2);
  EXPECT_FALSE(session_.result().finals) << "there was no time for them";
}

TEST_F(TurnsTest, SomebodyElseMayThinkWhileItMeasures) {
  session_.begin();
  std::vector<std::size_t> in_flight;
  turn({4, 5}, [&](std::size_t flying) { in_flight.push_back(flying); });
  ASSERT_FALSE(in_flight.empty());
  EXPECT_EQ(in_flight.front(), 3u);
  EXPECT_THAT(in_flight, testing::Each(testing::Gt(0u)));
}

TEST_F(TurnsTest, ATurnEndsWithTheBudgetAndLeavesNothingInFlight) {
  session_.begin();
  while (measuring_.now_s() < 110) measuring_.submit({at(0)}), measuring_.next();
  turn({4, 5});
  EXPECT_LE(session_.result().trials.size(), 3u);
  EXPECT_TRUE(session_.result().default_trial) << "that is tried a little late, too";
}

TEST_F(TurnsTest, AnInterruptionEndsEveryTurnAndIsKept) {
  session_.begin();
  turn({4});
  stop_ = true;
  turn({5});
  session_.conclude(10);
  EXPECT_TRUE(session_.result().interrupted);
  EXPECT_TRUE(store_.winner(id_)) << "of what was measured until then";
}

}  // namespace
}  // namespace warptune::tuner
