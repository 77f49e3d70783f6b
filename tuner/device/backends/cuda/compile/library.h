// The one place where the backend opens a shared library. Tests substitute a fake one by naming its folder first.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warptune::tuner::cuda {

// An open shared library. It stays open until the process ends: libcuda and NVRTC keep threads and exit handlers of
// their own that would run code no longer mapped after a dlclose.
class SharedLibrary {
 public:
  explicit SharedLibrary(void* handle) : handle_(handle) {}
  // The symbol's address, or nullptr.
  void* find(const char* symbol) const;
  // The file it was loaded from, links resolved.
  std::filesystem::path file() const;

 private:
  void* handle_;
};

// The open library whose file's name begins so, links resolved; empty if there is none.
std::filesystem::path open_file(const std::string& beginning);

// Where a library is looked for, in this order.
struct LibrarySearch {
  std::vector<std::string> names;                    // "libnvrtc.so.13", best first
  std::vector<std::filesystem::path> first_folders;  // before the loader's own search
  std::vector<std::filesystem::path> last_folders;   // after it
};

// The first that loads; otherwise nothing, and `failure` gets the loader's words for every file that was there, or for
// the first name if there was none.
std::optional<SharedLibrary> open_library(const LibrarySearch& search, std::string& failure);

}  // namespace warptune::tuner::cuda
