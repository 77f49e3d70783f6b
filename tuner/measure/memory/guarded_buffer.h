// Declares an argument's memory: a buffer on the device between guard bands and, for an argument that lies on the host,
// the memory there.
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

// Manages the memory of an argument that lies on the host. Beside it there is guarded memory on the device, from which
// it is filled and in which it is inspected. So poison, guard bands, checks and comparison are the same for memory of
// every kind.
//
// Rejected: to poison and inspect managed memory where it is (the support kernels would move its pages about, and
// mapped memory would be read through the bus byte by byte).
class HostSide {
 public:
  // Selects memory of this kind from now on. The memory of each kind is kept, since allocating it anew for every
  // configuration would take longer than many runs. `twin` is the memory on the device. Throws DeviceError.
  void use(HostMemoryKind kind, Device& device, const GuardedBuffer& twin);

  // Return the data as the host and as kernels see it. The latter throws std::logic_error if kernels do not reach this
  // kind of memory.
  std::span<std::byte> span() const;
  MemorySpan on_device() const;

  // Queues what comes before a run. It copies the contents from the device if `changed` or if they have never been
  // copied. It moves the pages of managed memory back to the host, wherever the run before has left them.
  void stage(Device& device, const GuardedBuffer& twin, bool changed);
  // Queues copying to the device what a run left in the data.
  void collect(Device& device, const GuardedBuffer& twin);
  // Queues the same together with the guard bands, for memory that kernels reach. It must be called before guards are
  // looked at: the look changes them, and the next stage then copies everything anew.
  void collect_all(Device& device, const GuardedBuffer& twin);

 private:
  struct Kept {
    std::unique_ptr<HostMemory> memory;  // with guard bands where kernels reach it
    bool staged = false;                 // it holds the same as the device's memory, guard bands included
  };
  // The same range in both places: all of the memory, or the data only.
  struct Ranges {
    std::span<std::byte> host;
    MemorySpan reached, twin;
  };
  Ranges all(const GuardedBuffer& twin) const;
  Ranges data(const GuardedBuffer& twin) const;
  void put(Device& device, const Ranges& ranges) const;
  void bring(Device& device, const Ranges& ranges) const;
  Kept& now() { return kept_.at(static_cast<std::size_t>(kind_)); }
  const Kept& now() const { return kept_.at(static_cast<std::size_t>(kind_)); }

  std::array<Kept, host_memory_kinds.size()> kept_;
  HostMemoryKind kind_ = HostMemoryKind::pageable;
  std::size_t before_ = 0, bytes_ = 0;  // the data's offset and size in the memory
};

}  // namespace warptune::tuner
