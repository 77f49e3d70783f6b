#include "tuner/backends/cuda/nvml.h"

#include "tuner/backends/cuda/library.h"
#include "tuner/backends/cuda/toolkit.h"

namespace warptune::cuda {
namespace {

// Declared here because a machine with the toolkit's headers need not have nvml.h; nvmlReturn_t is an enum, 0 is
// success.
using Init = int (*)();
using Shutdown = int (*)();
using DriverVersion = int (*)(char* text, unsigned bytes);

// Initialised for as long as it lives; NVML counts its users.
class Nvml {
 public:
  explicit Nvml(const SharedLibrary& library)
      : shutdown_(reinterpret_cast<Shutdown>(library.find("nvmlShutdown"))),
        driver_version_(reinterpret_cast<DriverVersion>(library.find("nvmlSystemGetDriverVersion"))) {
    const auto init = reinterpret_cast<Init>(library.find("nvmlInit_v2"));
    ready_ = init && shutdown_ && driver_version_ && init() == 0;
  }
  ~Nvml() {
    if (ready_) shutdown_();
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::string driver_version() const {
    char text[80] = {};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
    if (!ready_ || driver_version_(text, sizeof text) != 0) return {};
    return text;
  }

 private:
  Shutdown shutdown_;
  DriverVersion driver_version_;
  bool ready_ = false;
};

}  // namespace

std::string nvml_driver_version(const BackendOptions& options) {
  std::string ignored;
  const auto library =
      open_library({{"libnvidia-ml.so.1"}, options.library_directories, library_folders(options)}, ignored);
  return library ? Nvml(*library).driver_version() : std::string();
}

}  // namespace warptune::cuda
