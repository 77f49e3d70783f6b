// Declares the copies and streams of the host backend.
#pragma once

#include "tuner/device/device.h"

namespace warptune::tuner::host {

// Host and device are the same memory here, and work is done as soon as it is queued: a copy is a memcpy, any order of
// streams is the order of queueing, memory of every kind is ordinary memory, and its pages are always where they are
// needed.
class HostTransfers : public Transfers {
 public:
  explicit HostTransfers(Device& device) : device_(device) {}

  std::unique_ptr<HostMemory> allocate(std::size_t bytes, HostMemoryKind kind) override;
  void use_stream(int) override {}
  void wait_for(int) override {}
  void copy_in(MemorySpan to, std::span<const std::byte> from) override { device_.upload(to, from); }
  void copy_out(std::span<std::byte> to, MemorySpan from) override { device_.download(to, from); }
  void prefetch(MemorySpan, bool) override {}
  void touch(std::span<const std::byte> memory) override;

 private:
  Device& device_;
};

}  // namespace warptune::tuner::host
