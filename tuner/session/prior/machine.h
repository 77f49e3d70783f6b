// Describes what a device can do, as far as a guess of times needs it.
#pragma once

#include <cstdint>
#include <string>

#include "tuner/device/device_info.h"

namespace warptune::tuner {

// Limits are of one multiprocessor; rates are per microsecond and of the whole device.
struct Machine {
  double multiprocessors = 1, threads = 2048, blocks = 32, shared_bytes = 0, registers = 65536;
  double clocks = 0;                  // of one multiprocessor
  double bytes = 0, cache_bytes = 0;  // of memory, of the L2 cache
};

// Returns what a device can do. What it does not tell is a usual GPU's.
Machine machine_of(const DeviceInfo& device);

// Returns the operations of one multiprocessor per clock; a multiply-add counts twice (CUDA C++ Programming Guide,
// "Arithmetic Instructions"; for tensor cores the whitepapers of the A100 and the H100, dense). `arithmetic` is as in
// Work.
double operations_per_clock(std::int64_t capability, const std::string& arithmetic);

}  // namespace warptune::tuner
