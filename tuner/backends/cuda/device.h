#pragma once

#include "tuner/backends/cuda/context.h"
#include "tuner/backends/cuda/event.h"
#include "tuner/device.h"

namespace warptune::cuda {

class CudaDevice : public Device {
 public:
  CudaDevice(std::shared_ptr<const Driver> driver, DeviceInfo info, double kernel_timeout_s);

  const DeviceInfo& info() const override { return info_; }
  std::unique_ptr<Memory> allocate(std::size_t bytes) override;
  void upload(MemorySpan to, std::span<const std::byte> from) override;
  void download(std::span<std::byte> to, MemorySpan from) override;
  void copy(MemorySpan to, MemorySpan from) override;
  std::unique_ptr<Module> load(const MachineCode& code) override;
  void synchronize() override;
  double time_ms(const std::function<void()>& work) override;

 private:
  DeviceInfo info_;
  Context context_;
  Event start_, stop_;
};

}  // namespace warptune::cuda
