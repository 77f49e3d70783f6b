// Declares memory of a CUDA device.
#pragma once

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

}  // namespace warptune::tuner::cuda
