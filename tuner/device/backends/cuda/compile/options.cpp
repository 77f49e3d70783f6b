// Sorts a request's options into architectures and others, and appends defines and folders.
#include "tuner/device/backends/cuda/compile/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "tuner/device/compile/tuned_file.h"

namespace warptune::tuner::cuda {
namespace {

std::optional<std::string_view> architecture_option(std::string_view option) {
  for (const std::string_view name : {"--gpu-architecture=", "-arch="})
    if (option.starts_with(name)) return option.substr(name.size());
  return std::nullopt;
}

// Returns whether an architecture is a variant of another: "sm_90a" is of "sm_90", as "sm_90" itself is, and "sm_100"
// is not of "sm_10".
bool is_variant(std::string_view candidate, std::string_view architecture) {
  if (!candidate.starts_with(architecture)) return false;
  const auto suffix = candidate.substr(architecture.size());
  return suffix.empty() || suffix == "a" || suffix == "f";
}

// Returns whether an option ("--pre-include=FILE", "-include FILE") has a header read before the source's first line.
bool has_header_before_source(const CompileRequest& request) {
  return std::ranges::any_of(request.options, [](const std::string& option) {
    return option.starts_with("--pre-include") || option.starts_with("-include");
  });
}

}  // namespace

std::string define_lines(const CompileRequest& request) {
  std::string lines;
  if (has_header_before_source(request)) return lines;
  for (const auto& [name, text] : request.defines) lines += "#define " + name + ' ' + text + '\n';
  return lines;
}

std::vector<std::string> compiler_options(const CompileRequest& request, const std::string& architecture,
                                          const std::vector<std::filesystem::path>& toolkit_includes) {
  std::string chosen = architecture;
  std::vector<std::string> options;
  for (const auto& option : request.options) {
    const auto wanted = architecture_option(option);
    if (!wanted) options.push_back(option);
    if (wanted && is_variant(*wanted, architecture)) chosen = *wanted;
  }
  options.insert(options.begin(), "--gpu-architecture=" + chosen);
  options.push_back(fmt::format("--define-macro={}=1", tuning_macro));
  if (has_header_before_source(request))
    for (const auto& [name, text] : request.defines) options.push_back("--define-macro=" + name + "=" + text);
  for (const auto& folder : request.include_directories) options.push_back("--include-path=" + folder.string());
  for (const auto& folder : toolkit_includes) options.push_back("--include-path=" + folder.string());
  return options;
}

std::string chosen_architecture(const std::vector<std::string>& options) {
  return std::string(architecture_option(options.front()).value_or(""));
}

}  // namespace warptune::tuner::cuda
