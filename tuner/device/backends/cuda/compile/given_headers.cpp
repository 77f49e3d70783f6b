// Scans the files that a request can reach, to see which headers it needs and which it has.
#include "tuner/device/backends/cuda/compile/given_headers.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "tuner/device/compile/device_headers.h"
#include "tuner/device/compile/file_options.h"
#include "tuner/device/compile/include_scan.h"
#include "tuner/device/compile/standard_headers.h"
#include "tuner/system/read_file.h"

namespace warptune::tuner::cuda {

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
