// Reads the declarators of variables and enumerators from their tokens.
#include "tuner/kernel/draft/facts/named_constants.h"

#include <algorithm>

namespace warptune::tuner::draft {

namespace {

bool is_integer_constant(TokenSpan tokens) {
  if (!contains_word(tokens, "const") && !contains_word(tokens, "constexpr")) return false;
  return std::ranges::none_of(
      tokens, [](const SourceToken& token) { return token.is("float") || token.is("double") || token.is("["); });
}

// Reads a declarator with a value: int NAME = 3, NAME{3}, NAME = {3}.
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

// Reads enumerators: enum { A = 4, B } has B = 4 + 1. Those of an `enum class` are no numbers, and are left out.
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

// Returns the declarations within a type's braces, without what its functions hold.
std::vector<TokenSpan> declarations_in(TokenSpan body) {
  std::vector<TokenSpan> declarations;
  for (std::size_t at = 0; at < body.size();) {
    std::size_t end = at;
    while (end < body.size() && !body[end].is(";") && !body[end].is("{")) ++end;
    const bool is_function =
        end > at && end < body.size() && body[end].is("{") && contains_word(body.subspan(at, end - at), "(");
    if (end < body.size() && body[end].is("{")) end = closing(body, end) + (is_function ? 0 : 1);
    if (end >= body.size()) break;
    declarations.push_back(body.subspan(at, end - at));
    at = end + 1;
  }
  return declarations;
}

}  // namespace

std::vector<NamedConstant> member_constants(const SourceItem& item, TokenSpan tokens) {
  const auto open = std::ranges::find_if(tokens, [](const SourceToken& token) { return token.is("{"); });
  const auto begin = static_cast<std::size_t>(open - tokens.begin());
  const bool is_type = item.kind == SourceItem::Kind::type && tokens.size() > 3 &&
                       (tokens[0].is("struct") || tokens[0].is("class")) && begin > 1 && open != tokens.end();
  if (!is_type) return {};
  const std::string scope = tokens[1].text + "::";
  const std::size_t close = std::min(closing(tokens, begin), tokens.size());
  std::vector<NamedConstant> constants;
  for (TokenSpan part : declarations_in(tokens.subspan(begin + 1, close - begin - 1))) {
    while (part.size() > 2 && part[1].is(":")) part = part.subspan(2);  // public:
    const bool is_static = contains_word(part, "static") && is_integer_constant(part);
    const auto read = part.empty()         ? std::vector<NamedConstant>()
                      : part[0].is("enum") ? read_enumerators(part)
                      : is_static          ? read_variables(part)
                                           : std::vector<NamedConstant>();
    constants.insert(constants.end(), read.begin(), read.end());
  }
  // The members' values may be made of other members: total = rows * size.
  const std::vector<NamedConstant> all = constants;
  const Replacement own = [&](const std::string& name) -> std::optional<CExpression> {
    const auto sibling = std::ranges::find(all, name, &NamedConstant::name);
    return sibling == all.end() ? std::nullopt : std::optional(sibling->value);
  };
  for (NamedConstant& constant : constants) {
    constant.value = simplified(replaced(constant.value, own));
    constant.name = scope + constant.name;
  }
  return constants;
}

std::vector<NamedConstant> named_constants(const SourceItem& item, TokenSpan tokens) {
  if (item.kind == SourceItem::Kind::type && tokens.size() > 2 && tokens[0].is("enum")) return read_enumerators(tokens);
  const bool is_constant =
      item.kind == SourceItem::Kind::variable && !contains_word(tokens, "__constant__") && is_integer_constant(tokens);
  return is_constant ? read_variables(tokens) : std::vector<NamedConstant>();
}

}  // namespace warptune::tuner::draft
