// Measures what a device reaches, by kernels of our own (roof_kernels.cu) through the interface that every kernel goes
// through: the host has roofs as well. Rejected: figures of data sheets, which no program reaches, and which virtual
// GPUs, power limits and memory with error correction do not keep. Tensor cores multiply ones, which takes less power
// than real data: their roof is what the clock allows, and not what the power limit leaves of it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "db/records.h"
#include "tuner/device/compile/compiler.h"
#include "tuner/device/device.h"

namespace warptune::tuner {

struct RoofEffort {
  double sample_ms = 2;                           // about how long one launch is to take
  int samples = 10;                               // of which the fastest counts
  std::size_t most_bytes = std::size_t{1} << 30;  // of the buffer that is read from memory
};

struct MeasuredRoofs {
  std::vector<db::Roof> roofs;     // in the order of roof_kinds(); device, driver and version are the caller's to set
  std::vector<std::string> notes;  // what could not be measured, and why
};

// Returns what is compiled for a device: kernels for every device, for tensor cores from compute capability 8.0 on, and
// for the wgmma of 9.0.
std::vector<CompileRequest> roof_requests(const DeviceInfo& device);

// Measures all roofs of a device. It takes the device for a second on a GPU, longer on a host, and the compiler for
// some more. `on_step` is told what is done next. Throws DeviceError if the device refuses memory or is lost; a kernel
// that does not compile or run is a note.
MeasuredRoofs measure_roofs(Device& device, Compiler& compiler, const RoofEffort& effort = {},
                            const std::function<void(const std::string& step)>& on_step = {});

}  // namespace warptune::tuner
