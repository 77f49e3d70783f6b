// Lists the examinations of the CUDA backend.
#include "tuner/device/backends/cuda/examine/examinations.h"

namespace warptune::tuner::cuda {

std::vector<Examination> examinations() {
  return {
      {"driver", examine_driver}, {"NVRTC", examine_nvrtc},  {"headers", examine_headers},
      {"linker", examine_linker}, {"NVML", examine_sensors}, {"counters", examine_counters},
  };
}

}  // namespace warptune::tuner::cuda
