#include "tuner/backends/host/host_compiler.h"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <system_error>

#include "tuner/backends/host/child_process.h"
#include "tuner/backends/host/elf_symbols.h"
#include "tuner/backends/host/limits.h"
#include "tuner/backends/host/translation_unit.h"
#include "tuner/device/device_error.h"
#include "tuner/device/scratch_folder.h"

namespace warptune::tuner::host {

namespace {

namespace fs = std::filesystem;

// CUDA headers that sources include and that the shim makes superfluous; and C's assert, whose macro would replace the
// shim's and end the program.
constexpr const char* kEmptyHeaders[] = {"cuda.h",
                                         "cuda_runtime.h",
                                         "cuda_runtime_api.h",
                                         "device_launch_parameters.h",
                                         "device_functions.h",
                                         "vector_types.h",
                                         "math_constants.h",
                                         "cuda_pipeline.h",
                                         "assert.h",
                                         "cassert"};

std::vector<std::byte> read_bytes(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

void write_text(const fs::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary) << text;
}

// Storage for the arrays declared `extern __shared__`: as in CUDA, all of them begin at the same address. Empty if the
// object has none. Its size is the device's limit; untouched pages cost nothing.
std::string dynamic_shared_memory(const std::vector<std::byte>& object) {
  std::set<std::string_view> names;
  for (const ElfSymbol& symbol : elf_symbols(object)) {
    if (symbol.undefined && symbol.thread_local_storage) names.insert(symbol.name);
  }
  if (names.empty()) return {};
  std::string text = ".section .tbss,\"awT\",%nobits\n.balign 1024\n";
  for (const auto name : names) {
    text += fmt::format(".globl {0}\n.hidden {0}\n.type {0},%object\n{0}:\n", name);
  }
  return text + fmt::format(".zero {}\n.section .note.GNU-stack,\"\",%progbits\n", kMaxSharedBytes);
}

// "g++ 12.2.0" of the many ways in which compilers state their version.
std::string version_of(std::string_view text, bool clang) {
  const std::string_view line = text.substr(0, text.find('\n'));
  if (!clang) return fmt::format("g++ {}", line.substr(line.rfind(' ') + 1));
  const auto at = line.find("version ") + 8;
  return fmt::format("clang++ {}", line.substr(at, line.find_first_of(" -+", at) - at));
}

// What is left of one compile's time; 0 seconds are no limit.
class Deadline {
 public:
  explicit Deadline(double seconds)
      : limited_(seconds > 0), at_(Clock::now() + std::chrono::duration<double>(seconds)) {}
  ChildLimits limits() const {
    ChildLimits limits;
    limits.timeout_s =
        limited_ ? std::chrono::duration<double>(at_ - Clock::now()).count() : std::numeric_limits<double>::infinity();
    return limits;
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool limited_;
  std::chrono::time_point<Clock, std::chrono::duration<double>> at_;
};

CompileResult failed(ChildResult child, std::string log) {
  log += child.log;
  if (!child.timed_out && child.log.empty())
    log += fmt::format("the compiler ended with status {}\n", child.exit_status);
  return {std::nullopt, std::move(log), child.timed_out};
}

}  // namespace

HostCompiler::HostCompiler(std::string program, double timeout_s)
    : program_(std::move(program)), timeout_s_(timeout_s) {
  ChildResult child;
  try {
    child = run_child({program_, "--version"}, "", Deadline(timeout_s).limits());
  } catch (const std::system_error& error) {
    child.log = error.what();
  }
  if (child.exit_status != 0) {
    throw NoDeviceError(
        fmt::format("the host backend cannot run the C++ compiler '{}' ({}); install g++ or clang++, or "
                    "name another one",
                    program_, child.log));
  }
  clang_ = child.output.find("clang") != std::string::npos;
  version_ = version_of(child.output, clang_);
}

std::vector<std::string> HostCompiler::command(const CompileRequest& request, const fs::path& folder) const {
  std::vector<std::string> command = {
    program_,
    "-pipe",
    "-O2",
#if defined(__aarch64__)
    "-mcpu=native",
#else
    "-march=native",
#endif
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-semantic-interposition",
    "-ffp-contract=fast",    // as nvcc fuses multiply and add
    "-fno-math-errno",       // no errno on a GPU
    "-fno-trapping-math",    // nor traps
    "-fno-strict-aliasing",  // kernels read float arrays as float4
    "-fno-exceptions",
    "-fno-rtti"
  };
  // GCC only: unique symbols would be shared between modules; shared arrays need no initialisation on first use; and no
  // caller was compiled with GCC 4.5, of whose way to pass aligned structs (tensor maps) it tells.
  if (!clang_) command.insert(command.end(), {"-fno-gnu-unique", "-fno-extern-tls-init", "-Wno-psabi"});
  command.insert(command.end(), request.options.begin(), request.options.end());
  for (const auto& include : request.include_directories) command.push_back("-I" + include.string());
  if (request.source.find("include") != std::string::npos) {
    for (const char* header : kEmptyHeaders) write_text(folder / header, "");
    command.push_back("-I" + folder.string());
  }
  command.insert(command.end(), {"-Wno-unknown-pragmas", "-x", "c++", "-"});
  if (clang_) command.insert(command.end() - 3, {"-Wno-pass-failed", "-Wno-unknown-attributes"});
  return command;
}

std::string HostCompiler::preprocess(const CompileRequest& request) {
  const ScratchFolder folder;
  auto arguments = command(request, folder.path());
  arguments.insert(arguments.end() - 1, {"-E", "-P"});
  const ChildResult child = run_child(arguments, translation_unit(request), Deadline(timeout_s_).limits());
  return child.exit_status == 0 ? child.output : child.output + child.log;
}

CompileResult HostCompiler::compile(const CompileRequest& request) {
  const ScratchFolder folder;
  const Deadline deadline(timeout_s_);
  const fs::path object = folder.path() / "kernel.o", storage = folder.path() / "shared.s";
  const fs::path library = folder.path() / "kernel.so";

  auto arguments = command(request, folder.path());
  arguments.insert(arguments.end() - 1, {"-c", "-o", object.string()});
  ChildResult compiled = run_child(arguments, translation_unit(request), deadline.limits());
  if (compiled.exit_status != 0 || compiled.timed_out) return failed(std::move(compiled), "");

  arguments = {program_,          "-shared", "-fPIC",          "-Wl,-Bsymbolic",
               "-Wl,--as-needed", "-o",      library.string(), object.string()};
  const std::string shared = dynamic_shared_memory(read_bytes(object));
  if (!shared.empty()) {
    write_text(storage, shared);
    arguments.push_back(storage.string());
  }
  ChildResult linked = run_child(arguments, "", deadline.limits());
  if (linked.exit_status != 0 || linked.timed_out) return failed(std::move(linked), std::move(compiled.log));

  return {MachineCode{read_bytes(library), linkage_names(request)}, compiled.log + linked.log, false};
}

}  // namespace warptune::tuner::host
