// Examines what the CUDA backend needs: libcuda, NVML, hardware counters, NVRTC with the toolkit's headers, and the
// linker.
#include "tuner/device/backends/cuda/examinations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tuner/device/backends/cuda/compile/compiler.h"
#include "tuner/device/backends/cuda/compile/library.h"
#include "tuner/device/backends/cuda/compile/linker.h"
#include "tuner/device/backends/cuda/compile/nvrtc.h"
#include "tuner/device/backends/cuda/driver/context.h"
#include "tuner/device/backends/cuda/driver/device_query.h"
#include "tuner/device/backends/cuda/driver/driver.h"
#include "tuner/device/backends/cuda/sensors/hardware.h"
#include "tuner/device/backends/cuda/sensors/nvml.h"
#include "tuner/device/backends/cuda/sensors/profiler.h"
#include "tuner/device/device_error.h"

namespace warptune::tuner::cuda {

namespace {

bool can_be_opened(const BackendOptions& options) {
  try {
    describe_driver(options);
    return true;
  } catch (const NoDeviceError&) {
    return false;
  }
}

Finding started(const Driver& driver, const BackendOptions& options) {
  const std::string own = Nvml(options).driver_version();
  const std::string what = fmt::format("{}, CUDA {}, {}", own.empty() ? "driver" : "driver " + own,
                                       driver.version_text(), driver.library.file().string());
  int count = 0;
  const CUresult result = driver.device_get_count(&count);
  if (result != CUDA_SUCCESS)
    return {Health::error, fmt::format("{}: counting devices answers {}", what, driver.error_text(result)),
            "check that nvidia-smi works on this machine"};
  if (count == 0)
    return {Health::error, what + " lists no device", "check nvidia-smi, and what CUDA_VISIBLE_DEVICES hides"};
  return {Health::ok, fmt::format("{}, {} device{}", what, count, count == 1 ? "" : "s"), ""};
}

}  // namespace

std::vector<Finding> examine_driver(const BackendOptions& options) {
  try {
    return {started(*load_driver(options), options)};
  } catch (const NoDeviceError& error) {
    return {explain_driver(error.what(), can_be_opened(options), look_at_hardware())};
  }
}

bool is_expected(const BackendOptions& options) {
  return look_at_hardware().present() || can_be_opened(options);
}

namespace {

std::vector<DeviceInfo> present_devices(const BackendOptions& options) {
  try {
    return query_devices(*load_driver(options), "");
  } catch (const NoDeviceError&) {
    return {};
  }
}

Finding told_by(const DeviceInfo& info, const NvmlDevice& device, const std::string& version) {
  std::vector<std::string> missing;
  if (!device.clock_mhz()) missing.emplace_back("clock");
  if (!device.power_w()) missing.emplace_back("power");
  if (!device.temperature_c()) missing.emplace_back("temperature");
  if (!device.energy_j()) missing.emplace_back("energy");
  if (missing.empty())
    return {Health::ok,
            fmt::format("{}: {} tells clock, power, temperature and energy ({:.0f} MHz, {:.0f} W, {:.0f} C now)",
                        version, info.id, *device.clock_mhz(), *device.power_w(), *device.temperature_c()),
            ""};
  return {Health::warning, fmt::format("{}: {} does not tell its {}", version, info.id, fmt::join(missing, ", ")),
          missing.back() == "energy" ? "objectives of energy and of power cannot be used on this device"
                                     : "none: trials are kept without these figures"};
}

}  // namespace

std::vector<Finding> examine_sensors(const BackendOptions& options) {
  const Nvml nvml(options);
  const std::string version = nvml.driver_version();
  if (version.empty()) {
    if (!is_expected(options)) return {};
    return {{Health::warning, "libnvidia-ml.so.1 does not answer: trials have no clock, temperature and energy",
             "it comes with the driver (Debian: libnvidia-ml1); in a container, NVIDIA_DRIVER_CAPABILITIES must name "
             "utility"}};
  }
  std::vector<Finding> findings;
  for (const DeviceInfo& info : present_devices(options))
    findings.push_back(told_by(info, NvmlDevice(nvml, info.uuid), version));
  return findings;
}

namespace {

// Everything but --counters works without hardware counters, so nothing here is an error.
Finding counters_of(const std::shared_ptr<const Driver>& driver, int ordinal, const BackendOptions& options) {
  try {
    Context context(driver, ordinal, fmt::format("cuda:{}", ordinal), options.kernel_timeout_s);
    CudaProfiler profiler(context, ordinal, options);
    profiler.require_permission();
    const std::size_t lacking = profiler.lacking().size();
    return {Health::ok,
            fmt::format("{}: --counters reads {} of {} counters on cuda:{}", load_cupti(cupti_places(options))->text(),
                        counter_metrics().size() - lacking, counter_metrics().size(), ordinal),
            ""};
  } catch (const DeviceError& error) {
    return finding_of(error.what(), Health::warning);
  }
}

}  // namespace

std::vector<Finding> examine_counters(const BackendOptions& options) {
  std::shared_ptr<const Driver> driver;
  std::size_t devices = 0;
  try {
    driver = load_driver(options);
    devices = query_devices(*driver, "").size();
  } catch (const NoDeviceError&) {
    return {};  // the examination of the driver says why
  }
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < devices; ++i) findings.push_back(counters_of(driver, static_cast<int>(i), options));
  return findings;
}

