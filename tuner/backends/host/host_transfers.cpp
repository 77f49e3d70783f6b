#include "tuner/backends/host/host_transfers.h"

namespace warptune::tuner::host {

namespace {

class OrdinaryMemory : public HostMemory {
 public:
  explicit OrdinaryMemory(std::unique_ptr<Memory> memory) : memory_(std::move(memory)) {}

  std::span<std::byte> span() const override {
    return {reinterpret_cast<std::byte*>(memory_->span().address), memory_->span().bytes};
  }

 private:
  std::unique_ptr<Memory> memory_;
};

}  // namespace

std::unique_ptr<HostMemory> HostTransfers::allocate(std::size_t bytes, bool) {
  return std::make_unique<OrdinaryMemory>(device_.allocate(bytes));
}

}  // namespace warptune::tuner::host
