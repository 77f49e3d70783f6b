// A kernel of one launch over SIZE elements, for tests of what is known before anything runs.
#pragma once

#include <string>
#include <vector>

#include "tuner/device/device_info.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

inline search::Parameter numbered(std::string name, const std::vector<std::int64_t>& values) {
  search::Parameter parameter{std::move(name), {}};
  for (std::int64_t value : values) parameter.values.emplace_back(value);
  return parameter;
}

inline Launch launch_with(const std::string& grid, const std::string& block) {
  Launch launch;
  launch.grid[0] = search::Expression::parse(grid);
  launch.block[0] = search::Expression::parse(block);
  return launch;
}

// Reads SIZE floats and writes as many.
inline KernelTemplate copying_kernel() {
  KernelTemplate kernel;
  Argument output;
  output.name = "output";
  output.role = Role::output;
  output.shape = {search::Expression::parse("SIZE")};
  kernel.arguments = {output};
  kernel.work.bytes = search::Expression::parse("8 * SIZE");
  kernel.launches = {launch_with("ceildiv(SIZE, BLOCK_SIZE * COARSENING)", "BLOCK_SIZE")};
  return kernel;
}

// The size of an H200.
inline DeviceInfo large_device() {
  DeviceInfo device;
  device.compute_capability = 90;
  device.max_threads_per_multiprocessor = 2048;
  device.max_blocks_per_multiprocessor = 32;
  device.max_registers_per_multiprocessor = 65536;
  device.max_shared_memory_per_multiprocessor = 228 << 10;
  device.multiprocessors = 132;
  device.clock_khz = 1'980'000;
  device.memory_clock_khz = 3'201'000;
  device.memory_bus_bits = 6144;
  device.l2_bytes = 60 << 20;
  return device;
}

}  // namespace warptune::tuner
