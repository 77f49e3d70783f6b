// Declares the modules of the host backend: a loaded shared object and its kernels.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>

#include "tuner/device/backends/host/execution/access_tracker.h"
#include "tuner/device/backends/host/execution/module_memory.h"
#include "tuner/device/backends/host/shim/abi.h"
#include "tuner/device/device.h"
#include "tuner/system/elf.h"

namespace warptune::tuner::host {

class HostDevice;
class HostModule;

class HostKernel : public Kernel {
 public:
  HostKernel(std::string name, HostDevice& device, const HostModule& module, const warptune_host::KernelEntry& entry,
             std::int64_t static_shared_bytes);

  search::ResourceUse resources(const LaunchGeometry& geometry) const override;
  std::optional<std::vector<std::size_t>> parameter_bytes() const override;
  void launch(const LaunchGeometry& geometry, std::span<void* const> arguments) override;

  const std::string& name() const { return name_; }
  const HostModule& module() const { return module_; }
  const warptune_host::KernelEntry& entry() const { return entry_; }

 private:
  void check(const LaunchGeometry& geometry, std::size_t arguments) const;

  std::string name_;
  HostDevice& device_;
  const HostModule& module_;
  const warptune_host::KernelEntry& entry_;
  std::int64_t static_shared_bytes_;
};

// Owns a loaded shared object that exists in memory only.
class LoadedLibrary {
 public:
  // get() is null if the bytes are no shared object; dlerror() says why.
  explicit LoadedLibrary(std::span<const std::byte> bytes);
  ~LoadedLibrary();
  LoadedLibrary(const LoadedLibrary&) = delete;
  LoadedLibrary& operator=(const LoadedLibrary&) = delete;

  void* get() const { return library_; }

 private:
  void* library_ = nullptr;
};

class HostModule : public Module {
 public:
  // Throws DeviceError(launch_error, "ENOEXEC") for bytes that are no shared object of this compiler.
  HostModule(HostDevice& device, const MachineCode& code);
  ~HostModule() override;

  Kernel& kernel(const std::string& name) override;
  MemorySpan symbol(const std::string& name) override;
  std::vector<std::pair<std::string, MemorySpan>> variables() override { return variables_; }

  // Returns the module's own context of the calling OS thread.
  warptune_host::Context& context() const { return *context_(); }
  const SharedLayout& shared() const { return *shared_; }
  // Returns the machine code if the module is tracked, else nothing.
  const std::vector<std::byte>& tracked_code() const { return tracked_code_; }
  // Returns where the module's memory lies for the calling OS thread.
  ModulePlaces places(std::int64_t dynamic_bytes) const;

 private:
  void* find(const std::string& linkage_name) const;
  void add(HostDevice& device, const std::string& name, const std::string& linkage_name,
           const std::vector<ElfSymbol>& symbols);

  LoadedLibrary library_;
  warptune_host::ContextFunction* context_ = nullptr;
  std::map<std::string, std::unique_ptr<HostKernel>> kernels_;
  std::map<std::string, MemorySpan> symbols_;
  std::vector<std::pair<std::string, MemorySpan>> variables_;
  std::unique_ptr<SharedLayout> shared_;  // destroyed before the library
  std::vector<std::byte> tracked_code_;
  MemorySpan image_;
};

}  // namespace warptune::tuner::host
