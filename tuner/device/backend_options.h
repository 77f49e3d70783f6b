// What a program says to the backends. Apart from backend.h, which is the library's own list of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warptune::tuner {

// Where things are on this machine; filled by the program (the library reads no environment).
struct BackendOptions {
  std::vector<std::filesystem::path> library_directories;  // searched before the loader's own for libcuda and NVRTC
  std::vector<std::filesystem::path> cuda_include_directories;  // the toolkit's headers, for kernels that include them
  std::string host_compiler = "c++";
  int host_threads = 0;           // 0: as many as cores
  double compile_timeout_s = 60;  // 0: none; then a compiler's processes stay in this one's group, to end with it
  double kernel_timeout_s = 30;   // of a wait for queued work; 0: none
};

}  // namespace warptune::tuner
