// toml++ limits brackets, but not the parts of a dotted key. It recurses over the tables that those make, as does what
// reads its tree: a text of 200 kB exhausted the stack. Its behaviour is undefined for letters such as é where a key
// may begin (version 3.3: its table of white space). Rejected: patching the library, or another library, which the
// distribution does not have.
//
// Strings and comments are skipped as TOML has them. In a text that is no TOML this may go astray, but not before the
// place where the parser stops.
#include "tuner/kernel/manifest/toml_check.h"

#include <algorithm>
#include <cctype>

#include "tuner/system/files.h"

namespace warptune::tuner {

namespace {

constexpr int most_brackets = 32;
constexpr int most_dots = 15;

// Returns the end of the string that begins at `begin` with a quote, or of the text.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const bool escapes = quote == '"';
  const bool lines = text.substr(begin, 3) == std::string_view(escapes ? "\"\"\"" : "'''");
  for (std::size_t i = begin + (lines ? 3 : 1); i < text.size(); ++i) {
    if (escapes && text[i] == '\\') {
      ++i;
    } else if (lines && text.substr(i, 3) == text.substr(begin, 3)) {
      i += 3;
      for (int more = 0; more < 2 && i < text.size() && text[i] == quote; ++more) ++i;  // "two"""""
      return i;
    } else if (!lines && (text[i] == quote || text[i] == '\n')) {
      return i + 1;
    }
  }
  return text.size();
}

bool in_key(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == ' ' || c == '\t';
}

std::size_t line_of(std::string_view text, std::size_t place) {
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, place), '\n'));
}

}  // namespace

std::optional<TomlFault> toml_fault(std::string_view toml) {
  int brackets = 0, dots = 0;
  for (std::size_t i = toml.starts_with(byte_order_mark) ? byte_order_mark.size() : 0; i < toml.size();) {
    const char c = toml[i];
    std::size_t next = i + 1;
    if (c == '"' || c == '\'') {
      next = end_of_string(toml, i);
    } else if (c == '#') {
      next = std::min(toml.find('\n', i), toml.size());
    } else if (c == '.') {
      ++dots;
    } else if (!in_key(c)) {
      dots = 0;
      brackets += (c == '[' || c == '{') - (c == ']' || c == '}');
    }
    if (brackets > most_brackets || dots > most_dots)
      return TomlFault{line_of(toml, i), "tables or arrays nest too deep"};
    if (static_cast<unsigned char>(c) >= 0x80)
      return TomlFault{line_of(toml, i), "a character beyond ASCII stands outside of strings and comments"};
    i = next;
  }
  return std::nullopt;
}

}  // namespace warptune::tuner
