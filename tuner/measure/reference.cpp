#include "tuner/measure/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tuner/kernel/plan.h"
#include "tuner/measure/bound_plan.h"
#include "tuner/measure/symbols.h"
#include "tuner/measure/workload.h"

namespace warptune {

namespace {

MachineCode compile_reference(const KernelTemplate& kernel, const NamedValues& constants, const std::string& backend,
                              Compiler& compiler) {
  const CompileResult result = compiler.compile(reference_compile_request(kernel, backend, constants));
  if (result.code) return *result.code;
  throw WorkloadError(fmt::format("the reference {} of {} does not compile with {}:\n{}",
                                  kernel.reference.source.string(), kernel.name, compiler.version(), result.log));
}

void run_kernels(const KernelTemplate& kernel, const NamedValues& constants,
                 const std::map<std::string, MemorySpan>& buffers, Device& device, Compiler& compiler) {
  const MachineCode code = compile_reference(kernel, constants, device.info().backend, compiler);
  const auto module = device.load(code);
  SupportKernels kernels(device, compiler, kernel);
  Plan plan = make_reference_plan(kernel, constants);
  std::map<std::string, std::unique_ptr<Memory>> temporaries;
  for (const PlannedBuffer& buffer : plan.buffers) {
    auto memory = device.allocate((buffer.bytes() + 3) / 4 * 4);
    if (buffer.argument->zero) kernels.clear(memory->span());
    temporaries[buffer.argument->name] = std::move(memory);
  }
  const auto find = [&](const std::string& name) {
    const auto found = temporaries.find(name);
    return found != temporaries.end() ? found->second->span() : buffers.at(name);
  };
  if (kernel.reference.default_configuration) fill_symbols(kernel, *module, device, find);
  BoundPlan(std::move(plan), *module, find, kernels).run();
  device.synchronize();
}

// The host backend compiles and calls plain C++ too: to it a function is a kernel of one thread.
class HostFunction {
 public:
  HostFunction(const KernelTemplate& kernel, const NamedValues& constants, const BackendOptions& options)
      : backend_(host_backend()) {
    std::string why;
    const auto devices = backend_.devices(options, why);
    if (devices.empty()) throw WorkloadError("a C++ reference needs the host backend: " + why);
    device_ = backend_.open(devices.front(), options);
    const auto compiler = backend_.compiler(devices.front(), options);
    module_ = device_->load(compile_reference(kernel, constants, "host", *compiler));
  }

  Device& device() { return *device_; }

  void call(const std::string& name, std::span<void* const> arguments) {
    module_->kernel(name).launch({}, arguments);
    device_->synchronize();
  }

 private:
  static const BackendEntry& host_backend() {
    return *std::ranges::find(backends(), std::string_view("host"), &BackendEntry::name);
  }

  const BackendEntry& backend_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Module> module_;
};

void run_function(const KernelTemplate& kernel, const NamedValues& constants,
                  const std::map<std::string, MemorySpan>& buffers, Device& device, const BackendOptions& options) {
  HostFunction function(kernel, constants, options);
  std::map<std::string, std::vector<std::byte>> copies;
  std::vector<std::array<std::byte, 8>> values;
  for (const std::string& name : kernel.reference.arguments) {
    const Argument* argument = kernel.find_argument(name);
    if (argument && argument->role == Role::scalar) {
      values.push_back(scalar_bytes(argument->type, argument->value->evaluate(constants)));
      continue;
    }
    const MemorySpan span = buffers.at(name);
    auto& copy = copies[name];
    copy.resize(span.bytes);
    device.download(copy, span);
    void* address = copy.data();
    values.emplace_back();
    std::memcpy(values.back().data(), &address, sizeof address);
  }
  std::vector<void*> pointers;
  for (auto& value : values) pointers.push_back(value.data());
  function.call(kernel.reference.function, pointers);
  for (const Argument& argument : kernel.arguments)
    if (argument.is_output() && copies.contains(argument.name))
      device.upload(buffers.at(argument.name), copies.at(argument.name));
}

}  // namespace

void run_reference(const KernelTemplate& kernel, const NamedValues& constants,
                   const std::map<std::string, MemorySpan>& buffers, Device& device, Compiler& compiler,
                   const BackendOptions& options) {
  if (kernel.reference.default_configuration) {
    NamedValues scope = constants;
    scope.insert(scope.end(), kernel.default_values.begin(), kernel.default_values.end());
    run_kernels(kernel, scope, buffers, device, compiler);
    return;
  }
  if (kernel.reference.function.empty())
    run_kernels(kernel, constants, buffers, device, compiler);
  else
    run_function(kernel, constants, buffers, device, options);
}

}  // namespace warptune
