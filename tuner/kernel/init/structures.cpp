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

// Adds what `float x, y;` declares to the element; false for what is no number or of another type.
bool add_member(TokenSpan member, std::string& type, std::int64_t& count) {
  auto parts = split_at_commas(member);
  std::size_t words = 0;
  while (words < parts[0].size() && parts[0][words].kind == SourceToken::Kind::word) ++words;
  if (words < 2) return false;
  const std::string written = text_of_tokens(parts[0].subspan(0, words - 1));
  if (!element_of(written) || (!type.empty() && type != written)) return false;
  type = written;
  parts[0] = parts[0].subspan(words - 1);
  return std::ranges::all_of(parts, [&](TokenSpan declarator) {
    const std::int64_t numbers = numbers_in(declarator);
    count += numbers;
    return numbers > 0;
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
  std::string type;
  std::int64_t count = 0;
  for (std::size_t at = begin + 1; at < close;) {
    std::size_t end = at;
    while (end < close && !tokens[end].is(";")) ++end;
    if (end == at || !add_member(tokens.subspan(at, end - at), type, count)) return std::nullopt;
    at = end + 1;
  }
  const auto element = element_of(type);
  if (!element || count == 0) return std::nullopt;
  return std::pair(name, Element{element->type, element->count * count});
}

}  // namespace warptune::tuner::init
