// Opens CUPTI at run time. Its functions are pointers that are looked up once.
#pragma once

#include <memory>
#include <string>

#include "tuner/device/backend_options.h"
#include "tuner/device/backends/cuda/compile/library.h"
#include "tuner/device/backends/cuda/sensors/cupti_api.h"
#include "tuner/device/device_error.h"

namespace warptune::tuner::cuda {

// Every member is the function that its name says, without the prefix "cupti". None is null.
struct Cupti {
  SharedLibrary library;
  std::uint32_t version = 0;  // CUPTI_API_VERSION: 130000 and later are of CUDA 13, 24 … 28 of 12.6 … 12.9

  using Function = cupti::Result(void* parameters);
  cupti::Result (*get_version)(std::uint32_t*) = nullptr;
  cupti::Result (*get_result_string)(cupti::Result, const char**) = nullptr;
  Function* profiler_initialize = nullptr;
  Function* profiler_device_supported = nullptr;
  Function* profiler_get_counter_availability = nullptr;
  Function* device_get_chip_name = nullptr;
  Function* host_initialize = nullptr;
  Function* host_deinitialize = nullptr;
  Function* host_add_metrics = nullptr;
  Function* host_get_config_image_size = nullptr;
  Function* host_get_config_image = nullptr;
  Function* host_get_number_of_passes = nullptr;
  Function* host_evaluate = nullptr;
  Function* range_enable = nullptr;
  Function* range_disable = nullptr;
  Function* range_set_config = nullptr;
  Function* range_start = nullptr;
  Function* range_stop = nullptr;
  Function* range_decode = nullptr;
  Function* range_get_counter_data_size = nullptr;
  Function* range_initialize_counter_data = nullptr;
  Function* range_get_counter_data_info = nullptr;

  // Returns the version and the file: "CUPTI 130001 (/usr/local/cuda/lib64/libcupti.so.13)".
  std::string text() const;
  // Returns the error's name: "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES".
  std::string error_name(cupti::Result result) const;

  // Calls the function with the parameters' size filled in. Throws a DeviceError whose code is the error's name:
  // "hardware counters cannot be read: … failed with CUPTI_ERROR_… (CUPTI 130001 …); what to do".
  template <class T>
  void call(Function* function, T& parameters, const char* attempted) const {
    if (const cupti::Result result = attempt(function, parameters)) fail(result, attempted);
  }
  // Does the same without throwing, and returns the result.
  template <class T>
  static cupti::Result attempt(Function* function, T& parameters) {
    parameters.struct_size = cupti::size_of<T>;
    return function(&parameters);
  }
  [[noreturn]] void fail(cupti::Result result, const std::string& attempted) const;
};

// Says what to do about a result of CUPTI, in a sentence without its full stop.
std::string cupti_remedy(cupti::Result result);

// Returns where CUPTI is looked for: where NVRTC is, and in the folders that toolkits and PyPI's wheels have for it
// alone.
LibrarySearch cupti_places(const BackendOptions& options);
// Loads CUPTI, and starts nothing. Throws DeviceError if the library is missing or too old.
std::shared_ptr<const Cupti> load_cupti(const LibrarySearch& places);

}  // namespace warptune::tuner::cuda
