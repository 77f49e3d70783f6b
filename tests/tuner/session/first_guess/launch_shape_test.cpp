#include "tuner/session/first_guess/launch_shape.h"

#include <gtest/gtest.h>

#include "tests/tuner/session/first_guess/small_kernel.h"

namespace warptune::tuner {
namespace {

search::SearchSpace space_of_two() {
  return search::SearchSpace::build({numbered("BLOCK_SIZE", {128, 256}), numbered("COARSENING", {0, 4})}, {});
}

TEST(LaunchShape, IsThatOfTheLaunchWithTheMostThreads) {
  KernelTemplate kernel = copying_kernel();
  kernel.launches.push_back(launch_with("1", "BLOCK_SIZE"));
  const auto space = space_of_two();
  const LaunchShape shape = LaunchShapes(kernel, {{"SIZE", std::int64_t{10'000}}}, space).of({{1, 1}});
  EXPECT_EQ(shape.blocks, 10);
  EXPECT_EQ(shape.threads, 256);
  EXPECT_EQ(shape.launches, 2);
}

TEST(LaunchShape, LeavesOutLaunchesThatAreNotMadeAndCountsRepeatedOnesAndClears) {
  KernelTemplate kernel = copying_kernel();
  kernel.launches.front().repeat = search::Expression::parse("3");
  kernel.launches.front().clear = {"output"};
  kernel.launches.push_back(launch_with("100000", "1024"));
  kernel.launches.back().when = search::Expression::parse("BLOCK_SIZE > 999");
  const auto space = space_of_two();
  const LaunchShape shape = LaunchShapes(kernel, {{"SIZE", std::int64_t{10'000}}}, space).of({{0, 1}});
  EXPECT_EQ(shape.threads, 128);
  EXPECT_EQ(shape.launches, 3);
  EXPECT_EQ(shape.clears, 3);
}

TEST(LaunchShape, OfAGeometryThatCannotBeEvaluatedThrows) {
  const auto space = space_of_two();
  const LaunchShapes shapes(copying_kernel(), {{"SIZE", std::int64_t{10'000}}}, space);
  EXPECT_THROW(shapes.of({{0, 0}}), search::ExpressionError);
}

}  // namespace
}  // namespace warptune::tuner
