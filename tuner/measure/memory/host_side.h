// The memory of an argument that lies on the host, beside the guarded memory on the device that it is filled from and
// inspected in: so poison, guard bands, audit and comparison are the same for memory of every kind.
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
  // From now on the memory is of this kind. Each kind's is kept: to allocate it anew for every configuration would take
  // longer than many runs. `twin` is the memory on the device; throws DeviceError.
  void use(HostMemoryKind kind, Device& device, const GuardedBuffer& twin);

  // The data, as the host and as kernels see it; the latter throws std::logic_error where they do not.
  std::span<std::byte> span() const;
  MemorySpan on_device() const;

  // Queue what comes before a run: contents from the device if `changed` or if they have never been, and the pages of
  // managed memory back to the host, wherever the run before has left them.
  void stage(Device& device, const GuardedBuffer& twin, bool changed);
  // Queues bringing back what a run left in the data.
  void collect(Device& device, const GuardedBuffer& twin);
  // Queues the same with the guard bands, of memory that kernels reach. To be called before guards are looked at: they
  // change with that, and the next stage puts everything anew.
  void collect_all(Device& device, const GuardedBuffer& twin);

 private:
  struct Kept {
    std::unique_ptr<HostMemory> memory;  // with guard bands where kernels reach it
    bool staged = false;                 // holds what the device's does, guard bands too
  };
  // All of it, or the data, in both places.
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
  std::size_t before_ = 0, bytes_ = 0;  // the data's place in it
};

}  // namespace warptune::tuner
