// Spreads the blocks of one launch over the workers.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "tuner/device/backends/host/execution/access_tracker.h"
#include "tuner/device/backends/host/execution/block_scheduler.h"
#include "tuner/device/backends/host/execution/module_memory.h"
#include "tuner/device/device.h"

namespace warptune::tuner::host {

class HostKernel;

class Launch {
 public:
  // `workers` only shapes the portions in which blocks are handed out.
  // `noise` is what shared and local memory hold when a block begins, at least twice as much as a block may have.
  struct Conditions {
    ThreadOrder order = ThreadOrder::forward;
    std::uint64_t seed = 0;
    std::span<const std::byte> noise;
    AccessLog* accesses = nullptr;  // if the module is tracked
  };
  Launch(const HostKernel& kernel, const LaunchGeometry& geometry, std::span<void* const> arguments, int workers,
         const Conditions& conditions);

  // Takes and runs blocks until none is left before the first that failed. Each worker calls it with its own scheduler.
  void work(BlockScheduler& scheduler);

  // Returns what went wrong in the first block, in the grid's order, that fails. It is called after all workers have
  // returned. The blocks before the failed one have all run, so that the same launch gives the same message whichever
  // worker was faster.
  std::optional<KernelFailure> take_failure() { return std::move(failure_); }
  // Writes what the workers of a tracked module saw into the log. It is called after all workers have returned.
  void report_accesses();

 private:
  void run_blocks(BlockScheduler& scheduler, warptune_host::Context& context, const SharedMemory& shared,
                  std::int64_t first, std::int64_t last);
  AccessTracker* add_tracker();
  KernelFailure overrun() const;
  void fail(std::int64_t block, KernelFailure failure);
  Index3 block_at(std::int64_t linear) const;

  const HostKernel& kernel_;
  LaunchGeometry geometry_;
  std::vector<void*> arguments_;
  Conditions conditions_;
  std::int64_t blocks_;
  std::int64_t portion_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<std::int64_t> end_;  // no block from here on is worth running: the grid's size, or the first that failed
  std::mutex mutex_;
  std::optional<KernelFailure> failure_;
  std::vector<std::unique_ptr<AccessTracker>> trackers_;  // one for each worker
};

}  // namespace warptune::tuner::host
