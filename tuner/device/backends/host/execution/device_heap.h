// Records what tracked kernels have allocated by malloc or new. There is one record for the process, as there is one
// heap: a launch may use and free what another one allocated. It is thread-safe.
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
  // Returns whether all of the access lies in one block that has not been freed.
  bool holds(const MemorySpan& access) const;
  // Returns the last block that begins at the address or before it, and where it begins. It may be one that has been
  // freed.
  std::optional<std::pair<std::uint64_t, Block>> before(std::uint64_t address) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Block> blocks_;  // by address; they do not overlap
};

}  // namespace warptune::tuner::host
