// What a program says to the backends. Apart from backend.h, which is the library's own list of them.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace warptune::tuner {

struct AccessLog;  // access_report.h

// Where things are on this machine; filled by the program (the library reads no environment).
struct BackendOptions {
  std::vector<std::filesystem::path> library_directories;  // searched before the loader's own for libcuda and NVRTC
  std::vector<std::filesystem::path> cuda_include_directories;  // the toolkit's headers, for kernels that include them
  std::string host_compiler = "c++";
  int host_threads = 0;           // 0: as many as cores
  double compile_timeout_s = 60;  // 0: none; then a compiler's processes stay in this one's group, to end with it
  double kernel_timeout_s = 30;   // of a wait for queued work; 0: none
  // Set: what modules that were compiled as tracked do is written there, by the host backend in this process.
  std::shared_ptr<AccessLog> accesses = {};
  // Told what of the user's is about to be compiled or run before the first trial (a reference, a fill), and at its end
  // an empty text: for whoever watches over the time.
  std::function<void(const std::string& what, bool compiles)> on_step = {};
};

// Says so of one step, as long as it lives.
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
