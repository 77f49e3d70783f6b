// Expands includes line by line, and then appends what the scan of include_scan.h finds besides.
#include "tuner/device/compile/include_text.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "tuner/device/compile/device_headers.h"
#include "tuner/device/compile/include_scan.h"
#include "tuner/device/compile/tuned_file.h"
#include "tuner/system/files.h"

namespace warptune::tuner {
namespace {

namespace fs = std::filesystem;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string content(const fs::path& file) {
  return read_file(file).value_or("");
}

class Expansion {
 public:
  Expansion(const CompileRequest& request, const std::vector<fs::path>& toolkit_includes)
      : request_(request), folders_(request.include_directories) {
    folders_.insert(folders_.end(), toolkit_includes.begin(), toolkit_includes.end());
    for (const auto& [name, text] : request.defines) {
      given_.insert(name);
      text_ += "#define " + name + " " + text + "\n";
    }
    const IncludeRoot defines{text_, {}};
    append(request.source, {});
    append_hidden({defines, {request.source, {}}});
  }

  std::string take() { return std::move(text_); }

 private:
  void append(std::string_view source, const fs::path& folder) {
    while (!source.empty()) {
      const auto end = std::min(source.find('\n'), source.size());
      append_line(source.substr(0, end), folder);
      source.remove_prefix(std::min(end + 1, source.size()));
    }
  }

  void append_line(std::string_view line, const fs::path& folder) {
    if (const auto include = parse(line)) {
      if (const auto file = find(*include, folder); file && append_file(*include, *file)) return;
      if (const DeviceHeader* own = own_header(include->name)) return append_own(*own);
    }
    text_.append(line).push_back('\n');
  }

  // Returns false for a file that is as good as not there: the file of the kernel's own winners, where its parameters
  // are given.
  bool append_file(const IncludeName& include, const fs::path& file) {
    const std::string whole = content(file);
    const std::string_view part = text_when_tuning(whole, given_);
    const bool is_new = seen_.insert(file).second;
    if (part.empty() && !whole.empty()) return false;
    text_ += "// " + include.name + "\n";
    if (is_new) append(part, file.parent_path());
    return true;
  }

  // Returns Warptune's own header of this name. A session's copy holds those that it knows of, and there are no others
  // for it.
  const DeviceHeader* own_header(std::string_view name) const {
    return request_.root.empty() ? find_device_header(name) : nullptr;
  }

  void append_own(const DeviceHeader& header) {
    text_.append("// ").append(header.name).push_back('\n');
    if (seen_.insert(header.name).second) append(header.text, {});
  }

  // Appends what the request's folders hold for includes that no plain line shows: by macro, after a comment, over two
  // lines.
  void append_hidden(const std::vector<IncludeRoot>& roots) {
    const auto read = [](const fs::path& file) -> std::optional<std::string> { return content(file); };
    for (const fs::path& file : reachable_files(roots, request_.include_directories, read)) {
      const auto found = existing(file);
      if (found && seen_.insert(*found).second)
        text_ += "// " + file.filename().string() + "\n" + content(*found) + "\n";
    }
    if (!request_.root.empty() || text_.find("warptune/device/") == std::string::npos) return;
    for (const DeviceHeader& header : device_headers()) append_own(header);
  }

  std::optional<IncludeName> parse(std::string_view line) const {
    line = trimmed(line);
    if (!line.starts_with('#')) return std::nullopt;
    line = trimmed(line.substr(1));
    if (!line.starts_with("include")) return std::nullopt;
    line = trimmed(line.substr(7));
    if (auto include = bracketed_name(line)) return include;
    for (const auto& [name, text] : request_.defines)
      if (line == name) return bracketed_name(trimmed(text));
    return std::nullopt;
  }

  std::optional<fs::path> find(const IncludeName& include, const fs::path& folder) const {
    if (include.quoted && !folder.empty())
      if (const auto file = existing(folder / include.name)) return file;
    for (const auto& each : folders_)
      if (const auto file = existing(each / include.name)) return file;
    return std::nullopt;
  }

  static std::optional<fs::path> existing(const fs::path& file) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) return std::nullopt;
    const auto resolved = fs::canonical(file, error);
    return error ? file : resolved;
  }

  const CompileRequest& request_;
  std::vector<fs::path> folders_;
  std::set<std::string> given_;
  std::set<fs::path> seen_;
  std::string text_;
};

}  // namespace

std::string include_text(const CompileRequest& request, const std::vector<fs::path>& toolkit_includes) {
  return Expansion(request, toolkit_includes).take();
}

}  // namespace warptune::tuner
