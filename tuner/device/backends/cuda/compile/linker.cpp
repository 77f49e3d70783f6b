// Finds nvJitLink and the device runtime, and makes one link at a time from an object and that runtime.
#include "tuner/device/backends/cuda/compile/linker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <system_error>

#include "tuner/device/backends/cuda/compile/library.h"
#include "tuner/device/device_error.h"

namespace warptune::tuner::cuda {

// These functions are declared here because a machine with the toolkit's headers need not have nvJitLink.h. Their
// results are enums; 0 is success.
struct NvJitLink {
  SharedLibrary library;
  int (*create)(void** handle, std::uint32_t count, const char** options) = nullptr;
  int (*destroy)(void** handle) = nullptr;
  int (*add_data)(void* handle, int type, const void* data, std::size_t bytes, const char* name) = nullptr;
  int (*add_file)(void* handle, int type, const char* file) = nullptr;
  int (*complete)(void* handle) = nullptr;
  int (*get_cubin_size)(void* handle, std::size_t* bytes) = nullptr;
  int (*get_cubin)(void* handle, void* code) = nullptr;
  int (*get_error_log_size)(void* handle, std::size_t* bytes) = nullptr;
  int (*get_error_log)(void* handle, char* text) = nullptr;
};

namespace {

namespace fs = std::filesystem;

constexpr int cubin_input = 1, library_input = 6;  // NVJITLINK_INPUT_CUBIN, NVJITLINK_INPUT_LIBRARY

// Returns the options' folders, the one beside NVRTC, those of PyPI's wheels beside its own, and the usual places.
std::vector<fs::path> folders_of(const BackendOptions& options, const fs::path& nvrtc) {
  std::vector<fs::path> folders = options.library_directories;
  const fs::path lib = nvrtc.parent_path();
  folders.insert(folders.end(), {lib, lib / "../../nvjitlink/lib", lib / "../../cuda_runtime/lib"});
  for (fs::path& usual : library_folders(options)) folders.push_back(std::move(usual));
  return folders;
}

template <typename Function>
void look_up(const NvJitLink& linker, Function& function, const char* symbol) {
  function = reinterpret_cast<Function>(linker.library.find(symbol));
  if (function) return;
  throw NoDeviceError(fmt::format("the library {} lacks the symbol {}: install CUDA 12 or later",
                                  linker.library.file().string(), symbol));
}

std::unique_ptr<const NvJitLink> open_linker(const std::vector<fs::path>& folders) {
  std::string failure;
  const auto library = open_library({{"libnvJitLink.so.13", "libnvJitLink.so.12"}, folders, {}}, failure);
  if (!library)
    throw NoDeviceError(fmt::format(
        "kernels that launch kernels (-rdc=true) are linked by nvJitLink, and libnvJitLink.so.13 or .12 cannot be "
        "loaded ({}): install the CUDA toolkit or its nvJitLink package, or name the folder that holds the library",
        failure));
  auto linker = std::make_unique<NvJitLink>(NvJitLink{*library});
  look_up(*linker, linker->create, "nvJitLinkCreate");
  look_up(*linker, linker->destroy, "nvJitLinkDestroy");
  look_up(*linker, linker->add_data, "nvJitLinkAddData");
  look_up(*linker, linker->add_file, "nvJitLinkAddFile");
  look_up(*linker, linker->complete, "nvJitLinkComplete");
  look_up(*linker, linker->get_cubin_size, "nvJitLinkGetLinkedCubinSize");
  look_up(*linker, linker->get_cubin, "nvJitLinkGetLinkedCubin");
  look_up(*linker, linker->get_error_log_size, "nvJitLinkGetErrorLogSize");
  look_up(*linker, linker->get_error_log, "nvJitLinkGetErrorLog");
  return linker;
}

fs::path find_device_runtime(const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    if (fs::path file = folder / "libcudadevrt.a"; fs::is_regular_file(file, ignored)) return file.lexically_normal();
  }
  throw NoDeviceError(
      "kernels that launch kernels (-rdc=true) need CUDA's device runtime, and libcudadevrt.a is in none of the "
      "toolkit's folders: install the CUDA toolkit or its runtime package, or name the folder that holds it");
}

// Makes one link, from its inputs to its code.
class Link {
 public:
  Link(const NvJitLink& linker, const std::string& architecture) : linker_(linker) {
    const std::string option = "-arch=" + architecture;
    const char* options[] = {option.c_str()};
    result_ = linker_.create(&handle_, 1, options);
  }
  ~Link() {
    if (handle_) linker_.destroy(&handle_);
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  void add(const std::vector<std::byte>& object, const std::string& name) {
    if (result_ == 0) result_ = linker_.add_data(handle_, cubin_input, object.data(), object.size(), name.c_str());
  }
  void add(const fs::path& library) {
    if (result_ == 0) result_ = linker_.add_file(handle_, library_input, library.c_str());
  }
  // Returns the code, or nothing if this or anything before it failed; result() says how.
  std::optional<std::vector<std::byte>> complete() {
    std::size_t bytes = 0;
    if (result_ == 0) result_ = linker_.complete(handle_);
    if (result_ == 0) result_ = linker_.get_cubin_size(handle_, &bytes);
    std::vector<std::byte> code(bytes);
    if (result_ == 0) result_ = linker_.get_cubin(handle_, code.data());
    if (result_ != 0) return std::nullopt;
    return code;
  }

  int result() const { return result_; }
  std::string log() const {
    std::size_t bytes = 0;  // with the closing zero
    if (!handle_ || linker_.get_error_log_size(handle_, &bytes) != 0 || bytes <= 1) return {};
    std::string text(bytes, '\0');
    linker_.get_error_log(handle_, text.data());
    text.resize(bytes - 1);
    return text;
  }

 private:
  const NvJitLink& linker_;
  void* handle_ = nullptr;
  int result_;
};

}  // namespace

Linker::Linker(const BackendOptions& options, const fs::path& nvrtc)
    : library_(open_linker(folders_of(options, nvrtc))),
      device_runtime_(find_device_runtime(folders_of(options, nvrtc))) {}

Linker::~Linker() = default;

Linker::Linked Linker::link(const std::vector<std::byte>& object, const std::string& name,
                            const std::string& architecture) const {
  Link link(*library_, architecture);
  link.add(object, name);
  link.add(device_runtime_);
  if (auto code = link.complete()) return {std::move(code), {}};
  return {std::nullopt, fmt::format("linking {} with {} for {} by {} failed: nvJitLink's error {}\n{}", name,
                                    device_runtime_.string(), architecture, library_->library.file().string(),
                                    link.result(), link.log())};
}

bool must_be_linked(const std::vector<std::string>& options) {
  static constexpr std::string_view names[] = {"-rdc=true", "--relocatable-device-code=true", "-dc", "--device-c"};
  return std::ranges::any_of(
      options, [](std::string_view option) { return std::ranges::find(names, option) != std::end(names); });
}

}  // namespace warptune::tuner::cuda
