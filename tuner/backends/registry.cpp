#include "tuner/backends/backend.h"
#include "tuner/backends/cuda/entry.h"
#include "tuner/backends/host/entry.h"

namespace warptune {

const std::vector<BackendEntry>& backends() {
  static const std::vector<BackendEntry> all = {
      cuda::entry(),
      host::entry(),
  };
  return all;
}

}  // namespace warptune
