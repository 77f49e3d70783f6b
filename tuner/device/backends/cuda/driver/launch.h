// Makes one launch with all that its geometry says, for the backend and for the runtime in an application's context.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <string>

#include "tuner/device/backends/cuda/driver/driver.h"
#include "tuner/device/launch_geometry.h"

namespace warptune::tuner::cuda {

// Returns whether the driver's numbers, which have 32 bits, hold the geometry. What does not fit must not wrap around
// to something launchable.
bool fits(const LaunchGeometry& geometry);

// Describes a launch: "scale with grid 8x1x1, block 64x1x1 and 0 bytes of dynamic shared memory", and the attributes if
// there are any.
std::string describe(const std::string& kernel, const LaunchGeometry& geometry);

// Tells the driver what a kernel needs before launches that need it, each setting once, and keeps what the driver was
// told last. Only one thread may change it at a time.
class KernelSettings {
 public:
  explicit KernelSettings(std::int64_t allowed_dynamic_shared) : allowed_(allowed_dynamic_shared) {}

  // Asks for the dynamic shared memory beyond 48 KiB, which is only ever raised, for the carve-out, and for clusters of
  // more than eight blocks.
  CUresult prepare(const Driver& driver, CUfunction function, const LaunchGeometry& geometry);

 private:
  std::int64_t allowed_;
  std::int64_t carveout_ = -1;
  bool large_clusters_ = false;
};

// Queues the launch. It uses cuLaunchKernel where the launch has no attributes but a carve-out, and cuLaunchKernelEx
// otherwise. A driver before CUDA 11.8 lacks the latter, and the result is CUDA_ERROR_NOT_SUPPORTED. The context must
// be current.
CUresult launch(const Driver& driver, CUfunction function, const LaunchGeometry& geometry, CUstream stream,
                void** arguments);

}  // namespace warptune::tuner::cuda
