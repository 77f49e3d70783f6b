// Declares the memory of a CUDA device, the host memory that it works with, and the copies between them.
#pragma once

#include <memory>
#include <vector>

#include "tuner/device/backends/cuda/driver/context.h"
#include "tuner/device/device.h"

namespace warptune::tuner::cuda {

// Throws std::invalid_argument if the sizes differ.
void require_same_size(std::size_t to, std::size_t from);

// Owns plain device memory. It is never managed memory, whose migrating pages would be measured as the kernel's time.
class DeviceMemory : public Memory {
 public:
  DeviceMemory(Context& context, std::size_t bytes);
  ~DeviceMemory() override;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  MemorySpan span() const override { return {address_, bytes_}; }

 private:
  Context& context_;
  CUdeviceptr address_ = 0;
  std::size_t bytes_;
};

// Allocates memory of this kind. Throws DeviceError, a resource_limit where the device has none of this kind.
std::unique_ptr<HostMemory> allocate_host_memory(Context& context, std::size_t bytes, HostMemoryKind kind);

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
