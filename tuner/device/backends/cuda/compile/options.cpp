// Sorts a request's options into architectures and others, and appends defines and folders. Scans the files that a
// request can reach, to see which headers it needs and which it has.
#include "tuner/device/backends/cuda/compile/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "tuner/device/compile/device_headers.h"
#include "tuner/device/compile/include_scan.h"
#include "tuner/device/compile/standard_headers.h"
#include "tuner/device/compile/tuned_file.h"
#include "tuner/system/files.h"

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

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> cuda_runtime_headers = {"cuda.h", "cuda_runtime.h", "cuda_runtime_api.h",
                                                                  "device_launch_parameters.h", "driver_types.h"};

// Returns lines that include the headers which options have read before the source.
std::string first_include_lines(const std::vector<std::string>& options) {
  std::string lines;
  for (const std::string& header : file_options(options).first_includes) lines += "#include \"" + header + "\"\n";
  return lines;
}

bool is_in(const std::vector<fs::path>& folders, std::string_view name) {
  std::error_code error;
  return std::ranges::any_of(folders,
                             [&](const fs::path& folder) { return fs::is_regular_file(folder / name, error); });
}

bool has_name(const fs::path& file, const std::string& name) {
  return file.string().ends_with('/' + name);
}

}  // namespace

GivenHeaders::GivenHeaders(const CompileRequest& request, const std::vector<fs::path>& toolkit_includes) {
  std::string roots = first_include_lines(request.options) + request.source;
  for (const auto& [name, text] : request.defines) roots += "\n#define " + name + ' ' + text;
  std::set<std::string> included;
  const auto note = [&](const std::string& text) {
    for (const IncludeName& include : scan_includes(text).names) included.insert(include.name);
  };
  std::map<fs::path, std::string> marked;  // texts of files that begin with a byte order mark
  const auto read = [&](const fs::path& file) {
    auto bytes = read_bytes(file);
    if (!bytes) return bytes;
    note(*bytes);
    if (bytes->starts_with(byte_order_mark)) marked[file] = without_byte_order_mark(*bytes);
    return bytes;
  };
  note(roots);
  const auto files = reachable_files({{roots, {}}}, request.include_directories, read);
  for (const std::string& name : included)
    if (is_standard_header(name) && !standard_header_texts().contains(name)) give(name, standard_header_text(name));
  if (!included.empty()) give_standard_headers(files);
  for (const std::string& name : included)
    if (const auto given = headers_.find(name); given != headers_.end()) included_text_ += given->second;
  give_cuda_headers(request, toolkit_includes);
  give_own_headers(request);
  for (const std::string& name : included)
    for (const auto& [file, text] : marked)
      if (has_name(file, name)) give(name, text);
}

void GivenHeaders::give(const std::string& name, std::string text) {
  headers_[name] = kept_.emplace_back(std::move(text)).c_str();
}

// Gives all standard headers that no file has, because CUDA's own headers may include more than the request does.
void GivenHeaders::give_standard_headers(const std::vector<fs::path>& files) {
  for (const auto& [name, text] : standard_header_texts()) headers_.try_emplace(name, text.c_str());
  std::erase_if(headers_, [&](const auto& header) {
    return std::ranges::any_of(files, [&](const fs::path& file) { return has_name(file, header.first); });
  });
}

void GivenHeaders::give_cuda_headers(const CompileRequest& request, const std::vector<fs::path>& toolkit_includes) {
  for (const std::string_view name : cuda_runtime_headers)
    if (!is_in(request.include_directories, name) && !is_in(toolkit_includes, name)) headers_.emplace(name, "\n");
}

void GivenHeaders::give_own_headers(const CompileRequest& request) {
  if (!request.root.empty()) return;
  for (const DeviceHeader& header : device_headers())
    if (!is_in(request.include_directories, header.name) && !headers_.contains(std::string(header.name)))
      give(std::string(header.name), std::string(header.text));
}

std::vector<const char*> GivenHeaders::names() const {
  std::vector<const char*> names;
  for (const auto& [name, text] : headers_) names.push_back(name.c_str());
  return names;
}

std::vector<const char*> GivenHeaders::texts() const {
  std::vector<const char*> texts;
  for (const auto& [name, text] : headers_) texts.push_back(text);
  return texts;
}

}  // namespace warptune::tuner::cuda
