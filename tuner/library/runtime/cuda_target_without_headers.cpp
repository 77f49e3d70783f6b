// Refuses CUDA devices. It is built instead of cuda_target.cpp where the CUDA headers were not found at build time.
#include "tuner/library/runtime/target.h"

namespace warptune::runtime {

std::unique_ptr<Target> cuda_target(const Options&) {
  throw tuner::NoDeviceError(
      "this library was built without the CUDA headers (cuda.h and nvrtc.h): install the CUDA toolkit or its header "
      "packages, or set WARPTUNE_CUDA_INCLUDE_DIR, and build again");
}

}  // namespace warptune::runtime
