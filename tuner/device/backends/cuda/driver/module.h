// Declares the modules and kernels of the CUDA backend.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tuner/device/backends/cuda/driver/context.h"
#include "tuner/device/backends/cuda/driver/launch.h"
#include "tuner/device/device.h"

namespace warptune::tuner::cuda {

class CudaKernel : public Kernel {
 public:
  // `limits` is the device's; both it and the context outlive the kernel.
  CudaKernel(Context& context, const DeviceInfo& limits, CUfunction function, std::string name,
             std::optional<std::vector<std::size_t>> parameter_bytes);

  search::ResourceUse resources(const LaunchGeometry& geometry) const override;
  std::optional<std::vector<std::size_t>> parameter_bytes() const override { return parameter_bytes_; }
  void launch(const LaunchGeometry& geometry, std::span<void* const> arguments) override;

 private:
  std::int64_t attribute(CUfunction_attribute which) const;
  double occupancy(const LaunchGeometry& geometry) const;

  Context& context_;
  const DeviceInfo& limits_;
  CUfunction function_;
  std::string name_;
  std::optional<std::vector<std::size_t>> parameter_bytes_;
  mutable KernelSettings settings_;  // what the driver was last told; no part of the kernel's value
};

class CudaModule : public Module {
 public:
  CudaModule(Context& context, const DeviceInfo& limits, const MachineCode& code);
  ~CudaModule() override;
  CudaModule(const CudaModule&) = delete;
  CudaModule& operator=(const CudaModule&) = delete;

  Kernel& kernel(const std::string& name) override;
  MemorySpan symbol(const std::string& name) override;
  std::vector<std::pair<std::string, MemorySpan>> variables() override;

 private:
  const std::string& linkage_name(const std::string& name) const;

  Context& context_;
  const DeviceInfo& limits_;
  CUmodule module_ = nullptr;
  std::map<std::string, std::string> linkage_names_;
  std::vector<std::string> variables_;                          // linkage names
  std::map<std::string, std::vector<std::size_t>> parameters_;  // by linkage name
  std::map<std::string, std::unique_ptr<CudaKernel>> kernels_;
};

}  // namespace warptune::tuner::cuda
