// See setup.h.
#include "tuner/workers/setup.h"

#include "tuner/kernel/capture.h"
#include "tuner/kernel/template_file.h"

namespace warptune::tuner::workers {

KernelTemplate load_template(const Setup& setup) {
  KernelTemplate kernel = tuner::load_template(setup.manifest);
  kernel.include_directories.insert(kernel.include_directories.end(), setup.include_directories.begin(),
                                    setup.include_directories.end());
  if (!setup.capture.empty()) apply_capture(read_capture(setup.capture), kernel);
  return kernel;
}

}  // namespace warptune::tuner::workers
