// Runs references of all kinds: CUDA kernels, C++ functions, a program's function, data, or the default configuration.
#include "tuner/measure/verification/reference.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/kernel/data/fill_content.h"
#include "tuner/kernel/plan.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/program.h"
#include "tuner/kernel/source/compile_requests.h"
#include "tuner/measure/memory/bound_plan.h"
#include "tuner/measure/memory/module_state.h"
#include "tuner/measure/verification/host_function.h"
#include "tuner/measure/verification/workload.h"

namespace warptune::tuner {

namespace {

constexpr std::string_view default_as_reference = ", which is its reference,";

std::string description_of_reference(const KernelTemplate& kernel) {
  if (kernel.reference.default_configuration) return default_in_words(kernel);
  return fmt::format("the reference {} of {}", kernel.shown(kernel.reference.source).string(), kernel.name);
}

MachineCode compile_reference(const KernelTemplate& kernel, const search::NamedValues& constants,
                              const std::string& backend, Compiler& compiler, const BackendOptions& options) {
  const AnnouncedStep step(options, description_of_reference(kernel), true);
  const CompileResult result = compiler.compile(reference_compile_request(kernel, backend, constants));
  if (result.code) return *result.code;
  throw WorkloadError(fmt::format("{} does not compile with {}:\n{}", description_of_reference(kernel),
                                  compiler.version(), result.log));
}

void run_kernels(const KernelTemplate& kernel, const search::NamedValues& constants,
                 const std::map<std::string, MemorySpan>& buffers, SupportKernels& kernels, Compiler& compiler,
                 const BackendOptions& options, std::optional<MachineCode>& code) {
  Device& device = kernels.device();
  if (!code) code = compile_reference(kernel, constants, device.info().backend, compiler, options);
  const auto module = device.load(*code);
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
  const AnnouncedStep step(options, description_of_reference(kernel), false);
  BoundPlan(std::move(plan), *module, {find, {}}, device, kernels).run();
  device.synchronize();
}

// Returns whether the reference's data cover all outputs, so that no kernel has to run.
bool data_covers(const KernelTemplate& kernel, const search::NamedValues& constants) {
  return std::ranges::all_of(kernel.arguments, [&](const Argument& argument) {
    return !argument.is_output() || kernel.reference.data.contains(argument.name) ||
           (argument.counts && search::to_integer(argument.counts->evaluate(constants)) == 0);
  });
}

void put_data(const KernelTemplate& kernel, const search::NamedValues& constants,
              const std::map<std::string, MemorySpan>& buffers, SupportKernels& kernels) {
  for (const auto& [name, fill] : kernel.reference.data) {
    const Argument& argument = *kernel.find_argument(name);
    const std::size_t elements = plan_buffer(argument, constants).elements;
    if (const auto content = fill_content(fill, argument.reference_type, elements))
      kernels.device().upload(buffers.at(name), *content);
    else
      kernels.fill(buffers.at(name), argument.reference_type, elements, fill);
  }
  kernels.device().synchronize();
}

void run_default(const KernelTemplate& kernel, const search::NamedValues& constants,
                 const std::map<std::string, MemorySpan>& buffers, SupportKernels& kernels, Compiler& compiler,
                 const BackendOptions& options, std::optional<MachineCode>& code) {
  const search::NamedValues scope = scope_of(constants, kernel.default_values);
  if (!data_covers(kernel, constants)) run_kernels(kernel, scope, buffers, kernels, compiler, options, code);
  put_data(kernel, constants, buffers, kernels);
}

// Calls the program's reference function with copies of the buffers. Outputs are zero at first, whatever the memory
// holds.
void run_function(const KernelTemplate& kernel, const std::map<std::string, MemorySpan>& buffers, Device& device) {
  BufferContents contents;
  for (const Argument& argument : kernel.arguments) {
    const MemorySpan buffer = buffers.at(argument.name);
    contents[argument.name].resize(buffer.bytes);
    if (argument.role != Role::output) device.download(contents[argument.name], buffer);
  }
  try {
    kernel.program->reference(contents);
  } catch (const std::exception& error) {
    throw WorkloadError(fmt::format("the reference function of {} failed: {}", kernel.name, error.what()));
  }
  for (const Argument& argument : kernel.arguments)
    if (argument.is_output()) device.upload(buffers.at(argument.name), contents.at(argument.name));
}

}  // namespace

void run_reference(const KernelTemplate& kernel, const search::NamedValues& constants,
                   const std::map<std::string, MemorySpan>& buffers, SupportKernels& kernels, Compiler& compiler,
                   HostFunctions& functions, const BackendOptions& options, std::optional<MachineCode>& code) {
  if (kernel.program) return run_function(kernel, buffers, kernels.device());
  if (kernel.reference.default_configuration) {
    run_default(kernel, constants, buffers, kernels, compiler, options, code);
    return;
  }
  if (!kernel.reference.function) {
    run_kernels(kernel, constants, buffers, kernels, compiler, options, code);
    return;
  }
  std::set<std::string> outputs;
  for (const Argument& argument : kernel.arguments)
    if (argument.is_output()) outputs.insert(argument.name);
  const auto results = functions.call(*kernel.reference.function, buffers, outputs, true);
  for (const auto& [name, bytes] : results) kernels.device().upload(buffers.at(name), bytes.span());
}

std::string default_in_words(const KernelTemplate& kernel) {
  return fmt::format("the default configuration of {}{}", kernel.name, default_as_reference);
}

bool is_default_as_reference(std::string_view step) {
  return step.ends_with(default_as_reference);
}

}  // namespace warptune::tuner
