// What limits a launch's occupancy, and its waves: by known figures, and against CUDA's own calculator where it is
// there.
#include "tuner/device/roofline/occupancy.h"

#include <gmock/gmock.h>

#include "tuner/device/device_info.h"

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define WARPTUNE_HAS_CALCULATOR 1
#endif

namespace warptune::tuner {
namespace {

using testing::ElementsAre;

DeviceInfo h200() {
  DeviceInfo device;
  device.compute_capability = 90;
  device.max_threads_per_block = 1024;
  device.max_threads_per_multiprocessor = 2048;
  device.max_registers_per_block = device.max_registers_per_multiprocessor = 65536;
  device.max_shared_memory_per_block = 48 * 1024;
  device.max_shared_memory_per_block_optin = 227 * 1024;
  device.max_shared_memory_per_multiprocessor = 228 * 1024;
  device.max_blocks_per_multiprocessor = 32;
  device.multiprocessors = 132;
  return device;
}

search::LaunchUse launch(std::int64_t blocks, std::int64_t threads, std::int64_t registers, std::int64_t shared,
                         std::int64_t resident) {
  search::LaunchUse launch;
  launch.grid = {blocks, 1, 1};
  launch.block = {threads, 1, 1};
  launch.use = {registers, 0, shared, 0, threads, static_cast<double>(resident * threads) / 2048};
  return launch;
}

TEST(Occupancy, NamesTheResourceThatRunsOutFirst) {
  const auto limiters = [](const search::LaunchUse& one) { return limiter_text(residency(one, h200().limits())); };
  EXPECT_EQ(limiters(launch(1000, 256, 128, 0, 2)), "registers");
  EXPECT_EQ(limiters(launch(1000, 256, 32, 0, 8)), "threads and registers");
  EXPECT_EQ(limiters(launch(1000, 256, 16, 0, 8)), "threads");
  EXPECT_EQ(limiters(launch(1000, 128, 16, 64 * 1024, 3)), "shared memory");
  EXPECT_EQ(limiters(launch(1000, 32, 16, 0, 32)), "blocks");
}

TEST(Occupancy, SaysNothingOfALimiterWhereTheDeviceGivesAnotherNumberOfBlocks) {
  const Residency odd = residency(launch(1000, 256, 128, 0, 1), h200().limits());
  EXPECT_EQ(odd.blocks_per_multiprocessor, 1);
  EXPECT_THAT(odd.limiters, ElementsAre());
}

TEST(Occupancy, CountsWavesAndWhatTheLastOneLeavesEmpty) {
  // 2 blocks a multiprocessor, 264 on the device: 300 blocks are one full wave and 36 places of the next.
  const Residency one = residency(launch(300, 256, 128, 0, 2), h200().limits());
  EXPECT_DOUBLE_EQ(one.waves, 300.0 / 264);
  EXPECT_DOUBLE_EQ(one.last_wave, 36.0 / 264);
  EXPECT_DOUBLE_EQ(one.tail(), 1 - 300.0 / 528);
  EXPECT_EQ(one.idle_multiprocessors, 0);
  const Residency full = residency(launch(528, 256, 128, 0, 2), h200().limits());
  EXPECT_DOUBLE_EQ(full.last_wave, 1);
  EXPECT_DOUBLE_EQ(full.tail(), 0);
  EXPECT_EQ(residency(launch(100, 256, 128, 0, 2), h200().limits()).idle_multiprocessors, 32);
}

TEST(Occupancy, KnowsNoWavesOfATrialFromBeforeLaunchesWereKept) {
  search::Trial trial;
  EXPECT_FALSE(main_launch(trial));
  trial.resources = search::ResourceUse{128, 0, 0, 0, 256, 0.25};
  const Residency old = residency(main_launch(trial).value(), h200().limits());
  EXPECT_EQ(limiter_text(old), "registers");
  EXPECT_EQ(old.grid_blocks, 0);
  EXPECT_EQ(old.waves, 0);
}

#ifdef WARPTUNE_HAS_CALCULATOR
cudaOccDeviceProp properties(int capability) {
  cudaOccDeviceProp device;
  device.computeMajor = capability / 10;
  device.computeMinor = capability % 10;
  device.maxThreadsPerBlock = 1024;
  device.maxThreadsPerMultiprocessor = capability == 86 ? 1536 : capability == 75 ? 1024 : 2048;
  device.regsPerBlock = device.regsPerMultiprocessor = 65536;
  device.warpSize = 32;
  const std::size_t kib = capability == 75 ? 64 : capability == 80 ? 164 : capability == 86 ? 100 : 228;
  device.sharedMemPerMultiprocessor = kib * 1024;
  device.sharedMemPerBlock = 48 * 1024;
  device.sharedMemPerBlockOptin = (kib - (capability == 75 ? 0 : 1)) * 1024;
  device.reservedSharedMemPerBlock = capability == 75 ? 0 : 1024;
  device.numSms = 132;
  return device;
}

// The calculator's answer as a device would give it; -1 where it gives none.
int calculated_blocks(const cudaOccDeviceProp& device, int threads, int registers, std::size_t shared) {
  cudaOccFuncAttributes function;
  function.maxThreadsPerBlock = 1024;
  function.numRegs = registers;
  function.sharedSizeBytes = 0;
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.maxDynamicSharedSizeBytes = device.sharedMemPerBlockOptin;
  cudaOccDeviceState state;
  cudaOccResult result;
  if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, threads, shared) != CUDA_OCC_SUCCESS)
    return -1;
  return result.activeBlocksPerMultiprocessor;
}

TEST(Occupancy, AgreesWithTheCalculatorOfCuda) {
  int compared = 0;
  for (const int capability : {75, 80, 86, 90, 100})
    for (const int threads : {32, 64, 96, 128, 192, 250, 256, 384, 512, 768, 1024})
      for (int registers = 8; registers <= 255; registers += 7)
        for (const std::size_t shared : {0, 1, 1024, 3000, 8192, 16384, 33000, 65536, 100000, 200000}) {
          const cudaOccDeviceProp properties_of = properties(capability);
          const int blocks = calculated_blocks(properties_of, threads, registers, shared);
          if (blocks <= 0) continue;
          DeviceInfo device = h200();
          device.compute_capability = capability;
          device.max_threads_per_multiprocessor = properties_of.maxThreadsPerMultiprocessor;
          device.max_shared_memory_per_multiprocessor =
              static_cast<std::int64_t>(properties_of.sharedMemPerMultiprocessor);
          device.max_blocks_per_multiprocessor = capability == 75 || capability == 86 ? 16 : 32;
          search::LaunchUse one = launch(1, threads, registers, static_cast<std::int64_t>(shared), 0);
          one.use.occupancy =
              static_cast<double>(blocks * threads) / static_cast<double>(device.max_threads_per_multiprocessor);
          EXPECT_FALSE(residency(one, device.limits()).limiters.empty())
              << capability << ": " << threads << " threads, " << registers << " registers, " << shared << " bytes, "
              << blocks << " blocks";
          ++compared;
        }
  EXPECT_GT(compared, 5000);
}
#endif

}  // namespace
}  // namespace warptune::tuner
