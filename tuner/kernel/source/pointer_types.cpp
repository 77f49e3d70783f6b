// Reads the types of parameters word by word.
#include "tuner/kernel/source/pointer_types.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune::tuner {

namespace {

using Words = std::multiset<std::string, std::less<>>;

bool is_qualifier(const SourceToken& token) {
  static constexpr std::array<std::string_view, 6> words = {"const",      "volatile", "__restrict__",
                                                            "__restrict", "restrict", "__grid_constant__"};
  return std::ranges::any_of(words, [&](std::string_view word) { return token.is(word); });
}

// Returns the type that one word names.
std::optional<ElementType> element_of_name(std::string_view word) {
  using enum ElementType;
  static const std::map<std::string_view, ElementType> names = {
      {"float", f32},          {"double", f64},  {"half", f16},     {"__half", f16},   {"nv_bfloat16", bf16},
      {"__nv_bfloat16", bf16}, {"bool", u8},     {"int16_t", i16},  {"uint16_t", u16}, {"int32_t", i32},
      {"uint32_t", u32},       {"int64_t", i64}, {"uint64_t", u64}, {"ushort", u16},   {"uint", u32},
      {"ulong", u64},          {"size_t", u64},  {"ptrdiff_t", i64}};
  const auto found = names.find(word);
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

// Returns the type of "unsigned long long int" and the like, with the words in any order. `long` has 64 bits wherever
// Warptune runs.
std::optional<ElementType> integer_of(const Words& words) {
  static constexpr std::array<std::string_view, 5> known = {"int", "unsigned", "signed", "short", "long"};
  if (words.empty() || std::ranges::any_of(words, [&](const std::string& word) {
        return std::ranges::find(known, word) == known.end();
      }))
    return std::nullopt;
  const bool is_unsigned = words.contains("unsigned");
  if (words.contains("long")) return is_unsigned ? ElementType::u64 : ElementType::i64;
  if (words.contains("short")) return is_unsigned ? ElementType::u16 : ElementType::i16;
  return is_unsigned ? ElementType::u32 : ElementType::i32;
}

std::optional<ElementType> element_of_words(const Words& type) {
  const auto one = type.size() == 1 ? element_of_name(*type.begin()) : std::nullopt;
  return one ? one : integer_of(type);
}

}  // namespace

// The last word is the name. So a parameter without a name has no type here, but for `unsigned int` and the like.
std::optional<ElementType> scalar_element(TokenSpan parameter, const IsRedefined& is_redefined) {
  Words type;
  for (std::size_t at = 0; at + 1 < parameter.size(); ++at) {
    const SourceToken& token = parameter[at];
    if (is_qualifier(token) || token.is("std") || token.is("::")) continue;
    if (token.kind != SourceToken::Kind::word || is_redefined(token.text)) return std::nullopt;
    type.insert(token.text);
  }
  const bool is_named = !parameter.empty() && parameter.back().kind == SourceToken::Kind::word;
  return is_named ? element_of_words(type) : std::nullopt;
}

std::optional<ElementType> pointed_element(TokenSpan parameter, const IsRedefined& is_redefined) {
  Words type;
  std::size_t at = 0;
  std::size_t names = 0;  // how many follow the type
  for (; at < parameter.size() && !parameter[at].is("*") && !parameter[at].is("["); ++at) {
    const SourceToken& token = parameter[at];
    if (is_qualifier(token) || token.is("std") || token.is("::")) continue;
    if (token.kind != SourceToken::Kind::word || is_redefined(token.text)) return std::nullopt;
    type.insert(token.text);
  }
  if (at == parameter.size()) return std::nullopt;
  if (parameter[at].is("[")) {  // float x[16]: one pointer, and the name is before it
    const std::size_t close = closing(parameter, at);
    if (close + 1 != parameter.size() || at == 0) return std::nullopt;
    const auto name = type.find(parameter[at - 1].text);
    if (name != type.end()) type.erase(name);
  } else {
    for (++at; at < parameter.size(); ++at) {
      if (is_qualifier(parameter[at])) continue;
      if (parameter[at].kind != SourceToken::Kind::word || ++names > 1) return std::nullopt;
    }
  }
  return element_of_words(type);
}

bool fits_pointer(ElementType buffer, ElementType pointed) {
  const std::size_t bytes = size_bytes(buffer), taken = size_bytes(pointed);
  if (bytes == 1 && taken == 4) return !is_floating(pointed);
  if (bytes != taken) return false;
  const bool is_unsigned = pointed == ElementType::u32 || pointed == ElementType::u64;
  if (is_floating(buffer) != is_floating(pointed)) return bytes == 2 || (is_floating(buffer) && is_unsigned);
  return !is_floating(buffer) || buffer == pointed;
}

}  // namespace warptune::tuner
