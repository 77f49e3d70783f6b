// Decodes UTF-8 as RFC 3629 defines it: it accepts no overlong forms, no surrogates and nothing beyond U+10FFFF.
#include "search/plain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace warptune::search {

namespace {

struct Character {
  std::size_t bytes = 1;
  std::uint32_t code = 0;
  bool valid = false;
};

Character decode(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {1, first, true};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = first & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return {};
    code = code << 6 | (next & 0x3fu);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {bytes, code, true};
}

bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

// Returns whether a character is a mark, an embedding, an override or an isolate of bidirectional text, or one of the
// two line separators of Unicode.
bool moves_text(std::uint32_t code) {
  return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

// Returns the escape sequence of a character. It is \u where JSON allows the character as it is, and \x elsewhere. JSON
// knows \u and not \x, so JSON in which these characters stand as they are stays JSON.
std::string escaped(const Character& character, std::uint32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  return character.valid && code > 0x20 ? fmt::format("\\u{:04x}", code) : fmt::format("\\x{:02x}", code);
}

bool is_plain(unsigned char c) {
  return c >= 0x20 && c < 0x7f;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character character = decode(text);
    result += character.valid ? text.substr(0, character.bytes) : std::string_view("\xef\xbf\xbd");
    text.remove_prefix(character.bytes);
  }
  return result;
}

std::string printable(std::string_view text, Lines lines) {
  if (std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character character = decode(text);
    const std::uint32_t code = character.valid ? character.code : static_cast<unsigned char>(text[0]);
    const bool kept = lines == Lines::keep && (code == '\n' || code == '\t' || text.starts_with("\r\n"));
    if (kept || (character.valid && !is_control(code) && !moves_text(code)))
      result += text.substr(0, character.bytes);
    else
      result += escaped(character, code);
    text.remove_prefix(character.bytes);
  }
  return result;
}

std::string with_ascii_signs(std::string text) {
  static constexpr std::pair<std::string_view, std::string_view> signs[] = {
      {"\u00b1 ", "+-"}, {"\u00b1", "+-"}, {"\u00b5", "u"}, {"\u00d7", "x"}, {"\u2026", "..."}};
  for (const auto& [sign, plain] : signs)
    for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at + plain.size()))
      text.replace(at, sign.size(), plain);
  return text;
}

std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

std::string upper_case(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

std::string three_digits(double number) {
  const double size = std::abs(number);
  if (size == 0 || !std::isfinite(number)) return fmt::format("{}", number);
  if (size < 1e-3) return fmt::format("{:.2e}", number);
  int decimals = 5;
  for (double limit = 0.009995; decimals > 0 && size >= limit; limit *= 10) --decimals;
  return fmt::format("{:.{}f}", number, decimals);
}

}  // namespace warptune::search
