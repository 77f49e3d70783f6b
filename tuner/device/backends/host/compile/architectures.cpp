// Has the table of the architectures' limits.
#include "tuner/device/backends/host/compile/architectures.h"

#include <fmt/format.h>

namespace warptune::tuner::host {

namespace {

// Holds an architecture's limits (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"). What
// all of them share is not here: 1024 threads and 65536 registers a block, 48 KiB of static shared memory, the grid's
// and the block's extents.
struct Architecture {
  const char* name;
  std::int64_t shared_kib;  // a block's, after opting in
  std::int64_t multiprocessor_shared_kib;
  std::int64_t multiprocessor_threads;
  std::int64_t multiprocessor_blocks;
};

constexpr Architecture architectures[] = {
    {"sm_75", 64, 64, 1024, 16},   {"sm_80", 163, 164, 2048, 32}, {"sm_86", 99, 100, 1536, 16},
    {"sm_89", 99, 100, 1536, 24},  {"sm_90", 227, 228, 2048, 32}, {"sm_100", 227, 228, 2048, 32},
    {"sm_120", 99, 100, 1536, 24},
};

constexpr std::int64_t registers = 65536;

// compute_capability stays 0: kernels run here whatever an architecture's instructions are, and a GPU must not be given
// what was tuned on a processor.
DeviceInfo limited(DeviceInfo info, const Architecture& architecture) {
  info.id += fmt::format(":{}", architecture.name);
  info.name += fmt::format(" as {}", architecture.name);
  info.max_shared_memory_per_block_optin = architecture.shared_kib * 1024;
  info.max_shared_memory_per_multiprocessor = architecture.multiprocessor_shared_kib * 1024;
  info.max_threads_per_multiprocessor = architecture.multiprocessor_threads;
  info.max_blocks_per_multiprocessor = architecture.multiprocessor_blocks;
  info.max_registers_per_block = info.max_registers_per_multiprocessor = registers;
  return info;
}

}  // namespace

std::vector<DeviceInfo> as_architectures(const DeviceInfo& host) {
  std::vector<DeviceInfo> all;
  for (const Architecture& architecture : architectures) all.push_back(limited(host, architecture));
  return all;
}

}  // namespace warptune::tuner::host
