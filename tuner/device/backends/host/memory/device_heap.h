// What tracked kernels have allocated by malloc or new. One for the process, as the heap itself is: what one launch
// allocates another may use and free. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "tuner/device/device.h"

namespace warptune::tuner::host {

class DeviceHeap {
 public:
  static DeviceHeap& of_process();

  void add(const MemorySpan& block);
  void release(std::uint64_t address);

  struct Block {
    std::uint64_t bytes = 0;
    bool freed = false;
  };
  // Whether all of it lies in one block that has not been freed.
  bool holds(const MemorySpan& access) const;
  // The last block that begins at the address or before it, and where; also one that has been freed.
  std::optional<std::pair<std::uint64_t, Block>> before(std::uint64_t address) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Block> blocks_;  // that do not overlap
};

}  // namespace warptune::tuner::host
