#include "search/models/encoding.h"

#include <gtest/gtest.h>

#include "tests/search/models/small_space.h"

namespace warptune::search {

namespace {

TEST(Encoding, RanksNumbersByValueWhateverTheOrderOfDeclaration) {
  const auto space = SearchSpace::build({numbers("x", {64, 16, 32})}, {});
  const Encoding encoding(space, {});
  ASSERT_EQ(encoding.columns(), 1);
  EXPECT_FLOAT_EQ(encoding.row({{0}})(0), 1.0f);
  EXPECT_FLOAT_EQ(encoding.row({{1}})(0), 0.0f);
  EXPECT_FLOAT_EQ(encoding.row({{2}})(0), 0.5f);
}

TEST(Encoding, LeavesOutParametersWithoutAChoice) {
  const auto space =
      SearchSpace::build({numbers("fixed", {4}), numbers("x", {1, 2}), numbers("tied", {1, 2})}, {{"tied == 1"}});
  EXPECT_EQ(Encoding(space, {}).columns(), 1);
}

TEST(Encoding, KnowsWhatHasNoOrder) {
  Parameter type{"TYPE", {std::string("half"), std::string("single")}}, flag{"FLAG", {false, true}};
  const auto space = SearchSpace::build({type, flag, numbers("x", {1, 2})}, {});
  EXPECT_EQ(Encoding(space, {}).categorical(), (std::vector{true, true, false}));
}

TEST(Encoding, SeesTheThreadsThatBlockSizesMakeTogether) {
  const auto space = SearchSpace::build({numbers("block_size_x", {8, 64}), numbers("block_size_y", {1, 8})}, {});
  const Encoding encoding(space, {});
  ASSERT_EQ(encoding.columns(), 3);
  EXPECT_FLOAT_EQ(encoding.row({{0, 1}})(2), encoding.row({{1, 0}})(2));  // 64 threads either way
  EXPECT_LT(encoding.row({{0, 0}})(2), encoding.row({{1, 1}})(2));
}

TEST(Encoding, TakesThreadsFromWhoeverKnowsThem) {
  const auto space = SearchSpace::build({numbers("a", {1, 2})}, {});
  const Encoding encoding(space, [](const Configuration& c) { return c.choices[0] == 0 ? 2.0 : 256.0; });
  EXPECT_GT(encoding.penalty({{0}}), encoding.penalty({{1}}));
}

TEST(Encoding, FindsTinyBlocksAndOddSizesImplausible) {
  const auto space = SearchSpace::build({numbers("block_size_x", {4, 120, 128})}, {});
  const Encoding encoding(space, {});
  EXPECT_GT(encoding.penalty({{0}}), encoding.penalty({{2}}));
  EXPECT_GT(encoding.penalty({{1}}), encoding.penalty({{2}}));
  EXPECT_EQ(encoding.penalty({{2}}), 0);
}

}  // namespace

}  // namespace warptune::search
