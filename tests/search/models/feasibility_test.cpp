#include "search/models/feasibility.h"

#include <gtest/gtest.h>

#include "tests/search/models/small_space.h"

namespace warptune::search {

namespace {

TEST(Feasibility, FallsNearFailuresAndRecoversNearSuccesses) {
  const auto space = SearchSpace::build({range("x", 21)}, {});
  const Encoding encoding(space, {});
  History history(encoding);
  for (std::uint32_t x : {0u, 1u, 2u, 3u}) history.settle(trial_of({{x}}, {}));
  for (std::uint32_t x : {17u, 18u, 19u, 20u}) history.settle(trial_of({{x}}, {1.0}));
  std::vector<Configuration> all;
  for (std::uint32_t x = 0; x < 21; ++x) all.push_back({{x}});
  Feasibility feasibility(encoding.categorical());
  feasibility.set_candidates(encoding.rows(all), history);
  const Eigen::ArrayXf probability = feasibility.probability();
  EXPECT_LT(probability(1), 0.4f);
  EXPECT_GT(probability(19), 0.7f);
  EXPECT_LT(probability(5), probability(15));
}

TEST(Feasibility, IsCertainWhileNothingFailed) {
  const auto space = SearchSpace::build({range("x", 5)}, {});
  const Encoding encoding(space, {});
  Feasibility feasibility(encoding.categorical());
  feasibility.set_candidates(encoding.rows({{{0}}, {{4}}}), History(encoding));
  EXPECT_EQ(feasibility.probability().minCoeff(), 1.0f);
}

}  // namespace

}  // namespace warptune::search
