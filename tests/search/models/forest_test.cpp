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

TEST(Tree, FindsForManyRowsTheLeavesThatItFindsForEach) {
  const auto samples = step(60);
  const TreeSamples table(samples);
  std::vector<std::uint32_t> drawn;
  for (std::size_t i = 0; i < samples.size(); ++i) drawn.push_back(table.place(i));
  Rng rng(2);
  const Tree tree(table, drawn, rng);
  std::vector<float> rows;
  for (const Sample& sample : step(27)) rows.insert(rows.end(), sample.row.begin(), sample.row.end());
  std::vector<std::uint32_t> found(27);
  tree.find_leaves(rows.data(), 2, found);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], tree.leaf_of(&rows[2 * i])) << "row " << i;
}

TEST(Forest, NeedsNoColumns) {
  Forest forest(1);
  forest.fit({{0, Eigen::RowVectorXf(0), 2.0, 0}});
  const Eigen::MatrixXf rows(1, 0);
  forest.set_candidates(rows);
  EXPECT_EQ(forest.mean()(0), 2);
  EXPECT_EQ(forest.mean_at(rows)(0), 2);
}

TEST(Tree, KeepsEverySampleInOneLeaf) {
  const auto samples = step(40);
  const TreeSamples table(samples);
  Rng rng(2);
  // Places that repeat, as forests draw them.
  const Tree tree(table, {0, 0, 3, 3, 3, 9, 12, 20, 20, 33, 39}, rng);
  double count = 0;
  for (const Tree::Leaf& leaf : tree.leaves()) count += leaf.count;
  EXPECT_EQ(count, 11);
}

}  // namespace

}  // namespace warptune::search
