#include "tuner/session/first_guess/first_guess.h"

#include <gtest/gtest.h>

#include "tests/tuner/session/first_guess/small_kernel.h"

namespace warptune::tuner {
namespace {

using search::Configuration;

search::NamedValues size_is(std::int64_t elements) {
  return {{"SIZE", elements}};
}

class FirstGuessOfACopy : public testing::Test {
 protected:
  FirstGuess guess(std::int64_t elements) const { return {kernel_, size_is(elements), large_device(), space_}; }

  KernelTemplate kernel_ = copying_kernel();
  search::SearchSpace space_ = search::SearchSpace::build(
      {numbered("BLOCK_SIZE", {32, 256, 1024}), numbered("COARSENING", {1, 4, 512}), numbered("VECTOR_WIDTH", {1, 4})},
      {});
};

TEST_F(FirstGuessOfACopy, WantsEnoughBytesOnTheirWay) {
  const FirstGuess large = guess(1 << 28);
  EXPECT_LT(large({{1, 1, 1}}), large({{0, 0, 0}}));
  EXPECT_LT(large({{1, 1, 1}}), large({{1, 1, 0}}));
}

TEST_F(FirstGuessOfACopy, WantsABlockForEachMultiprocessor) {
  const FirstGuess small = guess(1 << 20);
  EXPECT_LT(small({{1, 1, 1}}), small({{2, 2, 1}}));  // 1,024 blocks, or two
}

TEST_F(FirstGuessOfACopy, CountsLaunchesWhereTheWorkIsSmall) {
  KernelTemplate twice = kernel_;
  twice.launches.push_back(launch_with("1", "32"));
  twice.launches.back().when = search::Expression::parse("VECTOR_WIDTH == 4");
  const auto difference = [&](std::int64_t elements) {
    const FirstGuess with(twice, size_is(elements), large_device(), space_), without = guess(elements);
    return with({{1, 1, 1}}) - without({{1, 1, 1}});
  };
  EXPECT_GT(difference(1000), 0.3);
  EXPECT_LT(difference(1 << 28), 0.01);
}

TEST_F(FirstGuessOfACopy, NeverExpectsMuchOfWhatCannotBeLaunched) {
  kernel_.launches = {launch_with("SIZE // (COARSENING - 4)", "BLOCK_SIZE")};
  const FirstGuess broken = guess(1 << 20);
  EXPECT_GT(broken({{1, 1, 1}}), broken({{1, 2, 1}}) + 10);
}

// Loads and stores have their own widths; the launch leaves four elements to each thread.
class FirstGuessOfATile : public testing::Test {
 protected:
  FirstGuessOfATile() {
    kernel_.launches = {launch_with("SIZE // (TILE_ROWS * TILE_COLUMNS)", "TILE_ROWS * TILE_COLUMNS // 4")};
    kernel_.default_values = {{"PADDING", std::int64_t{0}}};
  }
  double of(const Configuration& configuration) const {
    return FirstGuess(kernel_, size_is(1 << 26), large_device(), space_)(configuration);
  }

  KernelTemplate kernel_ = copying_kernel();
  search::SearchSpace space_ = search::SearchSpace::build(
      {numbered("TILE_ROWS", {16, 32}), numbered("TILE_COLUMNS", {32, 64}), numbered("VECTOR_WIDTH_LOAD", {1, 4}),
       numbered("VECTOR_WIDTH_STORE", {1, 4}), numbered("PADDING", {0, 1})},
      {});
};

TEST_F(FirstGuessOfATile, WantsWideLoadsMoreThanWideStores) {
  EXPECT_LT(of({{1, 0, 1, 0, 1}}), of({{1, 0, 0, 1, 1}}));
}

TEST_F(FirstGuessOfATile, WantsSidesThatFillALineOfMemory) {
  EXPECT_LT(of({{1, 0, 1, 1, 1}}) + 0.03, of({{0, 1, 1, 1, 1}}));  // 32 x 32 or 16 x 64
}

TEST_F(FirstGuessOfATile, FearsBankConflictsThoughTheDefaultHasThem) {
  EXPECT_LT(of({{1, 0, 1, 1, 1}}) + 0.2, of({{1, 0, 1, 1, 0}}));
}

// A product of matrices: each output takes 2 * SIDE operations, and a block of TILE_M x TILE_N outputs its operands.
class FirstGuessOfAProduct : public testing::Test {
 protected:
  FirstGuessOfAProduct() {
    Argument output;
    output.role = Role::output;
    output.shape = {search::Expression::parse("SIDE"), search::Expression::parse("SIDE")};
    kernel_.arguments = {output};
    kernel_.work.flops = search::Expression::parse("2 * SIDE * SIDE * SIDE");
    kernel_.work.bytes = search::Expression::parse("12 * SIDE * SIDE");
    kernel_.work.arithmetic = search::Expression::parse("'fp32'");
    kernel_.launches = {
        launch_with("(SIDE // TILE_M) * (SIDE // TILE_N)", "TILE_M * TILE_N // (COARSENING_M * COARSENING_N)")};
  }
  FirstGuess guess(std::int64_t side) const { return {kernel_, {{"SIDE", side}}, large_device(), space_}; }

