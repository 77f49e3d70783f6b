// Takes a usual GPU's figures where a device does not tell its own.
#include "tuner/session/prior/machine.h"

namespace warptune::tuner {

namespace {

double known_or(double value, double otherwise) {
  return value > 0 ? value : otherwise;
}

}  // namespace

Machine machine_of(const DeviceInfo& device) {
  const auto limit = [](std::int64_t value, double otherwise) {
    return known_or(static_cast<double>(value), otherwise);
  };
  Machine machine;
  machine.multiprocessors = limit(device.multiprocessors, 64);
  machine.threads = limit(device.max_threads_per_multiprocessor, 2048);
  machine.blocks = limit(device.max_blocks_per_multiprocessor, 32);
  machine.shared_bytes = limit(device.max_shared_memory_per_multiprocessor, 100 << 10);
  machine.registers = limit(device.max_registers_per_multiprocessor, 65536);
  machine.clocks = limit(device.clock_khz, 1.5e6) / 1e3;
  // A multiprocessor's shared memory delivers 128 bytes a clock, and the L2 cache about a third of that to each.
  machine.cache_bytes = 40 * machine.clocks * machine.multiprocessors;
  machine.bytes = known_or(device.memory_bandwidth_gbs() * 1e3, machine.cache_bytes / 2);
  return machine;
}

double operations_per_clock(std::int64_t capability, const std::string& arithmetic) {
  const bool ampere = capability == 80, hopper = capability >= 90;
  if (arithmetic == "tensor_bf16") return hopper ? 4096 : ampere ? 2048 : 1024;
  if (arithmetic == "tensor_tf32") return hopper ? 2048 : ampere ? 1024 : 512;
  if (arithmetic == "fp64") return capability == 90 ? 128 : ampere ? 64 : 4;
  return ampere || capability == 75 ? 128 : 256;
}

}  // namespace warptune::tuner
