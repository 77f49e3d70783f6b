// Finds NVRTC and its built-ins, and looks its functions up.
#include "tuner/device/backends/cuda/compile/nvrtc.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/device/backends/cuda/compile/library.h"
#include "tuner/device/device_error.h"

namespace warptune::tuner::cuda {
namespace {

SharedLibrary open_nvrtc_library(const BackendOptions& options) {
  std::string failure;
  const std::vector<std::string> names = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
  if (auto library = open_library({names, options.library_directories, library_folders(options)}, failure))
    return *library;
  throw NoDeviceError(
      fmt::format("CUDA's run-time compiler (libnvrtc.so.13, .12 or .11.2) cannot be loaded ({}): install the CUDA "
                  "toolkit or its NVRTC package, or name the folder that holds the library",
                  failure));
}

template <typename Function>
void look_up(const Nvrtc& nvrtc, Function& function, const char* symbol) {
  function = reinterpret_cast<Function>(nvrtc.library.find(symbol));
  if (function) return;
  throw NoDeviceError(fmt::format("the library {} ({}) lacks the symbol {}: install CUDA 11.2 or later",
                                  nvrtc.library.file().string(), nvrtc.version_text(), symbol));
}

void look_up_all(Nvrtc& nvrtc) {
  look_up(nvrtc, nvrtc.version, "nvrtcVersion");
  nvrtc.version(&nvrtc.major, &nvrtc.minor);
  look_up(nvrtc, nvrtc.get_error_string, "nvrtcGetErrorString");
  look_up(nvrtc, nvrtc.get_num_supported_archs, "nvrtcGetNumSupportedArchs");
  look_up(nvrtc, nvrtc.get_supported_archs, "nvrtcGetSupportedArchs");
  look_up(nvrtc, nvrtc.create_program, "nvrtcCreateProgram");
  look_up(nvrtc, nvrtc.destroy_program, "nvrtcDestroyProgram");
  look_up(nvrtc, nvrtc.compile_program, "nvrtcCompileProgram");
  look_up(nvrtc, nvrtc.get_program_log_size, "nvrtcGetProgramLogSize");
  look_up(nvrtc, nvrtc.get_program_log, "nvrtcGetProgramLog");
  look_up(nvrtc, nvrtc.get_cubin_size, "nvrtcGetCUBINSize");
  look_up(nvrtc, nvrtc.get_cubin, "nvrtcGetCUBIN");
  look_up(nvrtc, nvrtc.add_name_expression, "nvrtcAddNameExpression");
  look_up(nvrtc, nvrtc.get_lowered_name, "nvrtcGetLoweredName");
  nvrtc.set_flow_callback =
      reinterpret_cast<decltype(nvrtc.set_flow_callback)>(nvrtc.library.find("nvrtcSetFlowCallback"));
}

// NVRTC opens its built-ins by their bare name when it first compiles. PyPI's NVRTC has no run path, so the loader
// would look only in LD_LIBRARY_PATH and its cache; a library of that name that is open already is taken instead. A
// toolkit's NVRTC finds its own, and a static one needs none: without the file nothing is lost.
void open_builtins(const Nvrtc& nvrtc) {
  std::string ignored;
  open_library(
      {{fmt::format("libnvrtc-builtins.so.{}.{}", nvrtc.major, nvrtc.minor)}, {nvrtc.library.file().parent_path()}, {}},
      ignored);
}

}  // namespace

std::string Nvrtc::version_text() const {
  return fmt::format("NVRTC {}.{}", major, minor);
}

std::vector<int> Nvrtc::architectures() const {
  int count = 0;
  if (get_num_supported_archs(&count) != NVRTC_SUCCESS) return {};
  std::vector<int> all(static_cast<std::size_t>(count));
  if (get_supported_archs(all.data()) != NVRTC_SUCCESS) return {};
  std::sort(all.begin(), all.end());
  return all;
}

std::shared_ptr<const Nvrtc> load_nvrtc(const BackendOptions& options) {
  const auto nvrtc = std::make_shared<Nvrtc>(Nvrtc{open_nvrtc_library(options)});
  look_up_all(*nvrtc);
  open_builtins(*nvrtc);
  return nvrtc;
}

}  // namespace warptune::tuner::cuda
