// Finds CUPTI and its helpers, looks its functions up, and says what to do about its errors.
#include "tuner/device/backends/cuda/sensors/cupti.h"

#include <fmt/format.h>

#include "tuner/device/backends/cuda/compile/library.h"

namespace warptune::tuner::cuda {
namespace {

namespace fs = std::filesystem;

constexpr const char* install =
    "install CUPTI of CUDA 12.6 update 2 or later: the CUDA toolkit has it in extras/CUPTI, Debian in libcupti-dev, "
    "PyPI in nvidia-cuda-cupti";

// Returns the folders, and beside each those that may hold CUPTI. The toolkit has it in a folder of its own, PyPI's
// wheels have it beside the other libraries (13) or in their own (12).
std::vector<fs::path> with_extras(const std::vector<fs::path>& folders) {
  std::vector<fs::path> all;
  for (const fs::path& folder : folders) {
    all.push_back(folder);
    for (const char* beside : {"../extras/CUPTI/lib64", "../../../extras/CUPTI/lib64", "../../cuda_cupti/lib"})
      all.push_back(folder / beside);
  }
  return all;
}

// CUPTI opens these helpers by their names alone. They lie beside it, but the loader does not look there where PyPI
// ships it.
void open_helpers(const SharedLibrary& cupti) {
  std::string failure;
  for (const char* helper : {"libnvperf_host.so", "libnvperf_target.so"})
    open_library({{helper}, {cupti.file().parent_path()}, {}}, failure);
}

SharedLibrary open_cupti(const LibrarySearch& places) {
  std::string failure;
  if (auto library = open_library(places, failure)) {
    open_helpers(*library);
    return *library;
  }
  throw DeviceError(search::Outcome::launch_error, "NO_CUPTI",
                    fmt::format("hardware counters cannot be read: CUPTI (libcupti.so.13 or .12) cannot be loaded "
                                "({}); {}",
                                failure, install));
}

template <typename Pointer>
void look_up(const Cupti& cupti, Pointer& function, const char* symbol) {
  function = reinterpret_cast<Pointer>(cupti.library.find(symbol));
  if (function) return;
  throw DeviceError(
      search::Outcome::launch_error, "OLD_CUPTI",
      fmt::format("hardware counters cannot be read: {} is too old, it lacks {}; {}", cupti.text(), symbol, install));
}

void look_up_all(Cupti& cupti) {
  look_up(cupti, cupti.get_version, "cuptiGetVersion");
  cupti.get_version(&cupti.version);
  look_up(cupti, cupti.get_result_string, "cuptiGetResultString");
  look_up(cupti, cupti.profiler_initialize, "cuptiProfilerInitialize");
  look_up(cupti, cupti.profiler_device_supported, "cuptiProfilerDeviceSupported");
  look_up(cupti, cupti.profiler_get_counter_availability, "cuptiProfilerGetCounterAvailability");
  look_up(cupti, cupti.device_get_chip_name, "cuptiDeviceGetChipName");
  look_up(cupti, cupti.host_initialize, "cuptiProfilerHostInitialize");
  look_up(cupti, cupti.host_deinitialize, "cuptiProfilerHostDeinitialize");
  look_up(cupti, cupti.host_add_metrics, "cuptiProfilerHostConfigAddMetrics");
  look_up(cupti, cupti.host_get_config_image_size, "cuptiProfilerHostGetConfigImageSize");
  look_up(cupti, cupti.host_get_config_image, "cuptiProfilerHostGetConfigImage");
  look_up(cupti, cupti.host_get_number_of_passes, "cuptiProfilerHostGetNumOfPasses");
  look_up(cupti, cupti.host_evaluate, "cuptiProfilerHostEvaluateToGpuValues");
  look_up(cupti, cupti.range_enable, "cuptiRangeProfilerEnable");
  look_up(cupti, cupti.range_disable, "cuptiRangeProfilerDisable");
  look_up(cupti, cupti.range_set_config, "cuptiRangeProfilerSetConfig");
  look_up(cupti, cupti.range_start, "cuptiRangeProfilerStart");
  look_up(cupti, cupti.range_stop, "cuptiRangeProfilerStop");
  look_up(cupti, cupti.range_decode, "cuptiRangeProfilerDecodeData");
  look_up(cupti, cupti.range_get_counter_data_size, "cuptiRangeProfilerGetCounterDataSize");
  look_up(cupti, cupti.range_initialize_counter_data, "cuptiRangeProfilerCounterDataImageInitialize");
  look_up(cupti, cupti.range_get_counter_data_info, "cuptiRangeProfilerGetCounterDataInfo");
}

}  // namespace

std::string Cupti::text() const {
  return fmt::format("CUPTI {} ({})", version, library.file().string());
}

std::string Cupti::error_name(cupti::Result result) const {
  const char* name = nullptr;
  return get_result_string(result, &name) == 0 && name ? name : fmt::format("CUPTI error {}", result);
}

void Cupti::fail(cupti::Result result, const std::string& attempted) const {
  const std::string name = error_name(result);
  throw DeviceError(search::Outcome::launch_error, name,
                    fmt::format("hardware counters cannot be read: {} failed with {} ({}); {}", attempted, name, text(),
                                cupti_remedy(result)));
}

// Results are told apart by number, since headers of different versions lack different names.
std::string cupti_remedy(cupti::Result result) {
  switch (result) {
    case 35:  // INSUFFICIENT_PRIVILEGES, of old ERR_NVGPUCTRPERM
      return "this user may not read counters (ERR_NVGPUCTRPERM): run as root or with the capability CAP_SYS_ADMIN (in "
             "a container: --cap-add=SYS_ADMIN), or allow it to all: write `options nvidia "
             "NVreg_RestrictProfilingToAdminUsers=0` to /etc/modprobe.d/nvidia-profiling.conf and reboot";
    case 40:  // VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES
      return "the host of this virtual GPU does not let its guests read counters: its administrator has to enable "
             "profiling for the vGPU (enable_profiling=1)";
    case 33:  // VIRTUALIZED_DEVICE_NOT_SUPPORTED
      return "this is a virtual GPU without counters: use the whole GPU (passthrough), or count on another machine";
    case 43:  // MIG_DEVICE_NOT_SUPPORTED
      return "this is a part of a GPU (MIG) whose counters are not its own: use a whole GPU";
    case 26:  // HARDWARE_BUSY
    case 39:  // MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
    case 36:  // OLD_PROFILER_API_INITIALIZED
      return "another profiler holds the counters: end Nsight Compute, Nsight Systems or compute-sanitizer, and pause "
             "DCGM (`dcgmi profman --pause`)";
    case 14:  // NOT_COMPATIBLE
      return "this CUPTI does not fit the driver: take that of the CUDA version that the driver has (`warptune "
             "version`), or update the driver";
    case 46:  // INVALID_CHIP_NAME
    case 2:   // INVALID_DEVICE
      return "this CUPTI does not know this GPU: install a newer one";
    case 41:  // CONFIDENTIAL_COMPUTING_NOT_SUPPORTED
      return "confidential computing hides the counters: switch it off, or count on another machine";
    case 42:  // CMP_DEVICE_NOT_SUPPORTED
    case 44:  // SLI_DEVICE_NOT_SUPPORTED
    case 45:  // WSL_DEVICE_NOT_SUPPORTED
    case 27:  // NOT_SUPPORTED
    case 38:  // LEGACY_PROFILER_NOT_SUPPORTED
      return "CUPTI does not count on this device or system (it takes compute capability 7.5 and no SLI; under WSL "
             "profiling must be allowed in NVIDIA's control panel): count on another machine";
    case 8:  // OUT_OF_MEMORY
      return "there is no memory left for the counters: take a smaller size";
    default:
      return "try `ncu` on any CUDA program: what keeps it from counting keeps Warptune too; times and results are not "
             "affected";
  }
}

LibrarySearch cupti_places(const BackendOptions& options) {
  return {{"libcupti.so.13", "libcupti.so.12", "libcupti.so"},
          with_extras(options.library_directories),
          with_extras(library_folders(options))};
}

std::shared_ptr<const Cupti> load_cupti(const LibrarySearch& places) {
  const auto cupti = std::make_shared<Cupti>(Cupti{open_cupti(places)});
  look_up_all(*cupti);
  return cupti;
}

}  // namespace warptune::tuner::cuda
