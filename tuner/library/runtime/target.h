// Declares what the runtime needs of a device. Unlike device/device.h, whose devices own their context and stream, a
// target works in the application's, and from many threads at once. It is private to tuner/library/runtime. All
// functions throw DeviceError.
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
  // Queues one launch. `arguments` are as cuLaunchKernel takes them.
  virtual void launch(const tuner::LaunchGeometry& geometry, Stream stream, std::span<void*> arguments) = 0;
};

// A Program is a loaded module and its functions.
class Program {
 public:
  virtual ~Program() = default;
  // Returns a function that is ready to be launched with this geometry. The program owns it.
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
  // Encodes a map as Device's function does, of memory that a launch is about to be given.
  virtual tuner::TensorMap encode_tensor_map(const tuner::TensorView& view, tuner::MemorySpan memory) = 0;
  // Clearing and copying are queued on the stream.
  virtual void clear(tuner::MemorySpan span, Stream stream) = 0;
  virtual void copy(tuner::MemorySpan to, tuner::MemorySpan from, Stream stream) = 0;
  // Copies to the host, and waits for the stream.
  virtual void download(std::span<std::byte> to, tuner::MemorySpan from, Stream stream) = 0;
};

// Returns a target in the CUDA context that is current. Throws NoDeviceError.
std::unique_ptr<Target> cuda_target(const Options& options);

}  // namespace warptune::runtime
