#include "tuner/session/block_threads.h"

#include <gtest/gtest.h>

#include "search/expression/expression.h"

namespace warptune::tuner {
namespace {

Launch launch_of(const std::string& x, const std::string& y) {
  Launch launch;
  launch.block = {search::Expression::parse(x), search::Expression::parse(y), search::Expression::parse("1")};
  return launch;
}

search::SearchSpace small_space() {
  return search::SearchSpace::build({{"X", {std::int64_t{8}, std::int64_t{32}}}, {"Y", {std::int64_t{0}, 2.0}}}, {});
}

TEST(BlockThreads, AreThoseOfTheLargestLaunch) {
  KernelTemplate kernel;
  kernel.launches = {launch_of("X", "2"), launch_of("rows", "1"), launch_of("X * 2", "1")};
  const search::SearchSpace space = small_space();
  const BlockThreads threads(kernel, {{"rows", std::int64_t{40}}}, space);
  EXPECT_EQ(threads({{0, 0}}), 40);
  EXPECT_EQ(threads({{1, 0}}), 64);
}

TEST(BlockThreads, AConstantHidesAParameterOfItsNameAndThePassIsTheFirst) {
  KernelTemplate kernel;
  kernel.launches = {launch_of("X + pass", "1")};
  const search::SearchSpace space = small_space();
  EXPECT_EQ(BlockThreads(kernel, {{"X", std::int64_t{5}}}, space)({{1, 0}}), 5);
}

TEST(BlockThreads, WhatCannotBeEvaluatedCountsAsOneThread) {
  KernelTemplate kernel;
  kernel.launches = {launch_of("X // Y", "1")};
  const search::SearchSpace space = small_space();
  EXPECT_EQ(BlockThreads(kernel, {}, space)({{1, 0}}), 1);
  EXPECT_EQ(BlockThreads(kernel, {}, space)({{1, 1}}), 16);
  kernel.launches = {launch_of("nobody", "1")};
  EXPECT_EQ(BlockThreads(kernel, {}, space)({{1, 1}}), 1);
}

}  // namespace
}  // namespace warptune::tuner
