#include "tuner/backends/cuda/entry.h"

namespace warptune::cuda {

BackendEntry entry() {
  return {"cuda", nullptr, nullptr, nullptr};
}

}  // namespace warptune::cuda
