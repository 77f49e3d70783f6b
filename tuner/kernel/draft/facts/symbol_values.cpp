// Looks for the last value that the copied variable has before the copy, in the function first, then in the file.
#include "tuner/kernel/draft/facts/symbol_values.h"

#include <algorithm>

#include "search/expression/expression.h"

namespace warptune::tuner::draft {

namespace {

using Word = SourceToken::Kind;

constexpr std::size_t most_values = 4096;

// Returns the value of a number, or of arithmetic of numbers and of the source's own constants.
std::optional<std::string> number_text(const SourceFacts& facts, TokenSpan tokens) {
  if (tokens.size() == 1 && (tokens[0].is("true") || tokens[0].is("false"))) return tokens[0].is("true") ? "1" : "0";
  auto parsed = parse_c(tokens);
  if (!parsed) return std::nullopt;
  const CExpression known = simplified(replaced(*parsed, [&](const std::string& name) -> std::optional<CExpression> {
    if (const NamedInteger* integer = facts.find_integer(name)) return CExpression::integer(integer->value);
    const auto derived = facts.derived.find(name);
    return derived == facts.derived.end() ? std::nullopt : std::optional(derived->second);
  }));
  const auto text = names_in(known).empty() ? manifest_text(known) : std::nullopt;
  if (!text) return std::nullopt;
  try {
    return search::to_text(search::Expression::parse(*text).evaluate(search::NamedValues{}));
  } catch (const search::ExpressionError&) {
    return std::nullopt;
  }
}

// Adds all numbers within braces, in the order of memory where every row is whole. Returns false if one is not known.
bool add_numbers(const SourceFacts& facts, TokenSpan tokens, std::vector<std::string>& values) {
  if (!tokens.empty() && tokens.front().is("{") && closing(tokens, 0) + 1 == tokens.size()) {
    for (const TokenSpan part : split_at_commas(tokens.subspan(1, tokens.size() - 2)))
      if (!part.empty() && !add_numbers(facts, part, values)) return false;
    return true;
  }
  auto number = number_text(facts, tokens);
  if (!number || values.size() == most_values) return false;
  values.push_back(std::move(*number));
  return true;
}

// Returns what follows `NAME =`, `NAME[…] =` or stands in braces behind the name, up to the end of the declarator.
TokenSpan value_at(TokenSpan tokens, std::size_t at) {
  const std::size_t begin = at + (tokens[at].is("=") ? 1 : 0);
  std::size_t end = begin;
  for (; end < tokens.size() && !tokens[end].is(";") && !tokens[end].is(","); ++end)
    if (tokens[end].is("(") || tokens[end].is("[") || tokens[end].is("{")) end = closing(tokens, end);
  return tokens.subspan(begin, std::min(end, tokens.size()) - begin);
}

// Returns the value that the variable was given last in these tokens; an empty one where something else was done to it.
std::optional<TokenSpan> last_value(TokenSpan tokens, const std::string& name) {
  for (std::size_t at = tokens.size(); at-- > 0;) {
    const bool is_member = at > 0 && (tokens[at - 1].is(".") || tokens[at - 1].is("->"));
    if (!tokens[at].is(name) || is_member) continue;
    std::size_t behind = at + 1;
    while (behind < tokens.size() && tokens[behind].is("[")) behind = closing(tokens, behind) + 1;
    if (behind + 1 >= tokens.size()) continue;
    const bool is_element = behind > at + 1;
    const bool is_value = tokens[behind].is("=") || tokens[behind].is("{");
    const bool is_list = tokens[behind].is("{") || tokens[behind + 1].is("{");
    if (is_value && (is_list || !is_element)) return value_at(tokens, behind);
    const bool steps = (tokens[behind].is("+") || tokens[behind].is("-")) && tokens[behind + 1].is(tokens[behind].text);
    const bool changes = tokens[behind + 1].is("=") && !tokens[behind].is("<") && !tokens[behind].is(">") &&
                         !tokens[behind].is("!") && tokens[behind].kind == Word::sign;
    if (is_value || steps || changes) return TokenSpan();
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<std::string>> copied_values(const SourceFacts& facts, const SymbolCopy& copy) {
  for (const SourceToken& token : copy.from) {
    if (token.kind != Word::word) continue;
    auto value = last_value(copy.function->body.first(copy.place), token.text);
    for (const SourceItem& item : facts.outline.items)
      if (!value && item.kind == SourceItem::Kind::variable) value = last_value(facts.outline.tokens(item), token.text);
    if (!value) continue;
    std::vector<std::string> values;
    if (value->empty() || !add_numbers(facts, *value, values)) return std::nullopt;
    return values;
  }
  return std::nullopt;
}

}  // namespace warptune::tuner::draft
