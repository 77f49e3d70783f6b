#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <vector>

#include "tuner/device/backends/cuda/driver/driver.h"
#include "tuner/kernel/plan.h"

namespace warptune::tuner::bench {

// The application's side: a primary context made current, a stream, buffers. As any program that uses the driver has
// them.
class Application {
 public:
  explicit Application(const BackendOptions& options);
  ~Application();
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  const cuda::Driver& driver() const { return *driver_; }
  CUstream stream() const { return stream_; }
  const DeviceInfo& device() const { return device_; }
  CUdeviceptr allocate(std::size_t bytes);
  void wait() const;

 private:
  std::shared_ptr<const cuda::Driver> driver_;
  DeviceInfo device_;
  CUstream stream_ = nullptr;
  std::vector<CUdeviceptr> buffers_;
};

// What one would write by hand for vector_add in its default configuration: one cuLaunchKernel with prepared pointers.
class PlainLaunch {
 public:
  PlainLaunch(Application& application, const std::filesystem::path& manifest, std::int64_t size,
              std::array<CUdeviceptr, 3> buffers, const BackendOptions& options);

  void launch();

 private:
  Application& application_;
  LaunchGeometry geometry_;
  std::array<CUdeviceptr, 3> buffers_;
  long long size_;
  CUfunction function_ = nullptr;
};

// Throws std::runtime_error with the driver's words.
void require(const cuda::Driver& driver, CUresult result, const char* attempted);

}  // namespace warptune::tuner::bench
