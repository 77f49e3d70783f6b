// Declares the device of the CUDA backend.
#pragma once

#include "tuner/device/backends/cuda/driver/context.h"
#include "tuner/device/backends/cuda/driver/memory.h"
#include "tuner/device/backends/cuda/driver/timing.h"
#include "tuner/device/backends/cuda/sensors/nvml.h"
#include "tuner/device/device.h"

namespace warptune::tuner::cuda {

class CudaDevice : public Device {
 public:
  CudaDevice(std::shared_ptr<const Driver> driver, DeviceInfo info, const BackendOptions& options);

  const DeviceInfo& info() const override { return info_; }
  std::unique_ptr<Memory> allocate(std::size_t bytes) override;
  void upload(MemorySpan to, std::span<const std::byte> from) override;
  void download(std::span<std::byte> to, MemorySpan from) override;
  void copy(MemorySpan to, MemorySpan from) override;
  std::unique_ptr<Module> load(const MachineCode& code) override;
  Transfers& transfers() override { return transfers_; }
  TensorMap encode_tensor_map(const TensorView& view, MemorySpan memory) override;
  void synchronize() override;
  std::vector<double> sample_ms(const Timing& timing) override;
  search::DeviceState state() const override { return sensors_.state(); }
  std::optional<double> energy_j() override { return sensors_.energy_j(); }
  std::unique_ptr<Profiler> profiler() override;

 private:
  DeviceInfo info_;
  BackendOptions options_;
  Context context_;
  CudaTransfers transfers_;
  Timer timer_;
  Sensors sensors_;
};

}  // namespace warptune::tuner::cuda
