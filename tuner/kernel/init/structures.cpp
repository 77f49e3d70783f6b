#include "tuner/kernel/init/structures.h"

#include <algorithm>

#include "tuner/kernel/init/c_expression.h"

namespace warptune::tuner::init {

namespace {

// How many numbers `x, y[3]` are; 0 if it is something else.
std::int64_t numbers_in(TokenSpan declarator) {
  std::int64_t count = 1;
  for (std::size_t at = 1; at < declarator.size();) {
    const std::size_t close = declarator[at].is("[") ? closing(declarator, at) : declarator.size();
    if (close >= declarator.size()) return 0;
    const auto extent = parse_c(declarator.subspan(at + 1, close - at - 1));
    if (!extent || !extent->is_integer() || extent->value < 1 || extent->value > 4096) return 0;
    count *= extent->value;
    at = close + 1;
  }
  return declarator.empty() || declarator[0].kind != SourceToken::Kind::word ? 0 : count;
}

// Numbers that lie between its beginnings at least: of float4 and double2, not of float3.
std::int64_t alignment_of(const Element& element) {
  return element.count == 2 || element.count == 4 ? element.count : 1;
}

// Adds what `float3 x, y;` declares to the whole; false for what is no number, of another type, or behind a gap.
bool add_member(TokenSpan member, Element& whole, std::int64_t& alignment) {
  auto parts = split_at_commas(member);
  std::size_t words = 0;
  while (words < parts[0].size() && parts[0][words].kind == SourceToken::Kind::word) ++words;
  if (words < 2) return false;
  const std::string written = text_of_tokens(parts[0].subspan(0, words - 1));
  const auto element = element_of(written);
  if (!element || (whole.count > 0 && whole.type != element->type)) return false;
  whole.type = element->type;
  const std::int64_t own = alignment_of(*element);
  alignment = std::max(alignment, own);
  parts[0] = parts[0].subspan(words - 1);
  return std::ranges::all_of(parts, [&](TokenSpan declarator) {
    const bool gap = whole.count % own != 0;
    const std::int64_t numbers = numbers_in(declarator);
    whole.count += numbers * element->count;
    return numbers > 0 && !gap;
  });
}

}  // namespace

std::optional<std::pair<std::string, Element>> read_structure(TokenSpan tokens) {
  const auto open = std::ranges::find_if(tokens, [](const SourceToken& token) { return token.is("{"); });
  const auto begin = static_cast<std::size_t>(open - tokens.begin());
  const std::size_t close = open == tokens.end() ? tokens.size() : closing(tokens, begin);
  if (close >= tokens.size() || begin == 0 || !contains_word(tokens.subspan(0, begin), "struct")) return std::nullopt;
  const bool is_named_behind = tokens[0].is("typedef") && close + 1 < tokens.size();
  const std::string name = tokens[is_named_behind ? close + 1 : begin - 1].text;
  Element whole{.count = 0};
  std::int64_t alignment = 1;
  for (std::size_t at = begin + 1; at < close;) {
    std::size_t end = at;
    while (end < close && !tokens[end].is(";")) ++end;
    if (end == at || !add_member(tokens.subspan(at, end - at), whole, alignment)) return std::nullopt;
    at = end + 1;
  }
  if (whole.count == 0 || whole.count % alignment != 0) return std::nullopt;
  return std::pair(name, whole);
}

}  // namespace warptune::tuner::init
