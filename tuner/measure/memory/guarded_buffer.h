// Declares a buffer on the device between guard bands.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "tuner/device/device.h"
#include "tuner/measure/memory/support_kernels.h"

namespace warptune::tuner {

// Device memory between two guard bands. Once they are poisoned, they show whether a kernel wrote outside its buffer.
class GuardedBuffer {
 public:
  // What the guards hold depends on whether kernels only read the buffer or write it (support_memory.cu).
  enum class Use { read, written };
  GuardedBuffer(Device& device, std::size_t bytes, Use use);

  MemorySpan span() const { return {memory_->span().address + guard_bytes_, bytes_}; }
  MemorySpan with_guards() const { return memory_->span(); }

  // Changes the size if the memory is large enough, and returns whether it is. The guards then lie elsewhere.
  bool resize(std::size_t bytes);

  // Returns the guards before and behind the data.
  std::array<Guard, 2> guards() const;
  // Says where the first damaged byte of one of the guards lies, in elements of this size: "12 bytes before its start,
  // where element -3 would be", "1 to 4 bytes past its end, where element 100 would be: it has 100".
  std::string place(std::size_t guard, std::uint64_t byte, std::size_t element_bytes) const;
  // Returns the size of each of the two guards. The second one begins with the byte behind the data, whatever the
  // data's size is.
  static std::size_t guard_bytes(const Device& device);

 private:
  std::size_t guard_bytes_;
  std::unique_ptr<Memory> memory_;
  std::size_t bytes_;
  Use use_;
};

}  // namespace warptune::tuner
