// Compares models, and lists a device's limits by name.
#include "tuner/device/device_info.h"

#include <cmath>

namespace warptune::tuner {

std::int64_t memory_gib(const DeviceInfo& device) {
  constexpr double gib = 1024.0 * 1024 * 1024;
  return std::llround(static_cast<double>(device.total_memory_bytes) / gib);
}

bool same_model(const DeviceInfo& a, const DeviceInfo& b) {
  return a.backend == b.backend && a.name == b.name && a.architecture == b.architecture &&
         memory_gib(a) == memory_gib(b) && a.multiprocessors == b.multiprocessors;
}

search::NamedValues DeviceInfo::limits() const {
  return {
      {"compute_capability", compute_capability},
      {"max_threads_per_block", max_threads_per_block},
      {"max_block_x", max_block_x},
      {"max_block_y", max_block_y},
      {"max_block_z", max_block_z},
      {"max_grid_x", max_grid_x},
      {"max_grid_y", max_grid_y},
      {"max_grid_z", max_grid_z},
      {"max_registers_per_block", max_registers_per_block},
      {"max_registers_per_multiprocessor", max_registers_per_multiprocessor},
      {"max_shared_memory_per_block", max_shared_memory_per_block},
      {"max_shared_memory_per_block_optin", max_shared_memory_per_block_optin},
      {"max_shared_memory_per_multiprocessor", max_shared_memory_per_multiprocessor},
      {"max_constant_memory", max_constant_memory},
      {"max_threads_per_multiprocessor", max_threads_per_multiprocessor},
      {"max_blocks_per_multiprocessor", max_blocks_per_multiprocessor},
      {"multiprocessors", multiprocessors},
      {"warp_size", warp_size},
      {"clock_khz", clock_khz},
      {"memory_clock_khz", memory_clock_khz},
      {"memory_bus_bits", memory_bus_bits},
      {"l2_bytes", l2_bytes},
      {"total_memory_bytes", total_memory_bytes},
      {"ecc", ecc},
      {"power_limit_w", power_limit_w},
  };
}

}  // namespace warptune::tuner
