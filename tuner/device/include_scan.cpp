#include "tuner/device/include_scan.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <deque>
#include <set>
#include <system_error>
#include <utility>

namespace warptune::tuner {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_headers_a_folder = 4096;

// Lines as the preprocessor joins them, with the trigraphs that matter to directives replaced.
std::string spliced(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool trigraph = text.substr(i).starts_with("?\?/");
    if (text[i] == '\\' || trigraph) {
      const auto end = text.find_first_not_of(" \t\r", i + (trigraph ? 3 : 1));
      if (end != std::string_view::npos && text[end] == '\n') {
        i = end;
        continue;
      }
    }
    if (text.substr(i).starts_with("?\?=")) {
      result += '#';
      i += 2;
      continue;
    }
    result += text[i];
  }
  return result;
}

// R"mark( … )mark"; the position behind it, or nothing if no raw string begins here.
std::optional<std::size_t> behind_raw_string(std::string_view text, std::size_t quote) {
  if (quote == 0 || text[quote - 1] != 'R') return std::nullopt;
  const auto open = text.find('(', quote);
  if (open == std::string_view::npos || open - quote > 17) return std::nullopt;
  const std::string close = ")" + std::string(text.substr(quote + 1, open - quote - 1)) + "\"";
  const auto end = text.find(close, open);
  return end == std::string_view::npos ? text.size() : end + close.size();
}

// A string or a character; one that its line does not close ends there: an apostrophe between digits begins none.
std::size_t behind_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
      continue;
    }
    if (text[i] == quote) return i + 1;
    if (text[i] == '\n') return i;
  }
  return text.size();
}

// A comment becomes a space; newlines in one do not end a directive.
std::string without_comments_of(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i).starts_with("/*")) {
      const auto end = text.find("*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + 2;
      result += ' ';
    } else if (text[i] == '"' || text[i] == '\'') {
      const auto raw = text[i] == '"' ? behind_raw_string(text, i) : std::nullopt;
      const std::size_t end = raw ? *raw : behind_literal(text, i);
      // What a raw string holds is no directive.
      result += raw ? std::string("\"\"") : std::string(text.substr(i, end - i));
      i = end;
    } else {
      result += text[i++];
    }
  }
  return result;
}

std::string_view skip_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\f\v");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

std::string_view word_at(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
  return text.substr(0, end);
}

// What follows the '#' of a directive, or nothing.
std::optional<std::string_view> directive_of(std::string_view line) {
  line = skip_blanks(line);
  if (line.starts_with('#')) return skip_blanks(line.substr(1));
  if (line.starts_with("%:")) return skip_blanks(line.substr(2));
  return std::nullopt;
}

void take_name(std::string_view text, IncludeScan& scan) {
  if (auto name = bracketed_name(skip_blanks(text)))
    scan.names.push_back(std::move(*name));
  else
    scan.computed = true;
}

// Any text of a macro's body that could be a header's name.
void take_names_in(std::string_view body, IncludeScan& scan) {
  for (std::size_t at = body.find_first_of("\"<"); at != std::string_view::npos; at = body.find_first_of("\"<", at + 1))
    if (auto name = bracketed_name(body.substr(at))) scan.names.push_back(std::move(*name));
}

void take_has_include(std::string_view line, IncludeScan& scan) {
  constexpr std::string_view word = "__has_include";
  for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    std::string_view rest = line.substr(at + word.size());
    if (rest.starts_with("_next")) rest.remove_prefix(5);
    rest = skip_blanks(rest);
    if (rest.starts_with('(')) take_name(rest.substr(1), scan);
  }
}

void take_line(std::string_view line, IncludeScan& scan) {
  const auto directive = directive_of(line);
  if (!directive) return;
  const std::string_view word = word_at(*directive);
  const std::string_view rest = directive->substr(word.size());
  if (word == "include" || word == "include_next" || word == "import") return take_name(rest, scan);
  if (word == "define") take_names_in(rest, scan);
  take_has_include(*directive, scan);
}

bool is_file(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error);
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

IncludeScan scan_includes(std::string_view text) {
  const std::string plain = without_comments_of(spliced(text));
  IncludeScan scan;
  for (std::string_view rest = plain; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    take_line(rest.substr(0, end), scan);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return scan;
}

std::vector<fs::path> reachable_files(const std::vector<IncludeRoot>& roots, const std::vector<fs::path>& folders,
                                      const std::function<std::optional<std::string>(const fs::path&)>& read) {
  Reach reach(folders, read);
  for (const IncludeRoot& root : roots) reach.follow(root);
  return reach.run();
}

}  // namespace warptune::tuner
