// Calls those of NVML's functions that only ask, and asks for a device's state again when it is due.
#include "tuner/device/backends/cuda/sensors/nvml.h"

#include "tuner/device/backends/cuda/compile/library.h"
#include "tuner/system/clock.h"

namespace warptune::tuner::cuda {

// These functions are declared here because a machine with the toolkit's headers need not have nvml.h. nvmlReturn_t is
// an enum; 0 is success. Each function may be missing, and what it tells is then unknown.
struct NvmlFunctions {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*driver_version)(char* text, unsigned bytes) = nullptr;
  int (*handle_by_uuid)(const char* uuid, void** device) = nullptr;
  int (*clock_info)(void* device, int which, unsigned* mhz) = nullptr;
  int (*power_usage)(void* device, unsigned* milliwatts) = nullptr;
  int (*power_limit)(void* device, unsigned* milliwatts) = nullptr;
  int (*temperature)(void* device, int which, unsigned* celsius) = nullptr;
  int (*total_energy)(void* device, unsigned long long* millijoules) = nullptr;
  int (*ecc_mode)(void* device, int* current, int* pending) = nullptr;
};

namespace {

constexpr int sm_clock = 1, gpu_temperature = 0;  // NVML_CLOCK_SM, NVML_TEMPERATURE_GPU

template <typename Function>
void look_up(const SharedLibrary& library, Function& function, const char* symbol) {
  function = reinterpret_cast<Function>(library.find(symbol));
}

std::unique_ptr<NvmlFunctions> look_up_all(const SharedLibrary& library) {
  auto functions = std::make_unique<NvmlFunctions>();
  look_up(library, functions->init, "nvmlInit_v2");
  look_up(library, functions->shutdown, "nvmlShutdown");
  look_up(library, functions->driver_version, "nvmlSystemGetDriverVersion");
  look_up(library, functions->handle_by_uuid, "nvmlDeviceGetHandleByUUID");
  look_up(library, functions->clock_info, "nvmlDeviceGetClockInfo");
  look_up(library, functions->power_usage, "nvmlDeviceGetPowerUsage");
  look_up(library, functions->power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  look_up(library, functions->temperature, "nvmlDeviceGetTemperature");
  look_up(library, functions->total_energy, "nvmlDeviceGetTotalEnergyConsumption");
  look_up(library, functions->ecc_mode, "nvmlDeviceGetEccMode");
  return functions;
}

}  // namespace

Nvml::Nvml(const BackendOptions& options) : functions_(std::make_unique<NvmlFunctions>()) {
  std::string ignored;
  const auto library =
      open_library({{"libnvidia-ml.so.1"}, options.library_directories, library_folders(options)}, ignored);
  if (!library) return;
  auto found = look_up_all(*library);
  if (found->init && found->shutdown && found->init() == 0) functions_ = std::move(found);
}

Nvml::~Nvml() {
  if (functions_->shutdown) functions_->shutdown();
}

std::string Nvml::driver_version() const {
  char text[80] = {};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
  if (!functions_->driver_version || functions_->driver_version(text, sizeof text) != 0) return {};
  return text;
}

NvmlDevice::NvmlDevice(const Nvml& nvml, const std::string& uuid) : functions_(*nvml.functions_) {
  if (!functions_.handle_by_uuid || functions_.handle_by_uuid(uuid.c_str(), &handle_) != 0) handle_ = nullptr;
}

std::optional<double> NvmlDevice::clock_mhz() const {
  unsigned mhz = 0;
  if (!handle_ || !functions_.clock_info || functions_.clock_info(handle_, sm_clock, &mhz) != 0) return std::nullopt;
  return mhz;
}

std::optional<double> NvmlDevice::power_w() const {
  unsigned milliwatts = 0;
  if (!handle_ || !functions_.power_usage || functions_.power_usage(handle_, &milliwatts) != 0) return std::nullopt;
  return milliwatts / 1e3;
}

std::optional<double> NvmlDevice::power_limit_w() const {
  unsigned milliwatts = 0;
  if (!handle_ || !functions_.power_limit || functions_.power_limit(handle_, &milliwatts) != 0) return std::nullopt;
  return milliwatts / 1e3;
}

std::optional<double> NvmlDevice::temperature_c() const {
  unsigned celsius = 0;
  if (!handle_ || !functions_.temperature || functions_.temperature(handle_, gpu_temperature, &celsius) != 0)
    return std::nullopt;
  return celsius;
}

std::optional<double> NvmlDevice::energy_j() const {
  unsigned long long millijoules = 0;
  if (!handle_ || !functions_.total_energy || functions_.total_energy(handle_, &millijoules) != 0) return std::nullopt;
  return static_cast<double>(millijoules) / 1e3;
}

std::optional<bool> NvmlDevice::ecc() const {
  int current = 0, pending = 0;
  if (!handle_ || !functions_.ecc_mode || functions_.ecc_mode(handle_, &current, &pending) != 0) return std::nullopt;
  return current != 0;
}

void Sensors::refresh() {
  const double begin_s = steady_s();
  if (begin_s < due_s_) return;
  state_ = {device_.clock_mhz(), device_.power_w(), device_.temperature_c()};
  const double end_s = steady_s();
  due_s_ = end_s + 20 * (end_s - begin_s);
}

}  // namespace warptune::tuner::cuda
