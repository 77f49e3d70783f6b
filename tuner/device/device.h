// Declares the interface to a backend's device: memory, modules, launches and time.
//
// One thread uses a device at a time. Everything throws DeviceError when the device refuses. Objects handed out must be
// destroyed before their device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "search/trial.h"
#include "tuner/device/compile/compiler.h"
#include "tuner/device/counters.h"
#include "tuner/device/device_error.h"
#include "tuner/device/device_info.h"
#include "tuner/device/host_memory.h"
#include "tuner/device/launch_geometry.h"
#include "tuner/device/tensor_map.h"

namespace warptune::tuner {

// Describes a range of device memory. `address` is a device pointer (a plain pointer on the host).
struct MemorySpan {
  std::uint64_t address = 0;
  std::size_t bytes = 0;
};

inline bool overlap(MemorySpan a, MemorySpan b) {
  return a.address < b.address + b.bytes && b.address < a.address + a.bytes;
}

// Owns device memory, and frees it on destruction.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual MemorySpan span() const = 0;
};

// Owns memory of the host that a device works with, and frees it on destruction.
class HostMemory {
 public:
  virtual ~HostMemory() = default;
  virtual std::span<std::byte> span() const = 0;
  // Returns the same bytes at the address at which kernels reach them. The address is 0 where they do not
  // (host_memory.h).
  virtual MemorySpan on_device() const = 0;
};

// Copies between host and device, and has streams on which copies run beside each other and beside launches. Stream 0
// is the one that everything else of a device waits for and is timed by. The others are made when they are first used.
class Transfers {
 public:
  virtual ~Transfers() = default;
  // Allocates host memory. Throws DeviceError, a resource_limit if there is not enough of this kind or none on this
  // device.
  virtual std::unique_ptr<HostMemory> allocate(std::size_t bytes, HostMemoryKind kind) = 0;
  // What is queued from now on, launches too, goes to this stream. Whoever changes it goes back to 0 in the end, also
  // when something throws.
  virtual void use_stream(int stream) = 0;
  // What is queued from now on in the stream in use waits for all that is queued in the other one so far.
  virtual void wait_for(int stream) = 0;
  // Queue a copy; sizes must be equal. The host's memory must stay until the device is synchronized.
  virtual void copy_in(MemorySpan to, std::span<const std::byte> from) = 0;
  virtual void copy_out(std::span<std::byte> to, MemorySpan from) = 0;
  // Queues moving the pages of managed memory to the host or to the device.
  virtual void prefetch(MemorySpan managed, bool to_host) = 0;
  // Waits for all queued work; then the host reads a byte of every page, which brings back those of managed memory.
  virtual void touch(std::span<const std::byte> memory) = 0;
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  // Returns what a launch with this geometry needs: registers, local and shared memory, occupancy. It launches nothing.
  virtual search::ResourceUse resources(const LaunchGeometry& geometry) const = 0;
  // Returns the size of each parameter in bytes, in order, or nothing where the machine code does not tell.
  virtual std::optional<std::vector<std::size_t>> parameter_bytes() const { return std::nullopt; }
  // Queues one launch. `arguments` point to the values, as cuLaunchKernel takes them. Errors of the launch itself are
  // thrown here, errors of the running kernel by the next synchronize. Opts in to large dynamic shared memory by
  // itself.
  virtual void launch(const LaunchGeometry& geometry, std::span<void* const> arguments) = 0;
};

class Module {
 public:
  virtual ~Module() = default;
  // Returns a kernel by its name expression as compiled. The module owns it. Throws std::out_of_range for an unknown
  // name.
  virtual Kernel& kernel(const std::string& name) = 0;
  // Returns where a __constant__ or __device__ variable lives. Throws std::out_of_range for an unknown name.
  virtual MemorySpan symbol(const std::string& name) = 0;
  // Returns the variables that the module's code can write and that outlive a launch, with their linkage names, as far
  // as the machine code tells.
  virtual std::vector<std::pair<std::string, MemorySpan>> variables() = 0;
};

// Describes work that is to be timed several times in a row.
struct Timing {
  std::function<void()> work;     // queues the launches that are timed
  std::function<void()> lead;     // queued once before all: keeps the device busy while the rest is queued; or empty
  std::function<void()> prepare;  // queued before each sample, outside its time; or empty
  int samples = 1;
  // Says that the work is many launches of some microseconds. The device then hides the gaps between them, if it has a
  // way to.
  bool short_launches = false;
  // Says that the work must reach the device as a graph, whatever its length. Work that cannot be recorded is an error.
  bool only_as_graph = false;
  // This is queued behind each sample, outside its time, unless it is empty. Work of the sample that is not done by
  // then came too late.
  std::function<void()> check = {};
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  virtual std::unique_ptr<Memory> allocate(std::size_t bytes) = 0;
  virtual void upload(MemorySpan to, std::span<const std::byte> from) = 0;
  virtual void download(std::span<std::byte> to, MemorySpan from) = 0;
  virtual void copy(MemorySpan to, MemorySpan from) = 0;  // within the device; sizes must be equal
  virtual std::unique_ptr<Module> load(const MachineCode& code) = 0;
  virtual Transfers& transfers() = 0;
  // Returns a map of this memory, for kernels that take one by value. Throws DeviceError, a resource_limit if the
  // device has no bulk copies or if the view breaks their rules.
  virtual TensorMap encode_tensor_map(const TensorView& view, MemorySpan memory) = 0;
  // Waits until all queued work is done.
  virtual void synchronize() = 0;
  // Queues everything without waiting in between, so that no sample contains the time that queueing takes. Copies from
  // and to pageable memory wait by themselves, so there it belongs to the time. Returns the device's own milliseconds
  // for each sample once all are done.
  virtual std::vector<double> sample_ms(const Timing& timing) = 0;
  // Returns the milliseconds that one piece of work takes.
  double time_ms(std::function<void()> work) { return sample_ms({std::move(work), {}, {}}).front(); }
  // Returns the state as of the latest samples. It costs nothing.
  virtual search::DeviceState state() const = 0;
  // Returns the joules used since some moment in the past, or nothing if the device does not count them. The counter
  // may stand still for a tenth of a second.
  virtual std::optional<double> energy_j() = 0;
  // Returns a profiler, which counts what kernels do, or null where there are no counters. Throws a DeviceError that
  // says why they cannot be read.
  virtual std::unique_ptr<Profiler> profiler() { return nullptr; }
};

// Loads the code with all that is `more` of it. Throws DeviceError.
std::unique_ptr<Module> load_all(Device& device, const MachineCode& code);

}  // namespace warptune::tuner
