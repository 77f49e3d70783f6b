// Manages the memory of an argument that lies on the host. Beside it there is guarded memory on the device, from which
// it is filled and in which it is inspected. So poison, guard bands, audit and comparison are the same for memory of
// every kind.
//
// Rejected: to poison and inspect managed memory where it is (the support kernels would move its pages about, and
// mapped memory would be read through the bus byte by byte).
#pragma once

#include <array>
#include <memory>

#include "tuner/device/device.h"
#include "tuner/measure/memory/guarded_buffer.h"

namespace warptune::tuner {

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
