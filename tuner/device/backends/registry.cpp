// Lists the backends and their examinations, in order of preference.
#include "tuner/device/backend.h"
#include "tuner/device/backends/cuda/entry.h"
#include "tuner/device/backends/host/entry.h"

namespace warptune::tuner {

const std::vector<BackendEntry>& backends() {
  static const std::vector<BackendEntry> all = {
      cuda::entry(),
      host::entry(),
  };
  return all;
}

const std::vector<SelfExamination>& self_examinations() {
  static const std::vector<SelfExamination> all = {
      cuda::self_examination(),
      host::self_examination(),
  };
  return all;
}

}  // namespace warptune::tuner
