// Allocates ordinary memory for every kind of host memory.
#include "tuner/device/backends/host/host_transfers.h"

#include "tuner/system/pages.h"

namespace warptune::tuner::host {

namespace {

class OrdinaryMemory : public HostMemory {
 public:
  OrdinaryMemory(std::unique_ptr<Memory> memory, bool reached) : memory_(std::move(memory)), reached_(reached) {}

  std::span<std::byte> span() const override {
    return {reinterpret_cast<std::byte*>(memory_->span().address), memory_->span().bytes};
  }
  MemorySpan on_device() const override { return reached_ ? memory_->span() : MemorySpan{}; }

 private:
  std::unique_ptr<Memory> memory_;
  bool reached_;  // whether kernels reach it, as with a GPU
};

}  // namespace

std::unique_ptr<HostMemory> HostTransfers::allocate(std::size_t bytes, HostMemoryKind kind) {
  return std::make_unique<OrdinaryMemory>(device_.allocate(bytes), kernels_reach(kind));
}

void HostTransfers::touch(std::span<const std::byte> memory) {
  read_every_page(memory);
}

}  // namespace warptune::tuner::host
