// Runs the compiler in a scratch folder: it compiles a translation unit with the shim, and links it to a shared object.
#include "tuner/device/backends/host/compile/host_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

#include "tuner/device/backends/host/compile/limits.h"
#include "tuner/device/backends/host/compile/limits_page.h"
#include "tuner/device/backends/host/compile/shim_text.h"
#include "tuner/device/backends/host/compile/translation_unit.h"
#include "tuner/device/compile/compiler.h"
#include "tuner/device/compile/device_headers.h"
#include "tuner/device/compile/source_tokens.h"
#include "tuner/device/compile/tuned_file.h"
#include "tuner/device/device_error.h"
#include "tuner/system/clock.h"
#include "tuner/system/elf.h"
#include "tuner/system/scratch_folder.h"

namespace warptune::tuner::host {

namespace {

namespace fs = std::filesystem;

// Sources include these CUDA headers, which the shim makes superfluous. C's assert is among them, because its macro
// would replace the shim's and end the program.
constexpr const char* kEmptyHeaders[] = {"cuda.h",
                                         "cuda_runtime.h",
                                         "cuda_runtime_api.h",
                                         "device_launch_parameters.h",
                                         "device_functions.h",
                                         "vector_types.h",
                                         "vector_functions.h",
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
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw std::system_error(errno, std::generic_category(), "cannot write " + file.string());
}

// These headers go before the user's folders, because CUDA's own mean nothing here.
void write_cuda_headers(const fs::path& folder) {
  for (const CudaHeader& header : cuda_headers()) {
    fs::create_directories((folder / header.name).parent_path());
    write_text(folder / header.name, header.text);
  }
  for (const char* header : kEmptyHeaders) write_text(folder / header, "");
}

// Returns assembler text that reserves the storage for the arrays declared `extern __shared__`. As in CUDA, all of them
// begin at the same address. The storage is linked last, so it is the end of the module's thread-local storage. Its
// size is the device's limit, and more that nobody may touch.
std::string dynamic_shared_memory(const std::vector<std::byte>& object) {
  std::set<std::string_view> names;
  for (const ElfSymbol& symbol : elf_symbols(object)) {
    if (symbol.undefined && symbol.type == STT_TLS) names.insert(symbol.name);
  }
  std::string text = ".section .tbss,\"awT\",%nobits\n.balign 1024\n";
  for (const auto name : names) {
    text += fmt::format(".globl {0}\n.hidden {0}\n.type {0},%object\n{0}:\n", name);
  }
  const std::int64_t bytes = kBehindSharedBytes + (names.empty() ? 0 : kMaxSharedBytes);
  text += fmt::format(".zero {}\n.section .rodata\n.balign 8\n.globl {}\n{}:\n.quad {}\n", bytes, set_aside_name,
                      set_aside_name, bytes);
  return text + ".section .note.GNU-stack,\"\",%progbits\n";
}

// Returns a version such as "g++ 12.2.0" from the many ways in which compilers state it.
std::string version_of(std::string_view text, bool clang) {
  const std::string_view line = text.substr(0, text.find('\n'));
  if (!clang) return fmt::format("g++ {}", line.substr(line.rfind(' ') + 1));
  const auto at = line.find("version ") + 8;
  return fmt::format("clang++ {}", line.substr(at, line.find_first_of(" -+", at) - at));
}

// Returns the limits of a child that belongs to a compile of so many seconds; 0: no limit.
ChildLimits limits_of(double seconds) {
  return {.deadline = seconds > 0 ? Deadline::in_s(seconds) : Deadline()};
}

// Returns the result of a compiler that failed. A compiler that has judged the source ends with status 1 and an error
// of its own or of its assembler. Any other end is no verdict on the source.
CompileResult failed(ChildResult child, std::string log) {
  const bool verdict = child.exit_status == 1 && (child.log.find("error") != std::string::npos ||
                                                  child.log.find(": Error: ") != std::string::npos);
  const bool unfinished = !child.timed_out && (!verdict || tells_of_the_machine(child.log));
  log += child.log;
  if (!child.timed_out && child.log.empty())
    log += fmt::format("the compiler ended with status {}\n", child.exit_status);
  return {std::nullopt, std::move(log), child.timed_out, unfinished};
}

// The file that a compiler gets has this name.
constexpr char unit_name[] = "kernel.cpp";

// Returns the files that a source read besides system headers. They come from the makefile rule that the compiler
// writes: "kernel.o: a.h b\ c.h".
std::vector<std::string> files_of_rule(std::string_view rule) {
  std::vector<std::string> files(1);
  for (std::size_t i = std::min(rule.find(": "), rule.size()) + 1; i < rule.size(); ++i) {
    const bool escape = rule[i] == '\\' || rule[i] == '$';
    if (escape && i + 1 < rule.size() && rule[i + 1] == '\n') {
      ++i;
    } else if (escape && i + 1 < rule.size()) {
      files.back() += rule[++i];
    } else if (rule[i] != ' ' && rule[i] != '\n') {
      files.back() += rule[i];
      continue;
    } else if (!files.back().empty()) {
      files.emplace_back();
    }
  }
  if (files.back().empty()) files.pop_back();
  return files;
}

std::string text_of(const fs::path& file) {
  const std::vector<std::byte> bytes = read_bytes(file);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_below(const fs::path& file, const fs::path& folder) {
  const fs::path relative = fs::absolute(file).lexically_normal().lexically_relative(folder.lexically_normal());
  return !relative.empty() && *relative.begin() != "..";
}

void erase_all(std::string& text, std::string_view part) {
  if (part.empty()) return;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
}

}  // namespace

HostCompiler::HostCompiler(std::string program, double timeout_s)
    : program_(std::move(program)), timeout_s_(timeout_s) {
  ChildResult child;
  try {
    child = run_child({program_, "--version"}, "", limits_of(timeout_s));
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

// Returns whether OpenMP is to be used. Functions that fill gigabytes or compute what is expected of them may use its
// pragmas. A compiler without OpenMP's library (clang++ often lacks it) ignores these.
bool HostCompiler::uses_openmp(const CompileRequest& request) {
  if (request.source.find("#pragma omp ") == std::string::npos) return false;
  std::call_once(openmp_looked_for_, [this] {
    const ScratchFolder folder;
    const fs::path source = folder.path() / "openmp.cpp", library = folder.path() / "openmp.so";
    write_text(source, "#include <omp.h>\nint threads() { return omp_get_max_threads(); }\n");
    const ChildResult child = run_child(
        {program_, "-fopenmp", "-shared", "-fPIC", "-o", library.string(), source.string()}, "", limits_of(timeout_s_));
    has_openmp_ = child.exit_status == 0 && !child.timed_out;
  });
  return has_openmp_;
}

// Returns the options that make compiled code tell of every access and basic block (shim/hooks.h). Without optimisation
// each of them is one of the source: accesses are neither merged nor split, and a vector is read at once.
std::vector<std::string> HostCompiler::tracking_options() const {
  std::vector<std::string> options = {"-O0",
                                      "-gdwarf-4",
                                      "-g1",
                                      "-fsanitize=thread",
                                      "-fsanitize-coverage=trace-pc",
                                      "-fno-builtin-memcpy",
                                      "-fno-builtin-memmove",
                                      "-fno-builtin-memset"};
  // Without this option a read just before a write of the same place is not reported.
  if (clang_) options.insert(options.end(), {"-mllvm", "-tsan-instrument-read-before-write"});
  return options;
}

std::vector<std::string> HostCompiler::command(const CompileRequest& request, const fs::path& folder) {
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
  // These options are for GCC only. Unique symbols would be shared between modules. Shared arrays need no
  // initialisation on first use. GCC tells of the way in which GCC 4.5 passed aligned structs (tensor maps), but no
  // caller was compiled with that.
  if (!clang_) command.insert(command.end(), {"-fno-gnu-unique", "-fno-extern-tls-init", "-Wno-psabi"});
  if (uses_openmp(request)) command.push_back("-fopenmp");
  command.push_back(fmt::format("-D{}=1", tuning_macro));
  const std::vector<std::string> options = options_without_macros(request.options);
  command.insert(command.end(), options.begin(), options.end());
  if (request.tracked) {
    const std::vector<std::string> tracking = tracking_options();
    command.insert(command.end(), tracking.begin(), tracking.end());
  }
  const bool includes = request.source.find("include") != std::string::npos;
  if (includes) {
    write_cuda_headers(folder / "cuda");
    command.push_back("-I" + (folder / "cuda").string());
  }
  for (const auto& include : request.include_directories) command.push_back("-I" + include.string());
  if (includes) {
    // A session's copy already has those of Warptune's headers that it knows of (tuner/kernel/files/session_files.h).
    if (request.root.empty()) {
      write_device_headers(folder / "built-in");
      command.push_back("-I" + (folder / "built-in").string());
    }
  }
  // Temporary folders have other names each time, and __FILE__ must be the same each time.
  if (!request.root.empty()) command.push_back("-ffile-prefix-map=" + request.root.string() + "=");
  command.push_back("-Wno-unknown-pragmas");
  if (clang_) command.insert(command.end(), {"-Wno-pass-failed", "-Wno-unknown-attributes"});
  // The source is a file in a folder of its own. If it came from stdin, quoted includes would be looked for in the
  // current folder first.
  fs::create_directory(folder / "source");
  const fs::path source = folder / "source" / unit_name;
  write_text(source, translation_unit(request));
  command.insert(command.end(), {"-x", "c++", source.string()});
  return command;
}

// Returns an included file that was not read when the session began, or nothing. Such a file must not be compiled,
// because no key covers it.
std::string HostCompiler::foreign_include(const CompileRequest& request, const fs::path& folder,
                                          const fs::path& rule) const {
  if (request.root.empty()) return {};
  for (const std::string& file : files_of_rule(text_of(rule)))
    if (!is_below(file, request.root) && !is_below(file, folder)) return file;
  return {};
}

// GNU's assembler lists what it reads in a rule of its own, with the name of what it was made from. Clang's lists
// nothing, so there the source's texts are looked through, joined as the compiler joins them.
std::string HostCompiler::assembled_file(const CompileRequest& request, const fs::path& rule) const {
  if (clang_) {
    std::string texts;
    for (const SourceToken& token : source_tokens(request.source))
      if (token.kind == SourceToken::Kind::text && token.text.size() >= 2)
        texts += token.text.substr(1, token.text.size() - 2);
    for (const char* directive : {".incbin", ".include"})
      if (texts.find(directive) != std::string::npos) return std::string("what its ") + directive + " names";
    return {};
  }
  for (const std::string& file : files_of_rule(text_of(rule)))
    if (file != unit_name) return file;
  return {};
}

std::string HostCompiler::preprocess(const CompileRequest& request) {
  const ScratchFolder folder;
  auto arguments = command(request, folder.path());
  arguments.insert(arguments.end() - 1, {"-E", "-P"});
  ChildResult child = run_child(arguments, "", limits_of(timeout_s_));
  erase_all(child.log, request.root.string());
  erase_all(child.log, folder.path().string());
  return child.exit_status == 0 ? child.output : child.output + child.log;
}

CompileResult HostCompiler::compile(const CompileRequest& request) {
  CompileResult result;
  try {
    const ScratchFolder folder;
    result = compile_in(folder.path(), request);
    erase_all(result.log, (folder.path() / "source/").string());
    erase_all(result.log, (folder.path() / "built-in/").string());
    erase_all(result.log, (folder.path() / "cuda/").string());
    result.log += hint_about_device_headers(result.log);
    if (!result.code) result.log = with_limits_named(std::move(result.log), request.source);
  } catch (const std::system_error& error) {  // no process, no disk space
    result = {std::nullopt, fmt::format("error: the compiler cannot be run: {}\n", error.what()), false, true};
  }
  erase_all(result.log, request.root.string());
  return result;
}

ChildResult HostCompiler::compile_hooks(const fs::path& folder, const fs::path& object,
                                        const ChildLimits& limits) const {
  const fs::path source = folder / "hooks.cpp";
  write_text(source, kHooksText);
  return run_child({program_, "-pipe", "-O2", "-w", "-fPIC", "-fno-builtin", "-fno-exceptions", "-c", "-o",
                    object.string(), source.string()},
                   "", limits);
}

CompileResult HostCompiler::compile_in(const fs::path& folder, const CompileRequest& request) {
  const ChildLimits limits = limits_of(timeout_s_);
  const fs::path object = folder / "kernel.o", storage = folder / "shared.s";
  const fs::path library = folder / "kernel.so", rule = folder / "kernel.d", assembler_rule = folder / "assembler.d";

  auto arguments = command(request, folder);
  arguments.insert(arguments.end() - 1, {"-c", "-MMD", "-MF", rule.string(), "-o", object.string()});
  if (!clang_) arguments.insert(arguments.end() - 1, {"-Xassembler", "--MD", "-Xassembler", assembler_rule.string()});
  ChildResult compiled = run_child(arguments, "", limits);
  if (compiled.exit_status != 0 || compiled.timed_out) return failed(std::move(compiled), "");
  if (const std::string file = foreign_include(request, folder, rule); !file.empty())
    return {std::nullopt,
            fmt::format("{}: error: it includes {}, which was not read when the session began: include it by a name "
                        "that the template's folder, include_directories or -I can find\n",
                        request.name, file)};
  if (const std::string file = assembled_file(request, assembler_rule); !file.empty())
    return {std::nullopt,
            fmt::format("{}: error: its assembler reads {}, which no cache and no store would know to have changed: "
                        "write the bytes into a header, or give them to the kernel as an input with a file\n",
                        request.name, file)};

  arguments = {program_,          "-shared", "-fPIC",          "-Wl,-Bsymbolic",
               "-Wl,--as-needed", "-o",      library.string(), object.string()};
  // OpenMP's threads wait in OpenMP's library, which must then stay where it is. So a module that needs it is never
  // unloaded.
  if (uses_openmp(request)) arguments.insert(arguments.end(), {"-fopenmp", "-Wl,-z,nodelete"});
  if (request.tracked) {
    ChildResult hooks = compile_hooks(folder, folder / "hooks.o", limits);
    if (hooks.exit_status != 0 || hooks.timed_out) return failed(std::move(hooks), "");
    arguments.push_back((folder / "hooks.o").string());
    for (const char* name : {"malloc", "free", "_Znwm", "_Znam", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm"})
      arguments.push_back(std::string("-Wl,--wrap=") + name);
  }
  write_text(storage, dynamic_shared_memory(read_bytes(object)));
  arguments.push_back(storage.string());
  ChildResult linked = run_child(arguments, "", limits);
  if (linked.exit_status != 0 || linked.timed_out) return failed(std::move(linked), std::move(compiled.log));

  return {MachineCode{read_bytes(library), linkage_names(request)}, compiled.log + linked.log, false};
}

}  // namespace warptune::tuner::host
