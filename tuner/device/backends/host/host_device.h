// Declares the device of the host backend.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "search/random.h"
#include "tuner/device/backends/host/execution/block_scheduler.h"
#include "tuner/device/backends/host/execution/host_threads.h"
#include "tuner/device/backends/host/host_module.h"
#include "tuner/device/backends/host/host_transfers.h"
#include "tuner/device/device.h"
#include "tuner/system/file_descriptor.h"

namespace warptune::tuner::host {

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
  search::DeviceState state() const override {
    return {};
  }  // a shared processor's clock says little about these threads
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
  HostThreads pool_;
  std::optional<KernelFailure> failure_;
  search::Rng rng_;
  std::vector<std::byte> noise_;                             // for shared memory and stacks
  FileDescriptor stack_noise_;                               // what a stack holds at first
  std::vector<std::unique_ptr<BlockScheduler>> schedulers_;  // one for each worker
  std::size_t samples_ = 0;                                  // of the timing under way; 0: there is none
};

}  // namespace warptune::tuner::host
