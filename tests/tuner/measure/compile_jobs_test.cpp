#include "tuner/measure/compilation/compile_jobs.h"

#include <gtest/gtest.h>

namespace warptune::tuner {
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
