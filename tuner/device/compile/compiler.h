// Declares the interface to a backend's compiler, which takes a source and defines, and gives machine code or the
// compiler's log. It distinguishes what a compiler says of a source from what befell the compiler on this machine.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune::tuner {

struct CompileRequest {
  std::string name;                                          // of the source, for messages: "gemm/kernel.cu"
  std::string source;                                        // CUDA C++
  std::vector<std::pair<std::string, std::string>> defines;  // #define NAME TEXT, before the source
  std::vector<std::string> options;                          // the template's, as the backend's compiler takes them
  std::vector<std::filesystem::path> include_directories;
  // If set, files that are not the compiler's or the toolkit's own may be included from below this folder alone, and
  // logs show their paths without it (tuner/kernel/files/session_files.h).
  std::filesystem::path root = {};
  std::vector<std::string> kernels;  // name expressions to be launched: "gemm", "reduce<float, 4>"
  std::vector<std::string> symbols;  // __constant__ or __device__ variables to be filled
  // Asks for code that tells of its memory accesses (access_report.h). It is for the host alone. Such code is slow and
  // not optimised, so that what is told is what the source says.
  bool tracked = false;
};

// Holds a finished module, position-independent of this process: a cubin for cuda, a shared object for host.
struct MachineCode {
  std::vector<std::byte> bytes;
  std::map<std::string, std::string> linkage_names;  // name expression -> symbol in `bytes`
  std::vector<MachineCode> more = {};                // further modules of the same configuration (device.h)
};

// Failing to compile is a result with a log, not an exception.
struct CompileResult {
  std::optional<MachineCode> code;
  std::string log;  // the compiler's words; may hold warnings of a success
  bool timed_out = false;
  // The compiler came to no verdict on the source: it was killed, or found no memory, process or disk space. Another
  // try may end otherwise.
  bool unfinished = false;
};

// Compiles sources. It is safe to call from many threads at once.
class Compiler {
 public:
  virtual ~Compiler() = default;
  // Returns the compiler's version, which is part of a session's key: "NVRTC 13.0", "g++ 12.2.0".
  virtual std::string version() const = 0;
  // Returns what the preprocessor leaves of the source with these defines, with every include's text. This is the
  // content that keys hash.
  virtual std::string preprocess(const CompileRequest& request) = 0;
  virtual CompileResult compile(const CompileRequest& request) = 0;
};

// Returns whether a log tells of the machine's trouble (no memory, no process, no disk space, a killed or crashed
// compiler) rather than of the source. It knows the words of GCC, Clang, their linkers and NVRTC. What the source
// itself makes a compiler say (#error, static_assert) does not count.
bool tells_of_the_machine(std::string_view log);

// Compiles, and tries again a little later (three times in all) where the result is unfinished.
CompileResult compile_patiently(Compiler& compiler, const CompileRequest& request);

}  // namespace warptune::tuner
