// Hands out portions of blocks, and keeps the failure of the first block in the grid's order.
#include "tuner/device/backends/host/launch.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/device/backends/host/module.h"

namespace warptune::tuner::host {

namespace {

// Each worker gets about this many portions: few enough that taking one costs nothing, many enough that all workers end
// together.
constexpr std::int64_t kPortions = 16;

Index3 narrow(const Dim3& size) {
  return {static_cast<unsigned>(size.x), static_cast<unsigned>(size.y), static_cast<unsigned>(size.z)};
}

}  // namespace

Launch::Launch(const HostKernel& kernel, const LaunchGeometry& geometry, std::span<void* const> arguments, int workers,
               const Conditions& conditions)
    : kernel_(kernel),
      geometry_(geometry),
      arguments_(arguments.begin(), arguments.end()),
      conditions_(conditions),
      blocks_(geometry.grid.volume()),
      portion_(std::max<std::int64_t>(1, blocks_ / (workers * kPortions))),
      end_(blocks_) {}

void Launch::work(BlockScheduler& scheduler) {
  warptune_host::Context& context = kernel_.module().context();
  context.block_size = narrow(geometry_.block);
  context.grid_size = narrow(geometry_.grid);
  context.threads = static_cast<unsigned>(geometry_.block.volume());
  context.scheduler = &scheduler;
  context.runtime = &BlockScheduler::runtime();
  AccessTracker* const tracker = conditions_.accesses == nullptr ? nullptr : add_tracker();
  const SharedMemory shared(kernel_.module().shared(), reinterpret_cast<std::uint64_t>(&context),
                            geometry_.dynamic_shared_bytes, conditions_.noise, conditions_.seed);
  scheduler.begin_launch(
      {kernel_.entry().run, arguments_.data(), conditions_.order, conditions_.seed, conditions_.noise, tracker});
  for (;;) {
    const std::int64_t first = next_.fetch_add(portion_, std::memory_order_relaxed);
    if (first >= end_.load(std::memory_order_relaxed)) break;
    run_blocks(scheduler, context, shared, first, std::min(blocks_, first + portion_));
  }
  scheduler.end_launch();
  if (shared.overrun()) fail(blocks_ - 1, overrun());
}

// Each worker needs a tracker of its own, because thread-local storage lies elsewhere for each.
AccessTracker* Launch::add_tracker() {
  auto tracker =
      std::make_unique<AccessTracker>(*conditions_.accesses, kernel_.module().places(geometry_.dynamic_shared_bytes));
  const std::lock_guard lock(mutex_);
  trackers_.push_back(std::move(tracker));
  return trackers_.back().get();
}

void Launch::report_accesses() {
  std::vector<const AccessTracker*> trackers;
  for (const auto& tracker : trackers_) {
    trackers.push_back(tracker.get());
    conditions_.accesses->neighbours |= tracker->shared_variables() > 1;
  }
  const std::uint64_t instruction = failure_ ? failure_->instruction : 0;
  const std::string line = report(*conditions_.accesses, {kernel_.name(), geometry_, {}},
                                  kernel_.module().tracked_code(), trackers, instruction);
  if (!line.empty()) failure_->message += fmt::format(" ({})", line);
}

void Launch::run_blocks(BlockScheduler& scheduler, warptune_host::Context& context, const SharedMemory& shared,
                        std::int64_t first, std::int64_t last) {
  for (std::int64_t block = first; block < last && block < end_.load(std::memory_order_relaxed); ++block) {
    context.block = block_at(block);
    shared.fill(block);
    // Nothing above a worker's thread catches exceptions, and one is thrown if there is no memory for the first stack.
    try {
      if (auto failure = scheduler.run(context)) fail(block, std::move(*failure));
    } catch (const DeviceError& error) {
      fail(block, {error.outcome(), error.code(), error.what()});
    }
  }
}

KernelFailure Launch::overrun() const {
  return {search::Outcome::launch_error, "OUT_OF_BOUNDS",
          fmt::format("it writes beyond its shared memory, of which its launch gave it {} bytes besides what it "
                      "declares itself: `warptune run --sanitize` says where",
                      geometry_.dynamic_shared_bytes)};
}

void Launch::fail(std::int64_t block, KernelFailure failure) {
  const std::lock_guard lock(mutex_);
  if (block >= end_.load(std::memory_order_relaxed)) return;
  end_.store(block, std::memory_order_relaxed);
  failure.message = fmt::format("kernel {} on the host: {}", kernel_.name(), failure.message);
  failure_ = std::move(failure);
}

Index3 Launch::block_at(std::int64_t linear) const {
  const std::int64_t plane = geometry_.grid.x * geometry_.grid.y;
  return narrow({linear % geometry_.grid.x, linear % plane / geometry_.grid.x, linear / plane});
}

}  // namespace warptune::tuner::host
