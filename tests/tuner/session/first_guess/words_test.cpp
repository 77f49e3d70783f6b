#include "tuner/session/first_guess/words.h"

#include <gtest/gtest.h>

#include "tests/tuner/session/first_guess/small_kernel.h"

namespace warptune::tuner {
namespace {

TEST(Words, SayWhatTheirParametersMakeTogether) {
  const auto space = search::SearchSpace::build(
      {numbered("BLOCK_DIM_X", {32}), numbered("BLOCK_DIM_Y", {4}), numbered("COARSENING_M", {8}),
       numbered("COARSENING_N", {2}), numbered("VECTOR_WIDTH_LOAD", {1}), numbered("VECTOR_WIDTH_STORE", {4})},
      {});
  const Said said = Words(space).of(space.at(0));
  EXPECT_EQ(said.threads, 128);
  EXPECT_EQ(said.per_thread, 16);
  EXPECT_EQ(said.per_axis, 4);
  EXPECT_EQ(said.vector, 2);
  EXPECT_FALSE(said.tile || said.warp_tile || said.unroll || said.conflicts);
}

TEST(Words, TellLoadsFromStores) {
  const auto space = search::SearchSpace::build(
      {numbered("VECTOR_WIDTH", {8}), numbered("VECTOR_WIDTH_LOAD", {2}), numbered("VECTOR_WIDTH_STORE", {1})}, {});
  EXPECT_EQ(Words(space).of(space.at(0)).vector_load, 4);
}

TEST(Words, SayTheShapeOfATile) {
  const auto product = search::SearchSpace::build(
      {numbered("TILE_M", {64}), numbered("TILE_N", {128}), numbered("TILE_K", {16}), numbered("SLICED_K", {2})}, {});
  const Words words(product);
  const Said said = words.of(product.at(0));
  EXPECT_EQ(said.tile, 64 * 128);
  EXPECT_EQ(said.edges, 64 + 128);
  EXPECT_EQ(said.depth, 16);
  EXPECT_FALSE(said.narrowest);
  EXPECT_TRUE(words.knows(3));
  const auto rectangle = search::SearchSpace::build({numbered("TILE_ROWS", {64}), numbered("TILE_COLUMNS", {16})}, {});
  EXPECT_EQ(Words(rectangle).of(rectangle.at(0)).narrowest, 16);
  const auto box =
      search::SearchSpace::build({numbered("TILE_X", {64}), numbered("TILE_Y", {4}), numbered("TILE_Z", {2})}, {});
  EXPECT_FALSE(Words(box).of(box.at(0)).edges);
}

TEST(Words, KnowConsumersThatTakeTurns) {
  const search::Parameter schedule{"SCHEDULE", {std::string("cooperative"), std::string("pingpong")}},
      other{"SCHEDULE", {std::string("static"), std::string("dynamic")}};
  const auto space = search::SearchSpace::build({schedule}, {}), strange = search::SearchSpace::build({other}, {});
  EXPECT_EQ(Words(space).of({{0}}).alternating, false);
  EXPECT_EQ(Words(space).of({{1}}).alternating, true);
  EXPECT_FALSE(Words(strange).knows(0));
  EXPECT_FALSE(Words(strange).of({{0}}).alternating);
}

TEST(Words, AreSilentOfNamesThatAreNone) {
  const search::Parameter order{"COARSENING_ORDER", {std::string("strided"), std::string("consecutive")}};
  const auto space = search::SearchSpace::build({order, numbered("SPEED", {1, 2})}, {});
  const Words words(space);
  EXPECT_FALSE(words.knows(0));
  EXPECT_FALSE(words.knows(1));
  EXPECT_FALSE(words.tells_launches());
  EXPECT_FALSE(words.of(space.at(0)).per_thread);
}

TEST(Words, KnowWhetherAnythingIsDoneAgainstBankConflicts) {
  const search::Parameter swizzle{"SWIZZLE", {false, true}};
  const auto space = search::SearchSpace::build({numbered("PADDING", {0, 1}), swizzle}, {});
  const Words words(space);
  EXPECT_EQ(words.of({{0, 0}}).conflicts, true);
  EXPECT_EQ(words.of({{1, 0}}).conflicts, false);
  EXPECT_EQ(words.of({{0, 1}}).conflicts, false);
}

TEST(WordGuess, NeedsWordsOfLaunches) {
  const auto silent = search::SearchSpace::build({numbered("block_size_x", {32, 64}), numbered("UNROLL", {1, 2})}, {});
  EXPECT_FALSE(word_guess(silent));
}

TEST(WordGuess, PrefersBlocksOfMiddleSizeWideAccessesAndSomeWorkAThread) {
  const auto space = search::SearchSpace::build(
      {numbered("BLOCK_SIZE", {32, 256, 1024}), numbered("COARSENING", {1, 8}), numbered("VECTOR_WIDTH", {1, 4})}, {});
  const auto guess = word_guess(space);
  ASSERT_TRUE(guess);
  const double best = guess({{1, 1, 1}});
  EXPECT_LT(best, guess({{0, 1, 1}}));
  EXPECT_LT(best, guess({{2, 1, 1}}));
  EXPECT_LT(best, guess({{1, 1, 0}}));
  EXPECT_LT(guess({{1, 1, 0}}), guess({{1, 0, 0}}));
}

}  // namespace
}  // namespace warptune::tuner
