// Opens libraries with dlopen, and remembers the loader's words where that fails. Knows the folders of NVIDIA's
// toolkits, of PyPI's wheels, of distributions and of containers.
#include "tuner/device/backends/cuda/compile/library.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
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

namespace {

namespace fs = std::filesystem;

// Returns the folders of toolkits: /usr/local/cuda first, then the versioned folders beside it (newest name first),
// then those of distributions.
std::vector<fs::path> toolkit_roots() {
  std::vector<fs::path> versioned;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/usr/local", ignored))
    if (entry.path().filename().string().starts_with("cuda-")) versioned.push_back(entry.path());
  std::sort(versioned.rbegin(), versioned.rend());
  std::vector<fs::path> roots = {"/usr/local/cuda"};
  roots.insert(roots.end(), versioned.begin(), versioned.end());
  roots.insert(roots.end(), {"/opt/cuda", "/usr/lib/cuda"});
  return roots;
}

bool has_headers(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "cuda_fp16.h", ignored);
}

// CUDA 13 has CUB, Thrust and libcu++, which cooperative groups include, in a folder of their own. nvcc looks there by
// itself, NVRTC does not.
void add_core_libraries(std::vector<fs::path>& folders) {
  std::error_code ignored;
  const std::vector<fs::path> toolkits = folders;
  for (const fs::path& folder : toolkits)
    if (fs::is_directory(folder / "cccl", ignored)) folders.push_back(folder / "cccl");
}

}  // namespace

std::vector<fs::path> library_folders(const BackendOptions& options) {
  std::vector<fs::path> folders;
  for (const fs::path& include : options.cuda_include_directories)
    for (const char* beside : {"../lib64", "../lib", "../../cuda_nvrtc/lib"})  // the last: the CUDA 12 wheels
      folders.push_back(include / beside);
  for (const fs::path& root : toolkit_roots())
    for (const char* below : {"lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
      folders.push_back(root / below);
  // Containers and WSL mount the driver's libraries where no loader cache lists them.
  folders.insert(folders.end(), {"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"});
  return folders;
}

std::vector<fs::path> include_folders(const BackendOptions& options, const fs::path& nvrtc) {
  std::vector<fs::path> folders = options.cuda_include_directories;
  const fs::path lib = nvrtc.parent_path();
  std::vector<fs::path> candidates = {lib / "../include", lib / "../../../include", lib / "../../cuda_runtime/include"};
  for (const fs::path& root : toolkit_roots()) candidates.push_back(root / "include");
  candidates.push_back("/usr/include");
  if (const auto found = std::find_if(candidates.begin(), candidates.end(), has_headers); found != candidates.end())
    folders.push_back(found->lexically_normal());
  add_core_libraries(folders);
  return folders;
}

}  // namespace warptune::tuner::cuda
