// Links device code: relocatable code whose kernels launch kernels needs CUDA's device runtime beside it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/device/backend.h"

namespace warptune::tuner::cuda {

struct NvJitLink;

// Links with NVIDIA's nvJitLink, which is opened at run time, and the device runtime libcudadevrt.a. It needs no device
// and no driver, so this machine code is finished, cached and judged before any launch, as all other code is. It is
// safe to call from many threads at once.
class Linker {
 public:
  struct Linked {
    std::optional<std::vector<std::byte>> code;
    std::string log;  // what went wrong
  };

  // Looks for both in the options' folders and then beside `nvrtc`, because the three should be of one toolkit. Throws
  // NoDeviceError with what is missing and what to do about it.
  Linker(const BackendOptions& options, const std::filesystem::path& nvrtc);
  ~Linker();

  // Links an `object` that NVRTC made with -rdc=true for `architecture` ("sm_90"). `name` is for messages.
  Linked link(const std::vector<std::byte>& object, const std::string& name, const std::string& architecture) const;

 private:
  std::unique_ptr<const NvJitLink> library_;
  std::filesystem::path device_runtime_;
};

// Returns whether options of NVRTC's ask for code that must be linked.
bool must_be_linked(const std::vector<std::string>& options);

}  // namespace warptune::tuner::cuda
