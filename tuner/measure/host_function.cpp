#include "tuner/measure/host_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tuner/device/compile_patiently.h"
#include "tuner/kernel/plan.h"
#include "tuner/measure/workload.h"

namespace warptune::tuner {

namespace {

std::string description(const KernelTemplate& kernel, const HostFunction& function) {
  return fmt::format("the function {} ({}) of {}", function.name, kernel.shown(function.source).string(), kernel.name);
}

// The host backend compiles and calls plain C++ too: to it a function is a kernel of one thread.
class LoadedFunction {
 public:
  LoadedFunction(const KernelTemplate& kernel, const HostFunction& function, const search::NamedValues& constants,
                 const BackendOptions& options)
      : backend_(host_backend()), name_(function.name) {
    std::string why;
    const auto devices = backend_.devices(options, why);
    if (devices.empty()) throw WorkloadError(fmt::format("a C++ function needs the host backend: {}", why));
    device_ = backend_.open(devices.front(), options);
    const auto compiler = backend_.compiler(devices.front(), options);
    const AnnouncedStep step(options, description(kernel, function), true);
    const CompileResult result = compile_patiently(*compiler, function_compile_request(kernel, function, constants));
    if (!result.code)
      throw WorkloadError(fmt::format("{} of {} does not compile with {}:\n{}", kernel.shown(function.source).string(),
                                      kernel.name, compiler->version(), result.log));
    module_ = device_->load(*result.code);
  }

  void call(std::span<void* const> arguments) {
    module_->kernel(name_).launch({}, arguments);
    device_->synchronize();
  }

 private:
  static const BackendEntry& host_backend() {
    return *std::ranges::find(backends(), std::string_view("host"), &BackendEntry::name);
  }

  const BackendEntry& backend_;
  std::string name_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Module> module_;
};

std::array<std::byte, 8> address_bytes(void* address) {
  std::array<std::byte, 8> bytes{};
  std::memcpy(bytes.data(), &address, sizeof address);
  return bytes;
}

// Scratch memory of a reference: it never leaves the host.
const Argument* temporary(const KernelTemplate& kernel, const std::string& name) {
  const auto found = std::ranges::find(kernel.reference.temporaries, name, &Argument::name);
  return found == kernel.reference.temporaries.end() ? nullptr : &*found;
}

}  // namespace

std::map<std::string, std::vector<std::byte>> call_on_host(const KernelTemplate& kernel, const HostFunction& function,
                                                           const search::NamedValues& constants,
                                                           const std::map<std::string, MemorySpan>& buffers,
                                                           Device& device, const BackendOptions& options) {
  LoadedFunction loaded(kernel, function, constants, options);
  std::map<std::string, std::vector<std::byte>> copies;
  std::vector<std::array<std::byte, 8>> values;
  for (const std::string& name : function.arguments) {
    const Argument* argument = kernel.find_argument(name);
    if (argument && argument->role == Role::scalar) {
      values.push_back(scalar_bytes(argument->type, argument->value->evaluate(constants)));
      continue;
    }
    auto& copy = copies[name];
    if (const Argument* scratch = temporary(kernel, name)) {
      copy.resize(plan_buffer(*scratch, constants).bytes());
    } else {
      copy.resize(buffers.at(name).bytes);
      device.download(copy, buffers.at(name));
    }
    values.push_back(address_bytes(copy.data()));
  }
  std::vector<void*> pointers;
  for (auto& value : values) pointers.push_back(value.data());
  const AnnouncedStep step(options, description(kernel, function), false);
  loaded.call(pointers);
  return copies;
}

}  // namespace warptune::tuner
