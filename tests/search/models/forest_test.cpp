#include "search/models/forest.h"

#include <gtest/gtest.h>

namespace warptune::search {

namespace {

// A step in the first column; the second does not matter.
std::vector<Sample> step(std::size_t n) {
  Rng rng(5);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < n; ++i) {
    Eigen::RowVectorXf row(2);
    row << static_cast<float>(rng.uniform()), static_cast<float>(rng.uniform());
    samples.push_back({i, row, row(0) < 0.5f ? -1.0 : 1.0, 0});
  }
  return samples;
}

Eigen::MatrixXf points() {
  Eigen::MatrixXf rows(3, 2);
  rows << 0.1f, 0.5f, 0.9f, 0.5f, 0.5f, 0.5f;
  return rows;
}

TEST(Forest, LearnsAStepAndDoubtsItsEdge) {
  Forest forest(1);
  forest.fit(step(200));
  forest.set_candidates(points());
  EXPECT_NEAR(forest.mean()(0), -1, 0.1);
  EXPECT_NEAR(forest.mean()(1), 1, 0.1);
  EXPECT_GT(forest.variance()(2), 10 * forest.variance()(0));
  EXPECT_FLOAT_EQ(forest.mean_at(points())(1), forest.mean()(1));
}

TEST(Forest, LearnsBetweenFits) {
  Forest forest(1);
  forest.fit(step(50));
  forest.set_candidates(points());
  const float before = forest.mean()(0);
  for (std::size_t i = 0; i < 20; ++i) forest.learn({100 + i, points().row(0), 3.0, 0});
  EXPECT_GT(forest.mean()(0), before + 1);
}

TEST(Forest, LearnsFromASingleSample) {
  Forest forest(1);
  forest.fit(step(1));
  forest.set_candidates(points());
  EXPECT_EQ(forest.mean()(0), forest.mean()(1));
}

}  // namespace

}  // namespace warptune::search
