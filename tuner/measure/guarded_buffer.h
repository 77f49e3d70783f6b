#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tuner/device.h"
#include "tuner/measure/support_kernels.h"

namespace warptune {

// Device memory between two poisoned guard bands that show whether a kernel wrote outside its buffer.
class GuardedBuffer {
 public:
  // 4 KiB a side: whole pages, so that the data keeps the allocation's alignment, and wide enough for an overshooting
  // block.
  static constexpr std::size_t guard_bytes = 4096;

  GuardedBuffer(Device& device, SupportKernels& kernels, std::size_t bytes);

  MemorySpan span() const { return {memory_->span().address + guard_bytes, bytes_}; }
  // The span rounded up to whole 4-byte words, as poisoning and clearing need it.
  MemorySpan words() const { return {span().address, rounded()}; }

  // "12 bytes before its start" or "0 bytes past its end", for the first damaged byte; nothing if intact. Repairs the
  // guards.
  std::optional<std::string> damage(SupportKernels& kernels);

 private:
  std::size_t rounded() const { return (bytes_ + 3) / 4 * 4; }
  MemorySpan front() const { return {memory_->span().address, guard_bytes}; }
  MemorySpan back() const { return {span().address + rounded(), guard_bytes}; }

  std::unique_ptr<Memory> memory_;
  std::size_t bytes_;
};

}  // namespace warptune