  KernelTemplate kernel_;
  search::SearchSpace space_ =
      search::SearchSpace::build({numbered("TILE_M", {32, 128}), numbered("TILE_N", {32, 128}),
                                  numbered("COARSENING_M", {2, 8, 32}), numbered("COARSENING_N", {2, 8, 32})},
                                 {{"64 <= TILE_M * TILE_N // (COARSENING_M * COARSENING_N) <= 1024"}});
};

TEST_F(FirstGuessOfAProduct, WantsOperandsUsedOftenWhereThereIsWorkForAllMultiprocessors) {
  const FirstGuess large = guess(4096);
  EXPECT_LT(large({{1, 1, 1, 1}}), large({{0, 0, 0, 0}}));
}

TEST_F(FirstGuessOfAProduct, WantsManyBlocksWhereThereIsLittleWork) {
  const FirstGuess small = guess(256);
  EXPECT_LT(small({{0, 0, 0, 0}}), small({{1, 1, 1, 1}}));  // 64 blocks, or four
}

TEST_F(FirstGuessOfAProduct, FearsSpilledRegisters) {
  const FirstGuess large = guess(4096);
  EXPECT_LT(large({{1, 1, 1, 1}}), large({{1, 1, 1, 2}}) + 1e-9);
}

// The same with tiles in shared memory, whose depth groups of threads may share.
class FirstGuessOfAStagedProduct : public FirstGuessOfAProduct {
 protected:
  FirstGuessOfAStagedProduct() {
    kernel_.launches = {launch_with("(SIDE // TILE_M) * (SIDE // TILE_N)", "TILE_M * TILE_N // 64 * SLICED_K")};
    space_ = search::SearchSpace::build(
        {numbered("TILE_M", {64, 128}), numbered("TILE_N", {64, 128}), numbered("TILE_K", {8, 32}),
         numbered("COARSENING", {64}), numbered("SLICED_K", {1, 2})},
        {});
  }
};

TEST_F(FirstGuessOfAStagedProduct, WantsFewStepsWhereOneBlockWaitsForEach) {
  EXPECT_LT(guess(512)({{0, 0, 1, 0, 0}}), guess(512)({{0, 0, 0, 0, 0}}) - 0.05);
}

TEST_F(FirstGuessOfAStagedProduct, WantsThreadsThatShareTheDepthWhereThereAreFewBlocks) {
  EXPECT_LT(guess(512)({{0, 0, 1, 0, 1}}), guess(512)({{0, 0, 1, 0, 0}}) - 0.1);
}

// Of 24 x 24 tiles, 4.4 are for each multiprocessor; of 24 x 12, only 2.2.
TEST_F(FirstGuessOfAStagedProduct, WantsTilesOfWhichTheLastOnesAreNotFew) {
  EXPECT_LT(guess(1536)({{0, 0, 1, 0, 1}}), guess(1536)({{1, 0, 1, 0, 1}}));
}

// On tensor cores, by either of Hopper's instructions.
class FirstGuessOfATensorProduct : public FirstGuessOfAProduct {
 protected:
  FirstGuessOfATensorProduct() {
    kernel_.work.arithmetic = search::Expression::parse("'tensor_bf16'");
    kernel_.launches = {launch_with("(SIDE // 128) * (SIDE // TILE_N)", "256")};
    kernel_.default_values = {{"ALGORITHM", std::string("mma")}, {"PERSISTENT", false}, {"STAGES", std::int64_t{2}}};
    const search::Parameter algorithm{"ALGORITHM", {std::string("mma"), std::string("wgmma")}},
        persistent{"PERSISTENT", {false, true}};
    space_ = search::SearchSpace::build(
        {numbered("TILE_M", {128}), numbered("TILE_N", {128, 256}), algorithm, persistent, numbered("STAGES", {2, 4})},
        {});
  }
};

TEST_F(FirstGuessOfATensorProduct, WantsTheInstructionsOfWarpgroupsThoughTheDefaultHasOthers) {
  EXPECT_LT(guess(4096)({{0, 0, 1, 0, 0}}), guess(4096)({{0, 0, 0, 0, 0}}));
}

TEST_F(FirstGuessOfATensorProduct, WantsTilesReadAheadAndBlocksThatStay) {
  EXPECT_LT(guess(4096)({{0, 0, 1, 0, 1}}), guess(4096)({{0, 0, 1, 0, 0}}));
  EXPECT_LT(guess(4096)({{0, 0, 1, 1, 0}}), guess(4096)({{0, 0, 1, 0, 0}}));
}

// Where sums are short, much of the time is the writing of results.
TEST_F(FirstGuessOfATensorProduct, WantsConsumersThatTakeTurnsWhereSumsAreShort) {
  const search::Parameter schedule{"SCHEDULE", {std::string("cooperative"), std::string("pingpong")}};
  space_ = search::SearchSpace::build({numbered("TILE_M", {128}), numbered("TILE_N", {128}), schedule}, {});
  kernel_.launches = {launch_with("132", "384")};
  kernel_.work.bytes = search::Expression::parse("4 * SIDE * SIDE");
  const auto gain = [&](const std::string& depth) {
    kernel_.work.flops = search::Expression::parse("2 * SIDE * SIDE * " + depth);
    const FirstGuess of_this = guess(4096);
    return of_this({{0, 0, 0}}) - of_this({{0, 0, 1}});
  };
  EXPECT_GT(gain("512"), 0.05);
  EXPECT_GT(gain("512"), 2 * gain("8192"));
}

TEST(FirstGuess, LeavesHintsToTheCacheOpenWhereDataDoNotFitIntoIt) {
  KernelTemplate kernel = copying_kernel();
  kernel.launches = {launch_with("100", "256")};
  kernel.default_values = {{"CACHE_HINT", std::string("plain")}};
  const search::Parameter hint{"CACHE_HINT", {std::string("plain"), std::string("streaming")}};
  const auto space = search::SearchSpace::build({hint}, {});
  const FirstGuess large(kernel, size_is(1 << 28), large_device(), space),
      small(kernel, size_is(1 << 20), large_device(), space);
  EXPECT_LT(small({{0}}), small({{1}}));
  EXPECT_DOUBLE_EQ(large({{0}}), large({{1}}));
}

TEST(FirstGuess, DoesNotAddUpEachUnknownChoice) {
  KernelTemplate kernel = copying_kernel();
  kernel.launches = {launch_with("100", "256")};
  kernel.default_values = {{"FIRST", std::string("a")}, {"SECOND", std::string("a")}};
  const search::Parameter first{"FIRST", {std::string("a"), std::string("b")}},
      second{"SECOND", {std::string("a"), std::string("b")}};
  const auto space = search::SearchSpace::build({first, second}, {});
  const FirstGuess guess(kernel, size_is(1000), large_device(), space);
  const double none = guess({{0, 0}}), one = guess({{1, 0}}), two = guess({{1, 1}});
  EXPECT_GT(two, one);
  EXPECT_LT(two - none, 1.5 * (one - none));
}

TEST(FirstGuess, OfWhatNothingIsKnownFollowsTheDefault) {
  KernelTemplate kernel = copying_kernel();
  kernel.launches = {launch_with("100", "256")};
  kernel.default_values = {{"METHOD", std::string("quick")}, {"DEPTH", std::int64_t{2}}};
  const search::Parameter method{"METHOD", {std::string("slow"), std::string("quick")}};
  const auto space = search::SearchSpace::build({method, numbered("DEPTH", {1, 2, 3, 4})}, {});
  const FirstGuess guess(kernel, size_is(1000), large_device(), space);
  EXPECT_LT(guess({{1, 1}}), guess({{0, 1}}));
  EXPECT_LT(guess({{1, 1}}), guess({{1, 2}}));
  EXPECT_LT(guess({{1, 2}}), guess({{1, 3}}));
}

}  // namespace
}  // namespace warptune::tuner