namespace {

namespace fs = std::filesystem;

// These are the headers that kernels include most. A toolkit has all of them; the packages of PyPI and of distributions
// come in parts.
constexpr const char* headers[] = {"cuda_fp16.h",          "cuda_bf16.h",     "mma.h",
                                   "cooperative_groups.h", "cuda_pipeline.h", "cuda/std/type_traits"};

CompileResult compile(const Nvrtc& nvrtc, const BackendOptions& options, std::string source) {
  DeviceInfo device;
  device.architecture = fmt::format("sm_{}", nvrtc.architectures().back());
  CompileRequest request;
  request.name = "doctor.cu";
  request.source = std::move(source);
  request.kernels = {"doctor"};
  return make_compiler(device, options)->compile(request);
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// Compiles a kernel that calls functions without including anything. Some of these functions are in the built-ins.
Finding compiled(const Nvrtc& nvrtc, const BackendOptions& options) {
  const auto known = nvrtc.architectures();
  const std::string what = fmt::format("{}, {}", nvrtc.version_text(), nvrtc.library.file().string());
  if (known.empty())
    return {Health::error, what + " names no architecture that it compiles for", "install another CUDA toolkit"};
  const CompileResult result =
      compile(nvrtc, options, "__global__ void doctor(float* out) { out[threadIdx.x] = __expf(sqrtf(out[0])); }");
  if (!result.code)
    return {Health::error, fmt::format("{} does not compile: {}", what, first_line(result.log)),
            fmt::format("NVRTC and libnvrtc-builtins.so.{}.{} must be of one toolkit and lie side by side: install it "
                        "again, or name another one in CUDA_HOME",
                        nvrtc.major, nvrtc.minor)};
  const fs::path builtins = open_file(fmt::format("libnvrtc-builtins.so.{}.{}", nvrtc.major, nvrtc.minor));
  return {Health::ok,
          fmt::format("{}{}, compiles for sm_{} to sm_{}", what,
                      builtins.empty() ? "" : fmt::format(" with {}", builtins.filename().string()), known.front(),
                      known.back()),
          ""};
}

std::string folders_text(const std::vector<fs::path>& folders) {
  std::vector<std::string> texts;
  for (const fs::path& folder : folders) texts.push_back(folder.string());
  return fmt::format("{}", fmt::join(texts, ", "));
}

constexpr const char* header_remedy =
    "install the toolkit's headers (PyPI: nvidia-cuda-runtime, nvidia-cuda-crt and nvidia-cuda-cccl) and name their "
    "folder in CUDA_HOME; "
    "kernels that include nothing do without";

Finding included(const Nvrtc& nvrtc, const BackendOptions& options) {
  const auto folders = include_folders(options, nvrtc.library.file());
  const auto missing = missing_headers(folders);
  if (!missing.empty())
    return {Health::warning,
            fmt::format("kernels cannot include {}: not in {}", fmt::join(missing, ", "),
                        folders.empty() ? "any usual folder" : folders_text(folders)),
            header_remedy};
  std::string source;
  for (const char* header : headers) source += fmt::format("#include <{}>\n", header);
  const CompileResult result = compile(nvrtc, options, source + "__global__ void doctor() {}");
  if (result.code) return {Health::ok, fmt::format("{} compile", fmt::join(headers, ", ")), ""};
  return {Health::warning, "the toolkit's headers do not compile: " + first_line(result.log),
          "headers and NVRTC must be of one toolkit: name it in CUDA_HOME"};
}

// Returns findings about NVRTC, if it is there. Its absence is a finding only if `tells_of_absence` is true and CUDA is
// expected.
template <class Examine>
std::vector<Finding> with_nvrtc(const BackendOptions& options, bool tells_of_absence, Examine examine) {
  std::shared_ptr<const Nvrtc> nvrtc;
  try {
    nvrtc = load_nvrtc(options);
  } catch (const NoDeviceError& error) {
    if (!tells_of_absence || !is_expected(options)) return {};
    Finding finding = finding_of(error.what(), Health::error);
    finding.remedy = "install the CUDA toolkit, or `pip install nvidia-cuda-nvrtc` and name its folder in CUDA_HOME";
    return {finding};
  }
  try {
    return {examine(*nvrtc)};
  } catch (const NoDeviceError& error) {
    return {finding_of(error.what(), Health::error)};
  }
}

}  // namespace

std::vector<std::string> missing_headers(const std::vector<fs::path>& folders) {
  std::vector<std::string> missing;
  for (const char* header : headers) {
    const auto holds = [&](const fs::path& folder) {
      std::error_code ignored;
      return fs::exists(folder / header, ignored);
    };
    if (std::none_of(folders.begin(), folders.end(), holds)) missing.emplace_back(header);
  }
  return missing;
}

std::vector<Finding> examine_nvrtc(const BackendOptions& options) {
  return with_nvrtc(options, true, [&](const Nvrtc& nvrtc) { return compiled(nvrtc, options); });
}

std::vector<Finding> examine_headers(const BackendOptions& options) {
  return with_nvrtc(options, false, [&](const Nvrtc& nvrtc) {
    return nvrtc.architectures().empty()
               ? Finding{Health::warning, "not tried: NVRTC compiles for nothing", "see NVRTC"}
               : included(nvrtc, options);
  });
}

std::vector<Finding> examine_linker(const BackendOptions& options) {
  return with_nvrtc(options, false, [&](const Nvrtc& nvrtc) {
    try {
      const Linker linker(options, nvrtc.library.file());
      return Finding{Health::ok, open_file("libnvJitLink").string() + ", for kernels that launch kernels", ""};
    } catch (const NoDeviceError& error) {
      return finding_of(error.what(), Health::warning);
    }
  });
}

std::vector<Examination> examinations() {
  return {
      {"driver", examine_driver}, {"NVRTC", examine_nvrtc},  {"headers", examine_headers},
      {"linker", examine_linker}, {"NVML", examine_sensors}, {"counters", examine_counters},
  };
}

}  // namespace warptune::tuner::cuda
