#include "tuner/backends/cuda/entry.h"
#include "tuner/backends/host/entry.h"
#include "tuner/device/backend.h"

namespace warptune::tuner {

const std::vector<BackendEntry>& backends() {
  static const std::vector<BackendEntry> all = {
      cuda::entry(),
      host::entry(),
  };
  return all;
}

}  // namespace warptune::tuner
