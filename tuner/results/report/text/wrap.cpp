// Breaks lines behind spaces and commas. Rejected: Unicode's rules for breaking lines (ICU), because what is printed is
// names, configurations and messages of compilers.
#include "tuner/results/report/text/wrap.h"

#include <algorithm>

namespace warptune::tuner {

namespace {

// Returns the end of the character that begins here.
std::size_t next_character(const std::string& text, std::size_t at) {
  do ++at;
  while (at < text.size() && (text[at] & 0xc0) == 0x80);
  return at;
}

// Returns where the line that begins here ends: behind the last space or comma that fits, or in the middle of a word.
std::size_t line_end(const std::string& text, std::size_t begin, std::size_t width) {
  std::size_t at = begin, good = begin;
  for (std::size_t count = 0; at < text.size() && count < width; ++count) {
    at = next_character(text, at);
    if (text[at - 1] == ',' || text[at - 1] == ' ' || at == text.size() || text[at] == ' ') good = at;
  }
  return at == text.size() || good == begin ? at : good;
}

void add_lines(std::string text, std::size_t width, std::vector<std::string>& lines) {
  if (width == 0 || text_width(text) <= width) return lines.push_back(std::move(text));
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = line_end(text, begin, width);
    const std::string line = text.substr(begin, end - begin);
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
    begin = std::min(text.find_first_not_of(' ', end), text.size());
  }
}

}  // namespace

std::size_t text_width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    add_lines(text.substr(begin, end - begin), width, lines);
    begin = end + 1;
  }
  return lines;
}

std::string wrapped_text(const std::string& text, std::size_t width, std::size_t indentation) {
  constexpr std::size_t least = 20;  // a narrower column reads worse than a line that is too long
  const std::size_t room = width == 0 ? 0 : std::max(width, indentation + least) - indentation;
  std::string result;
  for (const std::string& line : wrapped(text, room))
    result += (result.empty() ? "" : '\n' + std::string(indentation, ' ')) + line;
  return result;
}

}  // namespace warptune::tuner
