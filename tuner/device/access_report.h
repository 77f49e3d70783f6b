// Declares the report on a run's memory accesses that the host backend tracks (device/backends/host). It holds the
// counts that lectures state as figures, and the findings of a race detector.
//
// A caller makes an AccessLog, names the buffers, and gives it to a backend by its options; modules that were compiled
// as tracked write to it. Nobody else may touch it while something runs.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/device/launch_geometry.h"

namespace warptune::tuner {

// The words are Nsight Compute's: a request is one instruction of a warp, a sector is 32 bytes of global memory, and a
// wavefront is one pass through shared memory's banks.
enum class Count : unsigned char {
  global_loads,  // by threads
  global_stores,
  global_atomics,
  global_load_bytes,
  global_store_bytes,
  global_load_requests,  // by warps
  global_store_requests,
  global_load_sectors,
  global_store_sectors,
  shared_loads,
  shared_stores,
  shared_atomics,
  shared_load_requests,
  shared_store_requests,
  shared_load_conflicts,  // wavefronts beyond those that the access needs at least
  shared_store_conflicts,
  constant_loads,  // of the module's own variables
  block_barriers,  // by blocks
  warp_barriers,   // by warps: __syncwarp, shuffles, votes
  warp_steps,      // basic blocks that warps executed
  lane_steps,      // basic blocks that threads executed
  divergent_branches,
  threads,
  warps,
  blocks,
};
inline constexpr std::size_t count_kinds = static_cast<std::size_t>(Count::blocks) + 1;
std::string_view name_of(Count kind);

struct AccessCounts {
  std::array<std::int64_t, count_kinds> values{};
  struct OfBuffer {
    std::int64_t loads = 0, stores = 0, atomics = 0;  // by threads
  };
  std::map<std::string, OfBuffer> buffers = {};

  std::int64_t& operator[](Count kind) { return values[static_cast<std::size_t>(kind)]; }
  std::int64_t operator[](Count kind) const { return values[static_cast<std::size_t>(kind)]; }
  void add(const AccessCounts& other);
};

struct LaunchCounts {
  std::string kernel;
  LaunchGeometry geometry;
  AccessCounts counts;
};

// Describes a data hazard. Hazards of one kind in one kernel, between the same two source lines, are one finding.
struct AccessFinding {
  std::string kernel;
  std::string key;      // identifies it: the kernel, the kind of hazard and the two lines
  std::string message;  // describes the first occurrence
  std::int64_t times = 0;
};

struct AccessBuffer {
  std::string name;
  std::uint64_t address = 0;
  std::size_t bytes = 0;
};

struct AccessLog {
  bool races = true, counts = true;    // what to look for
  std::vector<AccessBuffer> buffers;   // those that kernels may access; the rest of device memory is out of bounds
  std::vector<LaunchCounts> launches;  // in order
  std::vector<AccessFinding> findings;
  // Says whether a launch had several shared arrays. An access beyond one array that hits another one is not seen.
  bool neighbours = false;
};

}  // namespace warptune::tuner
