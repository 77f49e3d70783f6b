// Declares the device of the host backend, its copies and streams, and its profiler.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "search/random.h"
#include "tuner/device/backends/host/execution/block_scheduler.h"
#include "tuner/device/backends/host/execution/host_threads.h"
#include "tuner/device/backends/host/module.h"
#include "tuner/device/device.h"
#include "tuner/system/file_descriptor.h"

namespace warptune::tuner::host {

// Host and device are the same memory here, and work is done as soon as it is queued: a copy is a memcpy, any order of
// streams is the order of queueing, memory of every kind is ordinary memory, and its pages are always where they are
// needed.
class HostTransfers : public Transfers {
 public:
  explicit HostTransfers(Device& device) : device_(device) {}

  std::unique_ptr<HostMemory> allocate(std::size_t bytes, HostMemoryKind kind) override;
  void use_stream(int) override {}
  void wait_for(int) override {}
  void copy_in(MemorySpan to, std::span<const std::byte> from) override { device_.upload(to, from); }
  void copy_out(std::span<std::byte> to, MemorySpan from) override { device_.download(to, from); }
  void prefetch(MemorySpan, bool) override {}
  void touch(std::span<const std::byte> memory) override;

 private:
  Device& device_;
};

class HostProfiler : public Profiler {
 public:
  // Both must outlive the profiler. What it counts must have been compiled as tracked.
  HostProfiler(Device& device, AccessLog& log) : device_(device), log_(log) {}

  std::vector<std::string> lacking() const override;
  std::vector<CounterValues> count(const CountedWork& work) override;

 private:
  Device& device_;
  AccessLog& log_;
};

// Represents the processors of this machine. A launch runs to its end before `launch` returns; an error of the running
// kernel waits for the next synchronize, and until then further launches do nothing.
class HostDevice : public Device {
 public:
  // What tracked modules do is written to the log, if there is one.
  HostDevice(DeviceInfo info, std::size_t stack_bytes, std::shared_ptr<AccessLog> accesses = {});

  const DeviceInfo& info() const override { return info_; }
  std::unique_ptr<Memory> allocate(std::size_t bytes) override;
  void upload(MemorySpan to, std::span<const std::byte> from) override;
  void download(std::span<std::byte> to, MemorySpan from) override;
  void copy(MemorySpan to, MemorySpan from) override;
  std::unique_ptr<Module> load(const MachineCode& code) override;
  Transfers& transfers() override { return transfers_; }
  TensorMap encode_tensor_map(const TensorView& view, MemorySpan memory) override;
  void synchronize() override;
  std::vector<double> sample_ms(const Timing& timing) override;
  // A shared processor's clock says little about these threads.
  search::DeviceState state() const override { return {}; }
  std::optional<double> energy_j() override { return std::nullopt; }
  // Returns null without a log to count in.
  std::unique_ptr<Profiler> profiler() override;

  ThreadOrder order_of_threads() const;

  // Runs every block of a launch whose geometry has been checked.
  void run(const HostKernel& kernel, const LaunchGeometry& geometry, std::span<void* const> arguments);

 private:
  DeviceInfo info_;
  std::shared_ptr<AccessLog> accesses_;
  HostTransfers transfers_{*this};
  HostThreads threads_;
  std::optional<KernelFailure> failure_;
  search::Rng rng_;
  std::vector<std::byte> noise_;                             // for shared memory and stacks
  FileDescriptor stack_noise_;                               // what a stack holds at first
  std::vector<std::unique_ptr<BlockScheduler>> schedulers_;  // one for each worker
  std::size_t samples_ = 0;                                  // of the timing under way; 0: there is none
};

}  // namespace warptune::tuner::host
