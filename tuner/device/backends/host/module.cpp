// Loads shared objects from memory, and finds kernels and variables by their symbols.
#include "tuner/device/backends/host/module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <stdexcept>

#include "tuner/device/backends/host/compile/limits.h"
#include "tuner/device/backends/host/device.h"
#include "tuner/device/backends/host/execution/arithmetic.h"
#include "tuner/system/file_descriptor.h"

namespace warptune::tuner::host {

namespace {

// Tracked modules have this symbol, and others lack it.
constexpr std::string_view kHookName = "__tsan_func_entry";

// A function's local variables are called _ZZ<the function's own name>E…: the name without its _Z, or for a C function
// its length and text (Itanium C++ ABI, 5.1.6).
std::string prefix_of_locals(std::string_view function) {
  if (function.rfind("_Z", 0) == 0) return fmt::format("_ZZ{}E", function.substr(2));
  return fmt::format("_ZZ{}{}E", function.size(), function);
}

bool is_local_of(const ElfSymbol& variable, const ElfSymbol& function) {
  return variable.name.rfind(prefix_of_locals(function.name), 0) == 0;
}

// Returns the bytes of all __shared__ variables of the module but those in the bodies of other kernels. What device
// functions declare counts for every kernel, as the symbols do not tell which one calls them.
std::int64_t static_shared_bytes(const std::vector<ElfSymbol>& symbols, std::uint64_t kernel_address,
                                 std::uint64_t own_variable) {
  std::int64_t bytes = 0;
  for (const ElfSymbol& variable : symbols) {
    if (variable.type != STT_TLS || variable.value == own_variable) continue;
    const bool of_another_kernel = std::any_of(symbols.begin(), symbols.end(), [&](const ElfSymbol& other) {
      return other.type == STT_FUNC && other.exported && other.value != kernel_address && is_local_of(variable, other);
    });
    if (!of_another_kernel) bytes += static_cast<std::int64_t>(variable.bytes);
  }
  return bytes;
}

std::uint64_t offset_in_library(const void* address) {
  Dl_info library{};
  dladdr(address, &library);
  return static_cast<std::uint64_t>(static_cast<const char*>(address) - static_cast<const char*>(library.dli_fbase));
}

void require(bool within, const std::string& kernel, std::string_view what, std::int64_t wanted, std::int64_t limit) {
  if (within) return;
  throw DeviceError(
      search::Outcome::resource_limit, "INVALID_CONFIGURATION",
      fmt::format("kernel {} cannot be launched on the host: {} is {}, the limit is {}", kernel, what, wanted, limit));
}

void require_range(const std::string& kernel, std::string_view what, std::int64_t wanted, std::int64_t limit) {
  if (wanted < 1) {
    throw DeviceError(
        search::Outcome::launch_error, "INVALID_VALUE",
        fmt::format("kernel {} cannot be launched: {} is {}, which is not positive", kernel, what, wanted));
  }
  require(wanted <= limit, kernel, what, wanted, limit);
}

}  // namespace

HostKernel::HostKernel(std::string name, HostDevice& device, const HostModule& module,
                       const warptune_host::KernelEntry& entry, std::int64_t static_shared_bytes)
    : name_(std::move(name)),
      device_(device),
      module_(module),
      entry_(entry),
      static_shared_bytes_(static_shared_bytes) {}

search::ResourceUse HostKernel::resources(const LaunchGeometry& geometry) const {
  search::ResourceUse use;
  use.static_shared_bytes = static_shared_bytes_;
  use.dynamic_shared_bytes = geometry.dynamic_shared_bytes;
  use.threads_per_block = geometry.block.volume();
  use.occupancy = static_cast<double>(use.threads_per_block) / kMaxThreads;
  return use;
}

std::optional<std::vector<std::size_t>> HostKernel::parameter_bytes() const {
  if (entry_.parameters > std::size(entry_.parameter_bytes)) return std::nullopt;
  return std::vector<std::size_t>(entry_.parameter_bytes, entry_.parameter_bytes + entry_.parameters);
}

void HostKernel::check(const LaunchGeometry& geometry, std::size_t arguments) const {
  const DeviceInfo& limits = device_.info();
  require_range(name_, "the grid's x", geometry.grid.x, limits.max_grid_x);
  require_range(name_, "the grid's y", geometry.grid.y, limits.max_grid_y);
  require_range(name_, "the grid's z", geometry.grid.z, limits.max_grid_z);
  require_range(name_, "the block's x", geometry.block.x, limits.max_block_x);
  require_range(name_, "the block's y", geometry.block.y, limits.max_block_y);
  require_range(name_, "the block's z", geometry.block.z, limits.max_block_z);
  require_range(name_, "the number of threads in a block", geometry.block.volume(), limits.max_threads_per_block);
  require(static_shared_bytes_ <= limits.max_shared_memory_per_block, name_, "static shared memory in bytes",
          static_shared_bytes_, limits.max_shared_memory_per_block);
  const std::int64_t shared = static_shared_bytes_ + geometry.dynamic_shared_bytes;
  require(geometry.dynamic_shared_bytes >= 0 && shared <= limits.max_shared_memory_per_block_optin, name_,
          "shared memory in bytes", shared, limits.max_shared_memory_per_block_optin);
  if (arguments == entry_.parameters) return;
  throw DeviceError(search::Outcome::launch_error, "INVALID_VALUE",
                    fmt::format("kernel {} takes {} arguments and was given {}", name_, entry_.parameters, arguments));
}

void HostKernel::launch(const LaunchGeometry& geometry, std::span<void* const> arguments) {
  check(geometry, arguments.size());
  device_.run(*this, geometry, arguments);
}

// Returns a path that no library had before. The loader takes two equal paths for one library, and may keep a closed
// one: another library has bound to it (the C++ library, to a template's instance), or its threads still have something
// to destroy. The numbers of descriptors come back, so each path is made different by slashes and dots that change
// nothing but its text. They spell a number in binary.
static std::string unique_path(const FileDescriptor& file) {
  static std::atomic<std::uint64_t> loaded{0};
  std::string path = "/proc/self/fd";
  for (std::uint64_t number = ++loaded; number > 0; number /= 2) path += number % 2 == 1 ? "/." : "/";
  return fmt::format("{}/{}", path, file.get());
}

// The file is closed once it is loaded, so that no kernel of this process finds it among its open files.
LoadedLibrary::LoadedLibrary(std::span<const std::byte> bytes) {
  const FileDescriptor file = memory_file("kernel.so", bytes.data(), bytes.size());
  const KeptArithmetic kept;  // the library's initialisers run
  library_ = dlopen(unique_path(file).c_str(), RTLD_NOW | RTLD_LOCAL);
}

LoadedLibrary::~LoadedLibrary() {
  const KeptArithmetic kept;
  if (library_ != nullptr) dlclose(library_);
}

HostModule::HostModule(HostDevice& device, const MachineCode& code) : library_(code.bytes) {
  if (library_.get() == nullptr) {
    throw DeviceError(search::Outcome::launch_error, "ENOEXEC",
                      fmt::format("cannot load a compiled kernel: {}", dlerror()));
  }
  context_ = reinterpret_cast<warptune_host::ContextFunction*>(find("warptune_context"));
  const MemorySpan own{reinterpret_cast<std::uint64_t>(context_()), sizeof(warptune_host::Context)};
  const LoadedImage image = image_of(reinterpret_cast<const void*>(context_));
  const auto symbols = elf_symbols(code.bytes);
  shared_ =
      std::make_unique<SharedLayout>(image, symbols, own, *static_cast<const std::uint64_t*>(find(set_aside_name)));
  for (const auto& [name, linkage_name] : code.linkage_names) add(device, name, linkage_name, symbols);
  variables_ = writable_pieces(image, symbols);
  if (std::ranges::none_of(symbols, [](const ElfSymbol& symbol) { return symbol.name == kHookName; })) return;
  tracked_code_ = code.bytes;
  image_ = image.whole;
}

ModulePlaces HostModule::places(std::int64_t dynamic_bytes) const {
  const std::uint64_t block = shared_->block(reinterpret_cast<std::uint64_t>(&context()));
  const auto dynamic = static_cast<std::uint64_t>(dynamic_bytes);
  ModulePlaces places{image_, {block, shared_->dynamic() + dynamic}, {}, {}};
  for (const auto& [name, span] : shared_->variables())
    places.shared.push_back({name, {block + span.address, span.bytes > 0 ? span.bytes : dynamic}});
  for (const MemorySpan& span : shared_->own()) places.private_.push_back({block + span.address, span.bytes});
  return places;
}

HostModule::~HostModule() = default;

void* HostModule::find(const std::string& linkage_name) const {
  void* address = dlsym(library_.get(), linkage_name.c_str());
  if (address != nullptr) return address;
  throw DeviceError(search::Outcome::launch_error, "ENOEXEC",
                    fmt::format("the compiled kernel has no '{}'; it was not made by this compiler", linkage_name));
}

void HostModule::add(HostDevice& device, const std::string& name, const std::string& linkage_name,
                     const std::vector<ElfSymbol>& symbols) {
  const void* address = find(linkage_name);
  if (linkage_name.rfind("warptune_symbol", 0) == 0) {
    const auto& entry = *static_cast<const warptune_host::SymbolEntry*>(address);
    symbols_[name] = {reinterpret_cast<std::uint64_t>(entry.address), entry.bytes};
    return;
  }
  const auto& entry = *static_cast<const warptune_host::KernelEntry*>(address);
  const auto offset = offset_in_library(reinterpret_cast<const void*>(entry.function));
  kernels_[name] = std::make_unique<HostKernel>(name, device, *this, entry,
                                                static_shared_bytes(symbols, offset, shared_->own().front().address));
}

Kernel& HostModule::kernel(const std::string& name) {
  const auto found = kernels_.find(name);
  if (found == kernels_.end())
    throw std::out_of_range(fmt::format("the module was compiled without a kernel '{}'", name));
  return *found->second;
}

MemorySpan HostModule::symbol(const std::string& name) {
  const auto found = symbols_.find(name);
  if (found == symbols_.end())
    throw std::out_of_range(fmt::format("the module was compiled without a symbol '{}'", name));
  return found->second;
}

}  // namespace warptune::tuner::host
