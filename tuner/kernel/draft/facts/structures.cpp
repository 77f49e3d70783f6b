// Splits a structure into its declarations, and adds up the numbers that they declare.
#include "tuner/kernel/draft/facts/structures.h"

#include <algorithm>
#include <cctype>

#include "tuner/kernel/draft/expressions/c_expression.h"
#include "tuner/kernel/draft/facts/member_functions.h"
#include "tuner/kernel/draft/facts/source_facts.h"

namespace warptune::tuner::draft {

namespace {

// Returns how many numbers a declarator such as `x` or `y[3]` is; 0 if it is something else.
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

// Returns the alignment of an element, counted in its numbers: 4 for float4 and 2 for double2, but 1 for float3.
std::int64_t alignment_of(const Element& element) {
  return element.count == 2 || element.count == 4 ? element.count : 1;
}

// Adds what `float3 x, y;` declares to the whole. Returns false for what is no number, of another type, or behind a
// gap.
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

// Declarations holds the name of a structure, and its members' declarations without their semicolons.
struct Declarations {
  std::string name;
  std::vector<TokenSpan> members;
};

std::optional<Declarations> read_declarations(TokenSpan tokens) {
  const auto open = std::ranges::find_if(tokens, [](const SourceToken& token) { return token.is("{"); });
  const auto begin = static_cast<std::size_t>(open - tokens.begin());
  const std::size_t close = open == tokens.end() ? tokens.size() : closing(tokens, begin);
  if (close >= tokens.size() || begin == 0 || !contains_word(tokens.subspan(0, begin), "struct")) return std::nullopt;
  const bool is_named_behind = tokens[0].is("typedef") && close + 1 < tokens.size();
  Declarations result{tokens[is_named_behind ? close + 1 : begin - 1].text, {}};
  if (contains_word(tokens, "virtual")) return std::nullopt;  // adds a pointer
  for (std::size_t at = begin + 1; at < close;) {
    const auto function = end_of_member_function(tokens.first(close), at, result.name);
    if (!function) return std::nullopt;
    if (*function > at) {
      at = *function;
      continue;
    }
    std::size_t end = at;
    while (end < close && !tokens[end].is(";")) ++end;
    if (end == at) return std::nullopt;
    result.members.push_back(tokens.subspan(at, end - at));
    at = end + 1;
  }
  return result;
}

// Adds the members of `const float *a, *b`. It reads each declarator behind the words that stand before the first.
// Returns false if a member is no number or pointer to numbers.
bool add_members(TokenSpan declaration, std::vector<FunctionParameter>& members) {
  const auto parts = split_at_commas(declaration);
  std::size_t words = 0;
  while (words < parts[0].size() && parts[0][words].kind == SourceToken::Kind::word) ++words;
  if (words == 0) return false;
  const bool is_value = words == parts[0].size();
  const std::vector<SourceToken> type(declaration.begin(),
                                      declaration.begin() + static_cast<std::ptrdiff_t>(words - (is_value ? 1 : 0)));
  return std::ranges::all_of(parts, [&](TokenSpan part) {
    std::vector<SourceToken> tokens = type;
    tokens.insert(tokens.end(), part.begin() + (part.data() == parts[0].data() ? std::ssize(type) : 0), part.end());
    const auto read = read_parameters(tokens);
    const bool plain = std::ranges::all_of(
        tokens, [](const SourceToken& token) { return token.kind == SourceToken::Kind::word || token.is("*"); });
    if (!plain || read.size() != 1 || read[0].name.empty() || read[0].pointers > 1) return false;
    const auto element = element_of(read[0].type);
    if (!element || (read[0].pointers == 0 && element->count != 1)) return false;
    members.push_back(read[0]);
    return true;
  });
}

}  // namespace

std::optional<std::pair<std::string, Element>> read_structure(TokenSpan tokens) {
  const auto declarations = read_declarations(tokens);
  if (!declarations) return std::nullopt;
  Element whole{.count = 0};
  std::int64_t alignment = 1;
  for (const TokenSpan member : declarations->members)
    if (!add_member(member, whole, alignment)) return std::nullopt;
  if (whole.count == 0 || whole.count % alignment != 0) return std::nullopt;
  return std::pair(declarations->name, whole);
}

std::optional<std::pair<std::string, std::vector<FunctionParameter>>> read_members(TokenSpan tokens) {
  const auto declarations = read_declarations(tokens);
  std::vector<FunctionParameter> members;
  if (!declarations) return std::nullopt;
  for (const TokenSpan member : declarations->members)
    if (!add_members(member, members)) return std::nullopt;
  return std::pair(declarations->name, std::move(members));
}

std::vector<FunctionParameter> members_of_vector(const std::string& type) {
  const auto element = element_of(type);
  std::vector<FunctionParameter> members;
  if (!element || element->count < 2 || element->count > 4 || !std::isdigit(static_cast<unsigned char>(type.back())))
    return members;
  for (std::int64_t i = 0; i < element->count; ++i)
    members.push_back({.name = std::string(1, "xyzw"[i]), .type = type.substr(0, type.size() - 1)});
  return members;
}

}  // namespace warptune::tuner::draft
