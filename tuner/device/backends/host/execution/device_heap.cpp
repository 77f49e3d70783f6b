// Keeps the blocks in a map by address, under a mutex.
#include "tuner/device/backends/host/execution/device_heap.h"

#include <iterator>

namespace warptune::tuner::host {

DeviceHeap& DeviceHeap::of_process() {
  static DeviceHeap heap;
  return heap;
}

// Freed blocks stay until their memory is given out again, so that an access to one gets a message of its own.
void DeviceHeap::add(const MemorySpan& block) {
  const std::lock_guard lock(mutex_);
  auto at = blocks_.lower_bound(block.address);
  if (at != blocks_.begin())
    if (const auto last = std::prev(at); last->first + last->second.bytes > block.address) at = last;
  while (at != blocks_.end() && at->first < block.address + block.bytes) at = blocks_.erase(at);
  blocks_[block.address] = {block.bytes, false};
}

void DeviceHeap::release(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  if (const auto known = blocks_.find(address); known != blocks_.end()) known->second.freed = true;
}

std::optional<std::pair<std::uint64_t, DeviceHeap::Block>> DeviceHeap::before(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const auto behind = blocks_.upper_bound(address);
  if (behind == blocks_.begin()) return std::nullopt;
  return *std::prev(behind);
}

bool DeviceHeap::holds(const MemorySpan& access) const {
  const auto found = before(access.address);
  if (!found || found->second.freed) return false;
  const std::uint64_t offset = access.address - found->first;
  return access.bytes <= found->second.bytes && offset <= found->second.bytes - access.bytes;
}

}  // namespace warptune::tuner::host
