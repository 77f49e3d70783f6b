// Declares the options that a program gives to the backends. They are apart from backend.h, which is the library's own
// list of backends.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace warptune::tuner {

struct AccessLog;  // access_report.h

// Says where things are on this machine, and how long compilers and kernels may take. The program fills it, because the
// library reads no environment.
struct BackendOptions {
  std::vector<std::filesystem::path> library_directories;  // searched before the loader's own for libcuda and NVRTC
  std::vector<std::filesystem::path> cuda_include_directories;  // the toolkit's headers, for kernels that include them
  std::string host_compiler = "c++";
  int host_threads = 0;           // 0: as many as cores
  double compile_timeout_s = 60;  // 0: none; a compiler's processes then stay in this process's group, to end with it
  double kernel_timeout_s = 30;   // limit of a wait for queued work; 0: none
  // If it is set, the host backend writes here what modules that were compiled as tracked do in this process.
  std::shared_ptr<AccessLog> accesses = {};
  // This is called before something of the user's (a reference, a fill) is compiled or run ahead of the first trial,
  // with a text that names it. It is called with an empty text at the end of that. It serves whoever watches over the
  // time.
  std::function<void(const std::string& what, bool compiles)> on_step = {};
};

// Announces one step to `on_step` when it is made, and the step's end when it is destroyed.
class AnnouncedStep {
 public:
  AnnouncedStep(const BackendOptions& options, const std::string& what, bool compiles) : options_(options) {
    if (options_.on_step) options_.on_step(what, compiles);
  }
  ~AnnouncedStep() {
    if (options_.on_step) options_.on_step({}, false);
  }
  AnnouncedStep(const AnnouncedStep&) = delete;
  AnnouncedStep& operator=(const AnnouncedStep&) = delete;

 private:
  const BackendOptions& options_;
};

}  // namespace warptune::tuner
