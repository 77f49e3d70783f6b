// Turns the options, parameters and variants of a template into requests.
#include "tuner/kernel/source/compile_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "tuner/device/compile/source_tokens.h"
#include "tuner/kernel/evaluation.h"
#include "tuner/kernel/kernel_names.h"
#include "tuner/kernel/program.h"
#include "tuner/kernel/source/program_text.h"
#include "tuner/system/files.h"

namespace warptune::tuner {

namespace {

std::string read_source(const std::filesystem::path& file) {
  auto text = read_file(file);
  if (!text) throw std::runtime_error(fmt::format("cannot read the kernel source {}", file.string()));
  return std::move(*text);
}

void add_define(CompileRequest& request, const std::string& name, const search::Value& value) {
  const bool* flag = std::get_if<bool>(&value);
  request.defines.emplace_back(name, flag ? (*flag ? "1" : "0") : search::to_text(value));
}

void add_variants(CompileRequest& request, const KernelTemplate& kernel, const search::NamedValues& scope) {
  for (const search::Parameter& variant : kernel.variants) {
    const search::Value* value = search::find_value(scope, variant.name);
    if (!value) throw std::invalid_argument(fmt::format("{} needs its variant {}", kernel.name, variant.name));
    add_define(request, variant.name, *value);
  }
}

std::string source_text(const KernelTemplate& kernel, const std::filesystem::path& source, const std::string& name,
                        const std::set<std::string>& tuned) {
  const std::string text = read_source(source);
  // The kernel's own source may have any ending; a reference in C++ is no CUDA program.
  const bool is_cuda = source == kernel.source || source.extension() == ".cu" || source.extension() == ".cuh";
  if (!kernel.whole_program || !is_cuda) return text;
  // Headers have names like "saxpy/check.h" wherever the template lies, so that the text that is compiled is the same.
  const auto name_of_header = [&](const std::filesystem::path& header) {
    return (std::filesystem::path(kernel.name) / header.lexically_relative(source.parent_path()))
        .lexically_normal()
        .string();
  };
  return program_text(source, text, kernel.given_macros(), name, name_of_header,
                      launched_kernels({&kernel.launches, &kernel.reference.launches}), tuned);
}

CompileRequest base_request(const KernelTemplate& kernel, const std::filesystem::path& source,
                            const std::string& backend, const search::NamedValues& scope,
                            const std::set<std::string>& tuned = {}) {
  CompileRequest request;
  request.name = kernel.name + "/" + source.filename().string();
  for (const std::string& header : kernel.first_includes) request.source += fmt::format("#include \"{}\"\n", header);
  if (!request.source.empty()) request.source += fmt::format("#line 1 \"{}\"\n", request.name);
  request.source += source_text(kernel, source, request.name, tuned);
  request.root = kernel.root;
  for (const std::string& option : options_for(kernel, backend)) {
    // A reference has no configuration: it is compiled as the default is.
    const std::string text = with_values(with_values(option, scope), kernel.default_values);
    if (!text.empty()) request.options.push_back(text);
  }
  request.include_directories = kernel.include_directories;
  add_variants(request, kernel, scope);
  return request;
}

// Returns whether a launch happens in no pass. Then its kernel need not even be there.
bool never_runs(const Launch& launch, const search::NamedValues& scope) {
  if (!launch.when || std::ranges::find(launch.when->names(), "pass") != launch.when->names().end()) return false;
  try {
    return !search::truth(launch.when->evaluate(scope));
  } catch (const search::ExpressionError&) {  // the plan will report it
    return false;
  }
}

void add_kernels(CompileRequest& request, const std::vector<Launch>& launches, const search::NamedValues& scope) {
  for (const Launch& launch : launches) {
    if (!launch.is_kernel() || never_runs(launch, scope)) continue;
    const std::string name = kernel_name(launch, scope);
    if (std::find(request.kernels.begin(), request.kernels.end(), name) == request.kernels.end())
      request.kernels.push_back(name);
  }
}

}  // namespace

std::vector<std::string> options_for(const KernelTemplate& kernel, const std::string& backend) {
  std::vector<std::string> options = kernel.options;
  if (const auto more = kernel.backend_options.find(backend); more != kernel.backend_options.end())
    options.insert(options.end(), more->second.begin(), more->second.end());
  return options;
}

CompileRequest compile_request(const KernelTemplate& kernel, const std::string& backend,
                               const search::NamedValues& configuration, const search::NamedValues& scope) {
  CompileRequest request = base_request(kernel, kernel.source, backend, scope, kernel.given_macros());
  for (const auto& [name, value] : configuration) add_define(request, name, value);
  for (const auto& [name, expression] : kernel.defines)
    add_define(request, name, value_at(expression, scope, "defines." + name));
  add_kernels(request, kernel.launches, scope);
  for (const Argument& argument : kernel.arguments)
    if (!argument.symbol.empty()) request.symbols.push_back(argument.symbol);
  for (const std::string& name : kernel.scratch_variables) request.symbols.push_back(name);
  return request;
}

std::vector<CompileRequest> compile_requests(const KernelTemplate& kernel, const std::string& backend,
                                             const search::NamedValues& configuration,
                                             const search::NamedValues& scope) {
  if (kernel.program) return kernel.program->requests(scope);
  return {compile_request(kernel, backend, configuration, scope)};
}

CompileRequest reference_compile_request(const KernelTemplate& kernel, const std::string& backend,
                                         const search::NamedValues& scope) {
  if (kernel.reference.default_configuration) return compile_request(kernel, backend, kernel.default_values, scope);
  CompileRequest request = base_request(kernel, kernel.reference.source, backend, scope);
  add_kernels(request, kernel.reference.launches, scope);
  return request;
}

CompileRequest function_compile_request(const KernelTemplate& kernel, const HostFunction& function,
                                        const search::NamedValues& scope) {
  CompileRequest request = base_request(kernel, function.source, "host", scope);
  request.kernels = {function.name};
  return request;
}

}  // namespace warptune::tuner
