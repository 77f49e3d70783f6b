#include "search/models/trust.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/search/models/small_space.h"

namespace warptune::search {

namespace {

// Of configurations 0, 1, 2, … with these logarithms of times, whose penalties are 3 + 0.5 * the number.
class TrustTest : public testing::Test {
 protected:
  void settle(const std::vector<double>& log_times) {
    for (std::uint32_t i = 0; i < log_times.size(); ++i) {
      Trial trial{.configuration = {{i}}};
      trial.objectives = {std::exp(log_times[i])};
      history_.settle(trial);
    }
  }

  SearchSpace space_ = SearchSpace::build({numbers("x", {0, 1, 2, 3, 4, 5, 6, 7})}, {});
  Encoding encoding_{space_, {}, [](const Configuration& c) { return 3 + 0.5 * c.choices[0]; }};
  History history_{encoding_};
};

TEST_F(TrustTest, IsLargeWhereTimesAreAsPresumedAndFallsWithTheirNumber) {
  settle({0, 0.5});
  const double two = trust_in(history_, &Observation::penalty);
  settle({0, 0.5, 1, 1.5, 2, 2.5});
  const double six = trust_in(history_, &Observation::penalty);
  EXPECT_GT(two, 0.8);
  EXPECT_LT(six, two);
  EXPECT_GT(six, 0.6);
}

TEST_F(TrustTest, IsGoneWhereTimesAreTheOpposite) {
  settle({2, 1.5, 1, 0.5, 0});
  EXPECT_LT(trust_in(history_, &Observation::penalty), 0.05);
}

TEST_F(TrustTest, IsNoneInObjectivesWithoutALogarithm) {
  Trial trial{.configuration = {{0}}};
  trial.objectives = {-1};
  history_.settle(trial);
  trial = {.configuration = {{1}}};
  trial.objectives = {1};
  history_.settle(trial);
  EXPECT_EQ(trust_in(history_, &Observation::penalty), 0);
}

TEST_F(TrustTest, TheMeanIsOfWhatWasCorrect) {
  EXPECT_EQ(mean_of(history_, &Observation::penalty), 0);
  settle({0, 0, 0});
  Trial failed{.configuration = {{7}}, .outcome = Outcome::launch_error};
  history_.settle(failed);
  EXPECT_DOUBLE_EQ(mean_of(history_, &Observation::penalty), 3.5);
}

}  // namespace

}  // namespace warptune::search
