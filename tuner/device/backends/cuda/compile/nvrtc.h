// Opens NVRTC, the run-time compiler, at run time. Its functions are pointers that are looked up once.
#pragma once

#include <nvrtc.h>

#include <memory>
#include <string>

#include "tuner/device/backend.h"
#include "tuner/device/backends/cuda/compile/library.h"

namespace warptune::tuner::cuda {

// Every member is the function that its name says, without the prefix "nvrtc". None is null but where noted.
struct Nvrtc {
  SharedLibrary library;
  int major = 0, minor = 0;

  decltype(&::nvrtcVersion) version = nullptr;
  decltype(&::nvrtcGetErrorString) get_error_string = nullptr;
  decltype(&::nvrtcGetNumSupportedArchs) get_num_supported_archs = nullptr;
  decltype(&::nvrtcGetSupportedArchs) get_supported_archs = nullptr;
  decltype(&::nvrtcCreateProgram) create_program = nullptr;
  decltype(&::nvrtcDestroyProgram) destroy_program = nullptr;
  decltype(&::nvrtcCompileProgram) compile_program = nullptr;
  decltype(&::nvrtcGetProgramLogSize) get_program_log_size = nullptr;
  decltype(&::nvrtcGetProgramLog) get_program_log = nullptr;
  decltype(&::nvrtcGetCUBINSize) get_cubin_size = nullptr;
  decltype(&::nvrtcGetCUBIN) get_cubin = nullptr;
  decltype(&::nvrtcAddNameExpression) add_name_expression = nullptr;
  decltype(&::nvrtcGetLoweredName) get_lowered_name = nullptr;
  // Sets a callback that the compiler asks now and then whether to give up. It exists since NVRTC 12.8 and is null
  // before.
  nvrtcResult (*set_flow_callback)(nvrtcProgram, int (*)(void* payload, void* reserved), void* payload) = nullptr;

  // Returns the version in words: "NVRTC 13.0".
  std::string version_text() const;
  // Returns the compute capabilities that it compiles for: 75, 80 … in ascending order.
  std::vector<int> architectures() const;
};

// Opens NVRTC: 13, 12, then 11.2 and later. Throws NoDeviceError with what is missing and what to do about it.
std::shared_ptr<const Nvrtc> load_nvrtc(const BackendOptions& options);

}  // namespace warptune::tuner::cuda
