// Chooses the reader by the file's extension.
#include "tuner/kernel/files/template_file.h"

#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/t1/t1.h"

namespace warptune::tuner {

KernelTemplate load_template(const std::filesystem::path& file) {
  return file.extension() == ".json" ? load_t1(file) : load_manifest(file);
}

}  // namespace warptune::tuner
