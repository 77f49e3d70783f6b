#include "search/models/parzen.h"

#include <gtest/gtest.h>

namespace warptune::search {

namespace {

// The first column is ordinal and best at 0.5; the second categorical and best at 1.
std::vector<Sample> samples() {
  std::vector<Sample> result;
  for (int x = 0; x <= 10; ++x)
    for (int kind = 0; kind < 2; ++kind) {
      Eigen::RowVectorXf row(2);
      row << static_cast<float>(x) / 10, static_cast<float>(kind);
      result.push_back({result.size(), row, std::abs(row(0) - 0.5) + (kind == 1 ? 0 : 0.3), 0});
    }
  return result;
}

TEST(Parzen, PrefersTheValuesOfGoodSamples) {
  Parzen parzen({false, true}, 0.25);
  parzen.fit(samples());
  Eigen::MatrixXf rows(3, 2);
  rows << 0.5f, 1, 0.0f, 1, 0.5f, 0;
  parzen.set_candidates(rows);
  EXPECT_LT(parzen.mean()(0), parzen.mean()(1));
  EXPECT_LT(parzen.mean()(0), parzen.mean()(2));
}

TEST(Parzen, ChangesItsMindWithNewSamples) {
  Parzen parzen({false, true}, 0.25);
  parzen.fit(samples());
  Eigen::MatrixXf rows(2, 2);
  rows << 0.5f, 1, 0.0f, 0;
  parzen.set_candidates(rows);
  EXPECT_LT(parzen.mean()(0), parzen.mean()(1));
  for (std::size_t i = 0; i < 20; ++i) parzen.learn({100 + i, rows.row(1), -5, 0});
  EXPECT_GT(parzen.mean()(0), parzen.mean()(1));
}

}  // namespace

}  // namespace warptune::search
