#pragma once

#include <array>
#include <memory>
#include <string>

#include "tuner/device/device.h"
#include "tuner/measure/support_kernels.h"

namespace warptune::tuner {

// Device memory between two guard bands, which show whether a kernel wrote outside its buffer once they are poisoned.
class GuardedBuffer {
 public:
  // 4 KiB a side: whole pages, so that the data keeps the allocation's alignment, and wide enough for an overshooting
  // block.
  static constexpr std::size_t guard_bytes = 4096;

  // What the guards hold depends on whether kernels only read the buffer or write it (support.cu).
  enum class Use { read, written };
  GuardedBuffer(Device& device, std::size_t bytes, Use use);

  MemorySpan span() const { return {memory_->span().address + guard_bytes, bytes_}; }
  // The span rounded up to whole 4-byte words, as poisoning and clearing need it.
  MemorySpan words() const { return {span().address, rounded()}; }

  // Takes another size, if the memory is large enough for it; the guards then lie elsewhere.
  bool resize(std::size_t bytes);

  // Before and behind the data.
  std::array<Guard, 2> guards() const;
  // "12 bytes before its start" or "0 bytes past its end", of the first damaged word of one of the guards.
  std::string place(std::size_t guard, std::uint64_t word) const;

 private:
  std::size_t rounded() const { return (bytes_ + 3) / 4 * 4; }

  std::unique_ptr<Memory> memory_;
  std::size_t bytes_;
  Use use_;
};

}  // namespace warptune::tuner
