#include "tuner/workers/setup.h"

#include "tuner/kernel/template_file.h"

namespace warptune::workers {

KernelTemplate load_template(const Setup& setup) {
  KernelTemplate kernel = warptune::load_template(setup.manifest);
  kernel.include_directories.insert(kernel.include_directories.end(), setup.include_directories.begin(),
                                    setup.include_directories.end());
  return kernel;
}

}  // namespace warptune::workers
