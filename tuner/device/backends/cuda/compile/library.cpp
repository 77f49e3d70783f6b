// Opens libraries with dlopen, and remembers the loader's words where that fails.
#include "tuner/device/backends/cuda/compile/library.h"

#include <dlfcn.h>
#include <link.h>

#include <system_error>

namespace warptune::tuner::cuda {
namespace {

namespace fs = std::filesystem;

class Attempts {
 public:
  explicit Attempts(std::string& failure) : failure_(failure) { failure_.clear(); }

  std::optional<SharedLibrary> by_loader(const std::string& name) { return open(name, first_words_); }

  std::optional<SharedLibrary> in_folders(const std::vector<fs::path>& folders, const std::string& name) {
    for (const fs::path& folder : folders) {
      std::error_code ignored;
      const fs::path file = folder / name;
      if (!fs::exists(file, ignored)) continue;
      if (auto library = open(fs::absolute(file).string(), failure_)) return library;
    }
    return std::nullopt;
  }

  void finish() {
    if (failure_.empty()) failure_ = first_words_;
  }

 private:
  // Binding is local and immediate: a library with unresolved symbols of its own must fail here, not in the middle of a
  // session.
  static std::optional<SharedLibrary> open(const std::string& name, std::string& words) {
    if (void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return SharedLibrary(handle);
    const char* error = ::dlerror();
    if (words.empty() && error) words = error;
    return std::nullopt;
  }

  std::string& failure_;
  std::string first_words_;
};

}  // namespace

void* SharedLibrary::find(const char* symbol) const {
  return ::dlsym(handle_, symbol);
}

fs::path SharedLibrary::file() const {
  link_map* map = nullptr;
  if (::dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || !map) return {};
  std::error_code ignored;
  const fs::path resolved = fs::canonical(map->l_name, ignored);
  return resolved.empty() ? fs::path(map->l_name) : resolved;
}

fs::path open_file(const std::string& beginning) {
  struct Search {
    const std::string& beginning;
    fs::path found;
  } search{beginning, {}};
  const auto look = [](dl_phdr_info* object, std::size_t, void* data) {
    auto& wanted = *static_cast<Search*>(data);
    const fs::path file = object->dlpi_name ? object->dlpi_name : "";
    if (!file.filename().string().starts_with(wanted.beginning)) return 0;
    std::error_code ignored;
    wanted.found = fs::canonical(file, ignored);
    return 1;
  };
  ::dl_iterate_phdr(look, &search);
  return search.found;
}

std::optional<SharedLibrary> open_library(const LibrarySearch& search, std::string& failure) {
  Attempts attempts(failure);
  for (const auto& name : search.names)
    if (auto library = attempts.in_folders(search.first_folders, name)) return library;
  for (const auto& name : search.names)
    if (auto library = attempts.by_loader(name)) return library;
  for (const auto& name : search.names)
    if (auto library = attempts.in_folders(search.last_folders, name)) return library;
  attempts.finish();
  return std::nullopt;
}

}  // namespace warptune::tuner::cuda
