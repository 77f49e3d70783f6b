// Declares the copies and streams of the CUDA backend.
#pragma once

#include <vector>

#include "tuner/device/backends/cuda/driver/context.h"
#include "tuner/device/device.h"

namespace warptune::tuner::cuda {

class CudaTransfers : public Transfers {
 public:
  explicit CudaTransfers(Context& context) : context_(context) {}
  ~CudaTransfers() override;
  CudaTransfers(const CudaTransfers&) = delete;
  CudaTransfers& operator=(const CudaTransfers&) = delete;

  std::unique_ptr<HostMemory> allocate(std::size_t bytes, HostMemoryKind kind) override;
  void use_stream(int stream) override;
  void wait_for(int stream) override;
  void copy_in(MemorySpan to, std::span<const std::byte> from) override;
  void copy_out(std::span<std::byte> to, MemorySpan from) override;
  void prefetch(MemorySpan managed, bool to_host) override;
  void touch(std::span<const std::byte> memory) override;

 private:
  CUevent event(std::size_t stream);

  Context& context_;
  std::vector<CUevent> events_;  // by stream: the point that another one last began to wait for
};

}  // namespace warptune::tuner::cuda
