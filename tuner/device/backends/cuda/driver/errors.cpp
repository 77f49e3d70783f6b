// Classifies the driver's errors, and writes their messages.
#include "tuner/device/backends/cuda/driver/errors.h"

#include <fmt/format.h>

namespace warptune::tuner::cuda {

namespace {

constexpr int invalid_cluster_size = 912;  // CUDA_ERROR_INVALID_CLUSTER_SIZE, which headers before CUDA 11.8 lack

}  // namespace

ErrorClass classify(CUresult result, Step step) {
  if (static_cast<int>(result) == invalid_cluster_size)
    return {search::Outcome::resource_limit, false, "take a smaller cluster, or blocks that need less"};
  switch (result) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return {search::Outcome::resource_limit, false, "take a smaller problem size, or free the device's memory"};
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
      return {search::Outcome::resource_limit, false,
              "all blocks of a cooperative launch are resident at once: take a smaller grid, or blocks that need less"};
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
      return {search::Outcome::resource_limit, false,
              "take fewer threads a block, or fewer registers (__launch_bounds__)"};
    case CUDA_ERROR_INVALID_VALUE:
      if (step == Step::launch)
        return {search::Outcome::resource_limit, false,
                "compare the geometry with the limits that `warptune devices` lists"};
      return {search::Outcome::launch_error, false, "check the sizes and addresses of this request"};
    case CUDA_ERROR_NOT_SUPPORTED:
      if (step == Step::launch)
        return {search::Outcome::resource_limit, false,
                "the device or the driver lacks a launch attribute that the manifest asks for: they came with CUDA "
                "11.8 (driver 520), clusters and programmatic launches with devices of compute capability 9.0"};
      return {search::Outcome::launch_error, false, "look this error up in the CUDA driver API's documentation"};
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      return {search::Outcome::timeout, true, "the system's watchdog ended the kernel: use a device without a display"};
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
      return {search::Outcome::launch_error, true, "run the kernel under compute-sanitizer to see the access"};
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_LAUNCH_FAILED:
      return {search::Outcome::launch_error, true,
              "the kernel trapped or overran its stack: run it under compute-sanitizer"};
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
      return {search::Outcome::launch_error, false,
              "the driver cannot load this code: is NVRTC newer than the driver?"};
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_EXTERNAL_DEVICE:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case CUDA_ERROR_UNKNOWN:
      return {search::Outcome::crash, true,
              "the device is lost to this process: check nvidia-smi and the system's log"};
    default:
      return {search::Outcome::launch_error, false, "look this error up in the CUDA driver API's documentation"};
  }
}

DeviceError device_error(const Driver& driver, CUresult result, Step step, const std::string& attempted,
                         const std::string& device) {
  const ErrorClass error = classify(result, step);
  std::string message =
      fmt::format("{} on {} failed: {}; {}", attempted, device, driver.error_text(result), error.advice);
  if (error.sticky) message += " (this process can no longer use the device)";
  return DeviceError(error.outcome, driver.error_name(result), message, error.sticky);
}

}  // namespace warptune::tuner::cuda
