// Reads logs by hand and not by regular expressions, because file names may hold anything, and std::regex overflows the
// stack on long lines.
#include "tuner/device/compile/compiler_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

namespace warptune::tuner {

namespace {

std::string_view stripped(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

std::vector<std::string_view> log_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

struct Place {
  std::string_view file;
  std::string_view line;
};

std::string text_of(const Place& place) {
  return fmt::format("{}:{}", place.file, place.line);
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// Cuts a number as in ":12" off the text's end, and returns it.
std::optional<std::string_view> cut_number(std::string_view& text) {
  const auto colon = text.rfind(':');
  if (colon == text.npos || !is_digits(text.substr(colon + 1))) return std::nullopt;
  const std::string_view number = text.substr(colon + 1);
  text = text.substr(0, colon);
  return number;
}

// Reads a place: "kernel.cu(3)", "kernel.cu:3:35", "./helper.cuh:3".
std::optional<Place> place_of(std::string_view text) {
  Place place;
  if (text.ends_with(')')) {
    const auto bracket = text.rfind('(');
    if (bracket == text.npos) return std::nullopt;
    place = {text.substr(0, bracket), text.substr(bracket + 1, text.size() - bracket - 2)};
    if (!is_digits(place.line)) return std::nullopt;
  } else {
    const auto last = cut_number(text);
    if (!last) return std::nullopt;
    place.line = cut_number(text).value_or(*last);  // a column may follow the line
    place.file = text;
  }
  if (place.file.starts_with("./")) place.file.remove_prefix(2);
  return place.file.empty() ? std::nullopt : std::optional(place);
}

// Returns whether it is a line that asks for a kernel by its name. "kernel name NAME" is the host's, and
// "__nv_name_map" is NVRTC's.
bool asks_for_a_kernel(const Place& place) {
  return place.file.starts_with("kernel name ") || place.file.starts_with("symbol name ") ||
         place.file == "__nv_name_map";
}

bool is_users(const Place& place) {
  static constexpr std::array<std::string_view, 4> foreign{"warptune/", "__nv_", "<", "/usr/"};
  if (asks_for_a_kernel(place)) return false;
  if (place.file.find("/cuda") != place.file.npos && place.file.find("/include/") != place.file.npos) return false;
  return std::ranges::none_of(foreign, [&](std::string_view start) { return place.file.starts_with(start); });
}

struct Diagnostic {
  std::optional<Place> place;
  std::string_view message;
};

// Returns the place before "error" and what follows it: "kernel.cu(3): error: …", "kernel.cu:3:35: fatal error: …",
// "error: …", "ptxas error   : …".
std::optional<Diagnostic> error_in(std::string_view line) {
  static constexpr std::array<std::string_view, 3> kinds{"catastrophic error", "fatal error", "error"};
  for (const std::string_view kind : kinds) {
    const auto at = line.find(kind);
    if (at == line.npos) continue;
    const std::string_view before = stripped(line.substr(0, at)), behind = line.substr(at + kind.size());
    const auto colon = behind.find(':');
    const std::string_view number = stripped(behind.substr(0, std::min(colon, behind.size())));
    if (colon == behind.npos || (!number.empty() && number.front() != '#')) continue;  // "2 errors detected in …"
    if (!before.empty() && before != "ptxas" && !before.ends_with(':')) continue;
    Diagnostic found{std::nullopt, stripped(behind.substr(colon + 1))};
    if (before.ends_with(':')) found.place = place_of(before.substr(0, before.size() - 1));
    return found;
  }
  return std::nullopt;
}

// Returns the user's line that an error elsewhere comes from. Logs name it before the error in
// "kernel.cu:6:46:   required from here" (g++), and behind it in "kernel.cu:6:42: note: in instantiation of …"
// (clang++) or "… at line 6 of kernel.cu" (NVRTC).
std::optional<Place> origin_in(std::string_view line) {
  for (const std::string_view words : {":   required from here", ": note: in instantiation of", ": note: while "})
    if (const auto at = line.find(words); at != line.npos)
      if (const auto place = place_of(line.substr(0, at)); place && is_users(*place)) return place;
  static constexpr std::string_view of_line = " at line ", of = " of ";
  const auto at = line.rfind(of_line);
  if (at == line.npos) return std::nullopt;
  const std::string_view rest = line.substr(at + of_line.size());
  const auto middle = rest.find(of);
  if (middle == rest.npos || !is_digits(rest.substr(0, middle))) return std::nullopt;
  std::string_view file = stripped(rest.substr(middle + of.size()));
  if (file.starts_with('"')) file = file.substr(1, file.rfind('"') - 1);
  const Place place{file, rest.substr(0, middle)};
  return is_users(place) ? std::optional(place) : std::nullopt;
}

// Appends details to the message. NVRTC goes on with what it found instead, in lines that are indented more than the
// source's.
std::string with_details(std::string_view message, const std::vector<std::string_view>& lines, std::size_t at) {
  static constexpr std::string_view indent = "            ";
  std::string text(message);
  for (std::size_t i = at + 1; i < lines.size() && lines[i].starts_with(indent); ++i) {
    const std::string_view detail = stripped(lines[i]);
    if (detail.find("types are") == detail.npos && detail.find("type is") == detail.npos) break;
    text += fmt::format("; {}", detail);
  }
  return text;
}

std::optional<Place> origin_of(const std::vector<std::string_view>& lines, std::size_t error) {
  for (std::size_t i = error + 1; i < lines.size() && !error_in(lines[i]); ++i)
    if (const auto place = origin_in(lines[i])) return place;
  for (std::size_t i = error; i > 0 && !error_in(lines[i - 1]); --i)
    if (const auto place = origin_in(lines[i - 1])) return place;
  return std::nullopt;
}

std::string without_users_file(const Diagnostic& error, const std::vector<std::string_view>& lines, std::size_t at) {
  const std::string message = with_details(error.message, lines, at);
  if (error.place && asks_for_a_kernel(*error.place)) return fmt::format("no such name in the source: {}", message);
  if (const auto origin = origin_of(lines, at)) return fmt::format("{}: {}", text_of(*origin), message);
  return message;
}

std::string first_words(const std::vector<std::string_view>& lines) {
  for (const std::string_view line : lines)
    if (const std::string_view text = stripped(line); !text.empty()) return std::string(text);
  return {};
}

}  // namespace

std::string first_error(std::string_view log) {
  const std::vector<std::string_view> lines = log_lines(log);
  std::string elsewhere;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto error = error_in(lines[i]);
    if (!error) continue;
    if (error->place && is_users(*error->place))
      return fmt::format("{}: {}", text_of(*error->place), with_details(error->message, lines, i));
    if (elsewhere.empty()) elsewhere = without_users_file(*error, lines, i);
  }
  return elsewhere.empty() ? first_words(lines) : elsewhere;
}

std::string_view without_last_newlines(std::string_view log) {
  return log.substr(0, log.find_last_not_of('\n') + 1);
}

std::string missing_header(std::string_view log) {
  struct Words {
    std::string_view before, after;
  };
  // These are NVRTC's, g++'s and clang++'s words.
  static constexpr std::array<Words, 3> words{{{"cannot open source file \"", "\""},
                                               {"fatal error: ", ": No such file or directory"},
                                               {"fatal error: '", "' file not found"}}};
  for (const std::string_view line : log_lines(log))
    for (const auto& [before, after] : words) {
      const auto at = line.find(before);
      if (at == line.npos) continue;
      const std::string_view rest = line.substr(at + before.size());
      if (const auto end = rest.find(after); end != rest.npos) return std::string(rest.substr(0, end));
    }
  return {};
}

std::string failure_text(const search::Trial& trial) {
  if (trial.outcome == search::Outcome::compile_error) return first_error(trial.message);
  return first_words(log_lines(trial.message));
}

}  // namespace warptune::tuner
