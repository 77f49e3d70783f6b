

#include "tuner/measure/compilation/compile_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <numeric>

namespace warptune::tuner {
namespace {

TEST(CompilePool, RunsEveryJobAndReturnsItsResult) {
  CompilePool pool(4);
  std::vector<std::future<int>> results;
  for (int i = 0; i < 200; ++i) results.push_back(pool.submit([i] { return i * i; }));
  for (int i = 0; i < 200; ++i) EXPECT_EQ(results[static_cast<std::size_t>(i)].get(), i * i);
}

TEST(CompilePool, OneThreadKeepsTheOrderOfSubmission) {
  std::vector<int> order;
  {
    CompilePool pool(1);
    for (int i = 0; i < 50; ++i) pool.submit([&order, i] { order.push_back(i); });
    pool.submit([] {}).wait();
  }
  std::vector<int> expected(50);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

TEST(CompilePool, AJobsExceptionReachesWhoWaitsForIt) {
  CompilePool pool(2);
  auto result = pool.submit([]() -> int { throw std::runtime_error("no"); });
  EXPECT_THROW(result.get(), std::runtime_error);
}

TEST(CompilePool, EndingDropsWhatHasNotBegun) {
  std::atomic<int> begun{0};
  std::vector<std::future<void>> jobs;
  {
    CompilePool pool(1);
    std::latch running(1);
    jobs.push_back(pool.submit([&] {
      ++begun;
      running.count_down();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));  // still running when the pool ends
    }));
    running.wait();
    for (int i = 0; i < 20; ++i) jobs.push_back(pool.submit([&] { ++begun; }));
  }
  EXPECT_NO_THROW(jobs.front().get());
  EXPECT_LT(begun.load(), 21);
  EXPECT_THROW(jobs.back().get(), std::future_error);
}

}  // namespace

namespace {

constexpr std::uint64_t gigabyte = std::uint64_t{1} << 30;

TEST(CompileJobs, AreAsManyAsCoresUnlessSomebodySaysOtherwise) {
  EXPECT_EQ(compile_jobs(0, {.cores = 8, .available_bytes = 64 * gigabyte}), 8u);
  EXPECT_EQ(compile_jobs(3, {.cores = 8, .available_bytes = 64 * gigabyte}), 3u);
  EXPECT_EQ(compile_jobs(12, {.cores = 8, .available_bytes = 0}), 12u);
}

TEST(CompileJobs, StayWithinMemoryAndCoresWhateverSomebodySays) {
  EXPECT_EQ(compile_jobs(0, {.cores = 64, .available_bytes = 4 * gigabyte}), 10u);
  EXPECT_EQ(compile_jobs(1000, {.cores = 8, .available_bytes = 1000 * gigabyte}), 32u);
  EXPECT_EQ(compile_jobs(1000, {.cores = 8, .available_bytes = 1 << 20}), 1u);
}

TEST(CompileJobs, KnowThisMachine) {
  EXPECT_GE(compile_room().cores, 1u);
  EXPECT_GT(compile_room().available_bytes, 0u);
}

}  // namespace
}  // namespace warptune::tuner
