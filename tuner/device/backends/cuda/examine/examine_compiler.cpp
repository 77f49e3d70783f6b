// Examines whether NVRTC compiles, with its built-ins and the toolkit's headers, and whether the linker is there.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tuner/device/backends/cuda/compile/compiler.h"
#include "tuner/device/backends/cuda/compile/linker.h"
#include "tuner/device/backends/cuda/compile/nvrtc.h"
#include "tuner/device/backends/cuda/compile/toolkit.h"
#include "tuner/device/backends/cuda/examine/examinations.h"
#include "tuner/device/device_error.h"

namespace warptune::tuner::cuda {

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

}  // namespace warptune::tuner::cuda
