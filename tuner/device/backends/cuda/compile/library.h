// Finds where CUDA's libraries and headers usually lie on a machine, and opens shared libraries. The backend opens them
// nowhere else. Tests substitute a fake one by naming its folder first.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/device/backend.h"

namespace warptune::tuner::cuda {

// Refers to an open shared library. It stays open until the process ends: libcuda and NVRTC keep threads and exit
// handlers of their own that would run code no longer mapped after a dlclose.
class SharedLibrary {
 public:
  explicit SharedLibrary(void* handle) : handle_(handle) {}
  // Returns the symbol's address, or nullptr.
  void* find(const char* symbol) const;
  // Returns the file that it was loaded from, with links resolved.
  std::filesystem::path file() const;

 private:
  void* handle_;
};

// Returns the file of an open library whose name begins so, with links resolved. The path is empty if there is none.
std::filesystem::path open_file(const std::string& beginning);

// Says where a library is looked for, in this order.
struct LibrarySearch {
  std::vector<std::string> names;                    // "libnvrtc.so.13", best first
  std::vector<std::filesystem::path> first_folders;  // before the loader's own search
  std::vector<std::filesystem::path> last_folders;   // after it
};

// Opens the first library that loads. Otherwise it returns nothing, and `failure` gets the loader's words for the first
// file that was there, or for the first name if there was none.
std::optional<SharedLibrary> open_library(const LibrarySearch& search, std::string& failure);

// Returns the folders to search for libraries after the loader's own search: those beside the options' headers, then
// the usual places.
std::vector<std::filesystem::path> library_folders(const BackendOptions& options);

// Returns the folders for a kernel's #include of the toolkit's headers: the options' folders, then the first of those
// beside NVRTC and of the usual ones that holds cuda_fp16.h.
std::vector<std::filesystem::path> include_folders(const BackendOptions& options, const std::filesystem::path& nvrtc);

}  // namespace warptune::tuner::cuda
