#include "tuner/kernel/init/named_constants.h"

#include <algorithm>

namespace warptune::tuner::init {

namespace {

bool is_integer_constant(TokenSpan tokens) {
  if (!contains_word(tokens, "const") && !contains_word(tokens, "constexpr")) return false;
  return std::ranges::none_of(
      tokens, [](const SourceToken& token) { return token.is("float") || token.is("double") || token.is("["); });
}

// int NAME = 3, NAME{3}, NAME = {3}
std::optional<NamedConstant> read_declarator(TokenSpan tokens) {
  std::size_t at = 0;
  while (at < tokens.size() && !tokens[at].is("=") && !tokens[at].is("{")) ++at;
  if (at == 0 || at >= tokens.size() || tokens[at - 1].kind != SourceToken::Kind::word) return std::nullopt;
  TokenSpan value = tokens.subspan(tokens[at].is("=") ? at + 1 : at);
  if (value.size() > 2 && value.front().is("{") && value.back().is("}")) value = value.subspan(1, value.size() - 2);
  const auto expression = parse_c(value);
  if (!expression) return std::nullopt;
  return NamedConstant{tokens[at - 1].text, simplified(*expression), tokens[at - 1].line};
}

std::vector<NamedConstant> read_variables(TokenSpan tokens) {
  std::vector<NamedConstant> constants;
  const bool ends = !tokens.empty() && tokens.back().is(";");
  const auto parts = split_at_commas(tokens.first(tokens.size() - (ends ? 1 : 0)));
  for (const TokenSpan part : parts)
    if (auto constant = read_declarator(part)) {
      constant->gives_way = parts.size() == 1;
      constants.push_back(std::move(*constant));
    }
  return constants;
}

// enum { A = 4, B } has B = 4 + 1. Those of an `enum class` are no numbers.
std::vector<NamedConstant> read_enumerators(TokenSpan tokens) {
  const auto open = std::ranges::find_if(tokens, [](const SourceToken& token) { return token.is("{"); });
  if (open == tokens.end() || tokens[1].is("class") || tokens[1].is("struct")) return {};
  const auto begin = static_cast<std::size_t>(open - tokens.begin());
  const std::size_t close = closing(tokens, begin);
  std::vector<NamedConstant> constants;
  CExpression next = CExpression::integer(0);
  for (const TokenSpan part : split_at_commas(tokens.subspan(begin + 1, std::min(close, tokens.size()) - begin - 1))) {
    if (part.empty()) continue;
    auto constant = read_declarator(part);
    if (!constant && part.size() > 1) return constants;
    if (!constant) constant = NamedConstant{part.front().text, next, part.front().line, false, true};
    next = simplified(CExpression::binary("+", constant->value, CExpression::integer(1)));
    constants.push_back(std::move(*constant));
  }
  return constants;
}

}  // namespace

std::vector<NamedConstant> named_constants(const SourceItem& item, TokenSpan tokens) {
  if (item.kind == SourceItem::Kind::type && tokens.size() > 2 && tokens[0].is("enum")) return read_enumerators(tokens);
  const bool is_constant =
      item.kind == SourceItem::Kind::variable && !contains_word(tokens, "__constant__") && is_integer_constant(tokens);
  return is_constant ? read_variables(tokens) : std::vector<NamedConstant>();
}

}  // namespace warptune::tuner::init
