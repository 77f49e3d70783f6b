// What the runtime needs of a device. Unlike device/device.h, whose devices own their context and stream, a target
// works in the application's, and from many threads at once. Private to tuner/library/runtime. Everything throws
// DeviceError.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "tuner/device/compile/compiler.h"
#include "tuner/device/device.h"
#include "tuner/library/runtime/runtime.h"

namespace warptune::runtime {

class Function {
 public:
  virtual ~Function() = default;
  // Queues one launch; `arguments` as cuLaunchKernel takes them.
  virtual void launch(const tuner::LaunchGeometry& geometry, Stream stream, std::span<void*> arguments) = 0;
};

// A loaded module, and its functions.
class Program {
 public:
  virtual ~Program() = default;
  // Ready to be launched with this geometry; the program owns it.
  virtual Function& function(const std::string& name, const tuner::LaunchGeometry& geometry) = 0;
  virtual tuner::MemorySpan symbol(const std::string& name) = 0;
};

class Target {
 public:
  virtual ~Target() = default;
  virtual const tuner::DeviceInfo& info() const = 0;
  virtual tuner::Compiler& compiler() = 0;
  virtual std::unique_ptr<Program> load(const tuner::MachineCode& code) = 0;
  virtual std::unique_ptr<tuner::Memory> allocate(std::size_t bytes) = 0;
  // As Device's: of memory that a launch is about to be given.
  virtual tuner::TensorMap encode_tensor_map(const tuner::TensorView& view, tuner::MemorySpan memory) = 0;
  // Queued on the stream.
  virtual void clear(tuner::MemorySpan span, Stream stream) = 0;
  virtual void copy(tuner::MemorySpan to, tuner::MemorySpan from, Stream stream) = 0;
  // Waits for the stream.
  virtual void download(std::span<std::byte> to, tuner::MemorySpan from, Stream stream) = 0;
};

// In the CUDA context that is current. Throws NoDeviceError.
std::unique_ptr<Target> cuda_target(const Options& options);

}  // namespace warptune::runtime
