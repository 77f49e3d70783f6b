// Compiles a request as one nvrtcProgram, and links relocatable code.
#include "tuner/device/backends/cuda/compile/compiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <system_error>

#include "tuner/device/backends/cuda/compile/library.h"
#include "tuner/device/backends/cuda/compile/linker.h"
#include "tuner/device/backends/cuda/compile/nvrtc.h"
#include "tuner/device/backends/cuda/compile/options.h"
#include "tuner/device/compile/compiler.h"
#include "tuner/device/compile/device_headers.h"
#include "tuner/device/compile/include_text.h"
#include "tuner/device/device_error.h"
#include "tuner/system/clock.h"
#include "tuner/system/files.h"

namespace warptune::tuner::cuda {
namespace {

// This is NVRTC_ERROR_CANCELLED, which headers before 12.8 lack.
constexpr auto cancelled = static_cast<nvrtcResult>(16);

std::string place_of(const CompileRequest& request) {
  return (request.root / "nowhere" / request.name).string();
}

// Returns the log in the user's terms, without the folder that holds the session's copy of the texts.
std::string unrooted(std::string log, const CompileRequest& request) {
  if (request.root.empty()) return log;
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (auto at = log.find(from); at != std::string::npos; at = log.find(from, at + to.size()))
      log.replace(at, from.size(), to);
  };
  replace(place_of(request), request.name);
  replace(request.root.string(), "");
  return log;
}

// Returns whether NVRTC has judged the source. Any other result (no memory, no built-ins, an internal error) may be
// different another time.
bool is_verdict(nvrtcResult result) {
  return result == NVRTC_SUCCESS || result == NVRTC_ERROR_COMPILATION || result == NVRTC_ERROR_INVALID_OPTION ||
         result == NVRTC_ERROR_INVALID_INPUT || result == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

// These macros are those of the C library's <math.h> that nvcc's kernels have without including anything. NVRTC has no
// such header.
constexpr char macros_of_nvcc[] = R"(#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000ll)
#define HUGE_VALF __int_as_float(0x7f800000)
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
)";

// Owns one nvrtcProgram.
class Program {
 public:
  // NVRTC looks for quoted includes in the folder that the program's name tells, relative to the current one. Where
  // only `root` may be read, the name is therefore one in a folder that is not there, and #line gives the source its
  // own name back. (Rejected: handing the user's headers over by name. NVRTC 13.0 does not find those which another one
  // in a folder includes relatively.)
  Program(const Nvrtc& nvrtc, const CompileRequest& request, const GivenHeaders& given) : nvrtc_(nvrtc) {
    const bool confined = !request.root.empty();
    const std::string source = fmt::format("{}{}#line 1 \"{}\"\n{}", macros_of_nvcc, define_lines(request),
                                           request.name, without_byte_order_mark(request.source));
    const std::string name = confined ? place_of(request) : request.name;
    created_ = nvrtc_.create_program(&program_, source.c_str(), name.c_str(), static_cast<int>(given.names().size()),
                                     given.texts().data(), given.names().data());
  }
  ~Program() {
    if (program_) nvrtc_.destroy_program(&program_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  nvrtcResult created() const { return created_; }

  nvrtcResult compile(const CompileRequest& request, const std::vector<std::string>& options) {
    for (const auto& name : request.kernels)
      if (const auto result = nvrtc_.add_name_expression(program_, name.c_str())) return result;
    for (const auto& name : request.symbols)
      if (const auto result = nvrtc_.add_name_expression(program_, address_of(name).c_str())) return result;
    std::vector<const char*> texts;
    for (const auto& option : options) texts.push_back(option.c_str());
    return nvrtc_.compile_program(program_, static_cast<int>(texts.size()), texts.data());
  }

  // Makes NVRTC give up after the deadline, if it can be asked to. The deadline must outlive the compilation.
  void give_up_after(Deadline* deadline) {
    if (nvrtc_.set_flow_callback) nvrtc_.set_flow_callback(program_, is_late, deadline);
  }

  std::string log() const {
    std::size_t bytes = 0;  // with the closing zero
    if (nvrtc_.get_program_log_size(program_, &bytes) != NVRTC_SUCCESS || bytes <= 1) return {};
    std::string text(bytes, '\0');
    nvrtc_.get_program_log(program_, text.data());
    text.resize(bytes - 1);
    return text;
  }

  nvrtcResult read_code(const CompileRequest& request, MachineCode& code) const {
    std::size_t bytes = 0;
    if (const auto result = nvrtc_.get_cubin_size(program_, &bytes)) return result;
    code.bytes.resize(bytes);
    if (const auto result = nvrtc_.get_cubin(program_, reinterpret_cast<char*>(code.bytes.data()))) return result;
    for (const auto& name : request.kernels)
      if (const auto result = read_linkage_name(name, name, code)) return result;
    for (const auto& name : request.symbols)
      if (const auto result = read_linkage_name(name, address_of(name), code)) return result;
    return NVRTC_SUCCESS;
  }

 private:
  // A variable's name expression is its address.
  static std::string address_of(const std::string& symbol) { return "&" + symbol; }

  static int is_late(void* deadline, void*) { return static_cast<Deadline*>(deadline)->has_passed() ? 1 : 0; }

  nvrtcResult read_linkage_name(const std::string& name, const std::string& expression, MachineCode& code) const {
    const char* lowered = nullptr;
    const auto result = nvrtc_.get_lowered_name(program_, expression.c_str(), &lowered);
    if (result == NVRTC_SUCCESS) code.linkage_names[name] = lowered;
    return result;
  }

  const Nvrtc& nvrtc_;
  nvrtcProgram program_ = nullptr;
  nvrtcResult created_;
};

class NvrtcCompiler : public Compiler {
 public:
  NvrtcCompiler(std::shared_ptr<const Nvrtc> nvrtc, std::string architecture, const BackendOptions& options)
      : nvrtc_(std::move(nvrtc)),
        architecture_(std::move(architecture)),
        include_folders_(include_folders(options, nvrtc_->library.file())),
        options_(options) {}

  std::string version() const override { return nvrtc_->version_text(); }
  std::string preprocess(const CompileRequest& request) override {
    return include_text(request, include_folders_) + GivenHeaders(request, include_folders_).included_text();
  }
  CompileResult compile(const CompileRequest& request) override;

 private:
  // Returns the log and, where it says too little by itself, NVRTC's own name for what went wrong.
  std::string explain(const Program& program, nvrtcResult result, const CompileRequest& request,
                      const std::vector<std::string>& options) const;

  // Links relocatable code with what it lacks. The linker is opened when the first template needs it, because most
  // never do.
  void link(CompileResult& compiled, const CompileRequest& request, const std::string& architecture);

  std::shared_ptr<const Nvrtc> nvrtc_;
  std::string architecture_;
  std::vector<std::filesystem::path> include_folders_;
  BackendOptions options_;
  std::mutex mutex_;
  std::optional<Linker> linker_;  // guarded by the mutex until it is made
};

CompileResult NvrtcCompiler::compile(const CompileRequest& request) {
  auto options = compiler_options(request, architecture_, include_folders_);
  // Every configuration is another program, and Warptune keeps its code itself. NVRTC's own cache on disk, which has
  // been there since CUDA 13, would only grow.
  if (nvrtc_->major >= 13) options.push_back("--no-cache");
  Deadline deadline = Deadline::in_s(options_.compile_timeout_s);
  Program program(*nvrtc_, request, GivenHeaders(request, include_folders_));
  CompileResult compiled;
  nvrtcResult result = program.created();
  if (result == NVRTC_SUCCESS) {
    if (options_.compile_timeout_s > 0) program.give_up_after(&deadline);
    result = program.compile(request, options);
  }
  MachineCode code;
  if (result == NVRTC_SUCCESS) result = program.read_code(request, code);
  compiled.log = unrooted(explain(program, result, request, options), request);
  if (result != NVRTC_SUCCESS) compiled.log += hint_about_device_headers(compiled.log);
  compiled.timed_out = result == cancelled;
  compiled.unfinished =
      !compiled.timed_out && (!is_verdict(result) || (result != NVRTC_SUCCESS && tells_of_the_machine(compiled.log)));
  if (result == NVRTC_SUCCESS) compiled.code = std::move(code);
  if (compiled.code && must_be_linked(options)) link(compiled, request, chosen_architecture(options));
  return compiled;
}

void NvrtcCompiler::link(CompileResult& compiled, const CompileRequest& request, const std::string& architecture) {
  try {
    const Linker& linker = [this]() -> const Linker& {
      const std::scoped_lock lock(mutex_);
      return linker_ ? *linker_ : linker_.emplace(options_, nvrtc_->library.file());
    }();
    auto linked = linker.link(compiled.code->bytes, request.name, architecture);
    compiled.log += linked.log;
    if (!linked.code) return compiled.code.reset();
    compiled.code->bytes = std::move(*linked.code);
  } catch (const NoDeviceError& error) {
    compiled.code.reset();
    compiled.log += fmt::format("{} cannot be linked: {}\n", request.name, error.what());
  }
}

std::string NvrtcCompiler::explain(const Program& program, nvrtcResult result, const CompileRequest& request,
                                   const std::vector<std::string>& options) const {
  std::string log = program.log();
  if (result == NVRTC_SUCCESS || (result == NVRTC_ERROR_COMPILATION && !log.empty())) return log;
  if (!log.empty() && !log.ends_with('\n')) log += '\n';
  if (result == cancelled)
    return log + fmt::format("compiling {} took longer than the compile time-out of {} s\n", request.name,
                             options_.compile_timeout_s);
  return log + fmt::format("compiling {} with {} failed: {}; the options were: {}\n", request.name,
                           nvrtc_->version_text(), nvrtc_->get_error_string(result), fmt::join(options, " "));
}

int capability_of(const std::string& architecture) {
  return architecture.starts_with("sm_") ? std::atoi(architecture.c_str() + 3) : 0;
}

}  // namespace

std::unique_ptr<Compiler> make_compiler(const DeviceInfo& device, const BackendOptions& options) {
  auto nvrtc = load_nvrtc(options);
  const auto known = nvrtc->architectures();
  if (std::find(known.begin(), known.end(), capability_of(device.architecture)) == known.end())
    throw NoDeviceError(fmt::format(
        "{} ({}) cannot compile for {}, only for sm_{}: install a CUDA toolkit that knows "
        "this device, or name the folder of its NVRTC",
        nvrtc->version_text(), nvrtc->library.file().string(), device.architecture, fmt::join(known, ", sm_")));
  return std::make_unique<NvrtcCompiler>(std::move(nvrtc), device.architecture, options);
}

}  // namespace warptune::tuner::cuda
