// Describes how many threads a launch has, in what shape, and what else the driver is told about it. It is apart from
// device.h, because programs that embed the tuner say it too.
#pragma once

#include <cstdint>

namespace warptune::tuner {

struct Dim3 {
  std::int64_t x = 1, y = 1, z = 1;
  std::int64_t volume() const { return x * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

// This is the largest cluster of any device so far. More than 8 blocks have to be allowed kernel by kernel.
inline constexpr std::int64_t most_blocks_per_cluster = 16;

// Describes a launch beyond its geometry, as cuLaunchKernelEx takes it (CUDA driver API, CUlaunchAttributeID). The
// values here are those of a launch without attributes.
struct LaunchAttributes {
  Dim3 cluster;                        // blocks of a cluster; 1: as the kernel was compiled
  Dim3 preferred_cluster;              // taken where it fits, `cluster` elsewhere; 1: none
  std::int64_t carveout_percent = -1;  // share of the multiprocessor's memory to be shared memory; -1: the driver's
  bool programmatic = false;           // may begin before the previous launch has ended
  bool cooperative = false;            // all blocks are resident at once
  std::int64_t priority = 0;           // smaller is more urgent; 0: the stream's

  friend bool operator==(const LaunchAttributes&, const LaunchAttributes&) = default;
};

struct LaunchGeometry {
  Dim3 grid;
  Dim3 block;
  std::int64_t dynamic_shared_bytes = 0;
  LaunchAttributes attributes = {};
};

}  // namespace warptune::tuner
