// Scans the directives of a source, follows the names that they include from file to file, and knows the options of
// GCC, Clang and NVRTC that name files.
#include "tuner/device/compile/include_scan.h"

#include <algorithm>
#include <array>
#include <deque>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "tuner/system/files.h"

namespace warptune::tuner {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_headers_a_folder = 4096;

using Tokens = std::span<const SourceToken>;

void take_name(Tokens tokens, IncludeScan& scan) {
  if (auto name = include_name(tokens))
    scan.names.push_back(std::move(*name));
  else
    scan.computed = true;
}

// Takes any text of a macro's body that could be a header's name.
void take_names_in(Tokens body, IncludeScan& scan) {
  for (std::size_t at = 0; at < body.size(); ++at)
    if (auto name = include_name(body.subspan(at))) scan.names.push_back(std::move(*name));
}

void take_has_include(Tokens line, IncludeScan& scan) {
  for (std::size_t at = 0; at + 1 < line.size(); ++at)
    if ((line[at].is("__has_include") || line[at].is("__has_include_next")) && line[at + 1].is("("))
      take_name(line.subspan(at + 2), scan);
}

// Takes the names in a directive. `line` is what follows its '#'.
void take_directive(Tokens line, IncludeScan& scan) {
  if (line.empty()) return;
  const SourceToken& word = line.front();
  if (word.is("include") || word.is("include_next") || word.is("import")) return take_name(line.subspan(1), scan);
  if (word.is("define")) take_names_in(line.subspan(1), scan);
  take_has_include(line, scan);
}

bool looks_like_header(const fs::path& file) {
  static constexpr std::array<std::string_view, 18> suffixes = {".h",   ".hh",  ".hpp", ".hxx", ".cuh", ".cu",
                                                                ".inc", ".inl", ".def", ".tpp", ".ipp", ".tcc",
                                                                ".c",   ".cc",  ".cpp", ".cxx", ".txx", ".impl"};
  return std::ranges::find(suffixes, file.extension().string()) != suffixes.end();
}

void append_headers_below(const fs::path& folder, std::deque<fs::path>& waiting) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (found.size() == most_headers_a_folder) return;  // no folder of headers: somebody's whole disk
    if (it->path().filename().string().starts_with('.') && it->is_directory(error)) it.disable_recursion_pending();
    if (looks_like_header(it->path()) && it->is_regular_file(error)) found.push_back(it->path());
  }
  std::ranges::sort(found);
  waiting.insert(waiting.end(), found.begin(), found.end());
}

class Reach {
 public:
  Reach(const std::vector<fs::path>& folders, const std::function<std::optional<std::string>(const fs::path&)>& read)
      : folders_(folders), read_(read) {}

  void follow(const IncludeRoot& root) { look(scan_includes(root.text), root.folder); }

  std::vector<fs::path> run() {
    while (!waiting_.empty()) {
      const fs::path file = waiting_.front().lexically_normal();
      waiting_.pop_front();
      if (!seen_.insert(file).second) continue;
      const auto text = read_(file);
      if (!text) continue;
      found_.push_back(file);
      look(scan_includes(*text), file.parent_path());
    }
    return std::move(found_);
  }

 private:
  // A quoted name may be in its includer's folder or in those of the request; which of them a compiler takes depends
  // on how it came there, so all count.
  void look(const IncludeScan& scan, const fs::path& folder) {
    for (const IncludeName& name : scan.names) {
      if (!folder.empty()) wait_for(folder / name.name);
      for (const fs::path& each : folders_) wait_for(each / name.name);
    }
    if (scan.computed && !std::exchange(computed_, true))
      for (const fs::path& each : folders_) append_headers_below(each, waiting_);
  }

  void wait_for(const fs::path& file) {
    if (is_file(file)) waiting_.push_back(file);
  }

  const std::vector<fs::path>& folders_;
  const std::function<std::optional<std::string>(const fs::path&)>& read_;
  std::deque<fs::path> waiting_;
  std::set<fs::path> seen_;
  std::vector<fs::path> found_;
  bool computed_ = false;
};

}  // namespace

std::optional<IncludeName> bracketed_name(std::string_view text) {
  if (text.empty() || (text.front() != '"' && text.front() != '<')) return std::nullopt;
  const bool quoted = text.front() == '"';
  const auto end = text.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos || end == 1) return std::nullopt;
  return IncludeName{std::string(text.substr(1, end - 1)), quoted};
}

std::optional<IncludeName> include_name(std::span<const SourceToken> tokens) {
  if (tokens.empty()) return std::nullopt;
  if (tokens.front().kind == SourceToken::Kind::text) return bracketed_name(tokens.front().text);
  if (!tokens.front().is("<")) return std::nullopt;
  std::string text;
  for (const SourceToken& token : tokens) text += token.text;
  return bracketed_name(text);
}

IncludeScan scan_includes(std::string_view text) {
  const std::vector<SourceToken> tokens = source_tokens(text);
  IncludeScan scan;
  for (std::size_t at = 0; at < tokens.size();) {
    std::size_t end = at + 1;
    while (end < tokens.size() && !tokens[end].first) ++end;
    if (tokens[at].is("#")) take_directive(Tokens(tokens).subspan(at + 1, end - at - 1), scan);
    at = end;
  }
  return scan;
}

std::vector<fs::path> reachable_files(const std::vector<IncludeRoot>& roots, const std::vector<fs::path>& folders,
                                      const std::function<std::optional<std::string>(const fs::path&)>& read) {
  Reach reach(folders, read);
  for (const IncludeRoot& root : roots) reach.follow(root);
  return reach.run();
}

namespace {

// Returns the value of an option of one of these names, in one word ("-Ifolder", "--include-path=folder") or in the
// next.
std::optional<std::string> value_of(const std::vector<std::string>& options, std::size_t& at,
                                    std::initializer_list<std::string_view> names) {
  const std::string& option = options[at];
  for (const std::string_view name : names) {
    if (!option.starts_with(name)) continue;
    std::string_view rest = std::string_view(option).substr(name.size());
    if (rest.empty() && at + 1 < options.size()) return options[++at];
    if (rest.starts_with('=')) rest.remove_prefix(1);
    const bool is_letter = name == "-I";  // the others' values do not follow without a sign
    if (!rest.empty() && (is_letter || option[name.size()] == '=')) return std::string(rest);
  }
  return std::nullopt;
}

}  // namespace

FileOptions file_options(const std::vector<std::string>& options) {
  FileOptions result;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (const auto header = value_of(options, i, {"-include", "--pre-include"}))
      result.first_includes.push_back(*header);
    else if (const auto folder = value_of(options, i, {"--include-path", "-isystem", "-iquote", "-idirafter", "-I"}))
      result.include_directories.push_back(*folder);
    else
      result.others.push_back(options[i]);
  }
  return result;
}

}  // namespace warptune::tuner
