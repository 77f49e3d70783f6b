// Replaces calls in tokens, up to a few levels deep. Rejected: following functions of several statements, of which an
// index is seldom made.
#include "tuner/kernel/draft/facts/member_functions.h"

#include <algorithm>
#include <map>
#include <optional>

#include "tuner/kernel/draft/facts/source_facts.h"

namespace warptune::tuner::draft {

namespace {

using Word = SourceToken::Kind;

constexpr int most_nested_calls = 4;  // of functions that call each other

bool stands_at(TokenSpan tokens, std::size_t at, std::string_view text) {
  return at < tokens.size() && tokens[at].is(text);
}

// Adds the names that a declaration such as `int nx, ny[2] = {}` declares.
void add_names(TokenSpan declaration, std::set<std::string>& names) {
  for (const TokenSpan part : split_at_commas(declaration)) {
    std::string name;
    for (const SourceToken& token : part) {
      if (token.is("[") || token.is("=") || token.is("{")) break;
      if (token.kind == Word::word) name = token.text;
    }
    if (!name.empty()) names.insert(name);
  }
}

// Reads a function such as `int index(int x, int y) const { return y * nx + x; }`. Returns nothing if it does more than
// return an expression.
std::optional<MemberFunction> read_function(TokenSpan tokens, const std::string& structure) {
  const auto open = std::ranges::find(tokens, "(", &SourceToken::text);
  const auto at = static_cast<std::size_t>(open - tokens.begin());
  const std::size_t close = open == tokens.end() ? tokens.size() : closing(tokens, at);
  if (close >= tokens.size() || at == 0 || contains_word(tokens, "operator")) return std::nullopt;
  std::size_t brace = close + 1;
  while (brace < tokens.size() && !tokens[brace].is("{")) ++brace;
  if (!stands_at(tokens, brace + 1, "return")) return std::nullopt;
  std::size_t end = brace + 2;
  while (end < tokens.size() && !tokens[end].is(";")) ++end;
  if (!stands_at(tokens, end + 1, "}")) return std::nullopt;
  MemberFunction function{structure, tokens[at - 1].text, {}, {}, {}};
  for (const FunctionParameter& parameter : read_parameters(tokens.subspan(at + 1, close - at - 1)))
    function.parameters.push_back(parameter.name);
  function.value.assign(tokens.begin() + static_cast<std::ptrdiff_t>(brace) + 2,
                        tokens.begin() + static_cast<std::ptrdiff_t>(end));
  return function;
}

void read_structure_functions(TokenSpan tokens, std::vector<MemberFunction>& functions) {
  const auto open = std::ranges::find(tokens, "{", &SourceToken::text);
  const auto begin = static_cast<std::size_t>(open - tokens.begin());
  const std::size_t close = open == tokens.end() ? tokens.size() : closing(tokens, begin);
  if (close >= tokens.size() || begin == 0) return;
  const std::string& name = tokens[begin - 1].text;
  std::set<std::string> members;
  std::vector<MemberFunction> found;
  for (std::size_t at = begin + 1; at < close;) {
    const auto behind = end_of_member_function(tokens.first(close), at, name);
    if (behind && *behind > at) {
      if (auto function = read_function(tokens.subspan(at, *behind - at), name)) found.push_back(std::move(*function));
      at = *behind;
      continue;
    }
    std::size_t end = at;
    while (end < close && !tokens[end].is(";")) ++end;
    if (behind) add_names(tokens.subspan(at, end - at), members);
    at = end + 1;
  }
  for (MemberFunction& function : found) {
    function.members = members;
    functions.push_back(std::move(function));
  }
}

class CallReplacer {
 public:
  CallReplacer(TokenSpan all, const std::vector<MemberFunction>& functions) : functions_(functions) {
    for (std::size_t at = 0; at + 1 < all.size(); ++at) {
      const bool is_type = std::ranges::find(functions, all[at].text, &MemberFunction::structure) != functions.end();
      std::size_t name = at + 1;
      while (stands_at(all, name, "&") || stands_at(all, name, "*") || stands_at(all, name, "const")) ++name;
      if (is_type && name < all.size() && all[name].kind == Word::word) types_.emplace(all[name].text, all[at].text);
    }
  }

  std::vector<SourceToken> replaced(TokenSpan body, int levels = most_nested_calls) const {
    std::vector<SourceToken> out;
    for (std::size_t at = 0; at < body.size(); ++at) {
      const auto type = types_.find(body[at].text);
      const bool is_member = at > 0 && (body[at - 1].is(".") || body[at - 1].is("->") || body[at - 1].is("::"));
      const bool is_call = levels > 0 && type != types_.end() && !is_member && at + 3 < body.size() &&
                           (body[at + 1].is(".") || body[at + 1].is("->")) && body[at + 3].is("(");
      const std::size_t close = is_call ? closing(body, at + 3) : body.size();
      const MemberFunction* function = nullptr;
      std::vector<TokenSpan> arguments;
      if (close < body.size()) {
        arguments = split_at_commas(body.subspan(at + 4, close - at - 4));
        function = find(type->second, body[at + 2].text, arguments.size());
      }
      if (!function) {
        out.push_back(body[at]);
        continue;
      }
      const auto value = value_of(*function, body.subspan(at, 2), arguments);
      const auto inner = replaced(value, levels - 1);
      out.insert(out.end(), inner.begin(), inner.end());
      at = close;
    }
    return out;
  }

 private:
  const MemberFunction* find(const std::string& structure, const std::string& name, std::size_t arguments) const {
    const auto found = std::ranges::find_if(functions_, [&](const MemberFunction& function) {
      return function.structure == structure && function.name == name && function.parameters.size() == arguments;
    });
    return found == functions_.end() ? nullptr : &*found;
  }

  // Returns the value of a call: ((y) * d.nx + (x)) for d.index(x, y). `object` is "d.".
  std::vector<SourceToken> value_of(const MemberFunction& function, TokenSpan object,
                                    const std::vector<TokenSpan>& arguments) const {
    const int line = object.front().line;
    const auto sign = [&](const char* text) { return SourceToken{Word::sign, text, line}; };
    std::vector<SourceToken> out = {sign("(")};
    for (std::size_t at = 0; at < function.value.size(); ++at) {
      SourceToken token = function.value[at];
      token.line = line;
      const bool begins = at == 0 || (!function.value[at - 1].is(".") && !function.value[at - 1].is("->"));
      const auto parameter = std::ranges::find(function.parameters, token.text);
      const bool calls = begins && stands_at(function.value, at + 1, "(") &&
                         std::ranges::any_of(functions_, [&](const MemberFunction& other) {
                           return other.structure == function.structure && other.name == token.text;
                         });
      if (begins && parameter != function.parameters.end()) {
        const TokenSpan argument = arguments[static_cast<std::size_t>(parameter - function.parameters.begin())];
        out.push_back(sign("("));
        out.insert(out.end(), argument.begin(), argument.end());
        out.push_back(sign(")"));
        continue;
      }
      if (calls || (begins && function.members.contains(token.text)))
        out.insert(out.end(), object.begin(), object.end());
      out.push_back(std::move(token));
    }
    out.push_back(sign(")"));
    return out;
  }

  const std::vector<MemberFunction>& functions_;
  std::map<std::string, std::string> types_;  // the structure's name by that of the variable
};

}  // namespace

std::optional<std::size_t> end_of_member_function(TokenSpan tokens, std::size_t at, const std::string& structure) {
  std::size_t open = at;
  while (open < tokens.size() && !tokens[open].is("(") && !tokens[open].is(";") && !tokens[open].is("=") &&
         !tokens[open].is("{"))
    ++open;
  if (!stands_at(tokens, open, "(") || open == at) return at;
  if (tokens[open - 1].is(structure)) return std::nullopt;
  std::size_t end = closing(tokens, open) + 1;
  while (end < tokens.size() && !tokens[end].is("{") && !tokens[end].is(";")) ++end;
  if (stands_at(tokens, end, "{")) end = closing(tokens, end);
  if (end >= tokens.size()) return at;
  return end + (stands_at(tokens, end + 1, ";") ? 2 : 1);
}

std::vector<MemberFunction> member_functions(const SourceOutline& outline) {
  std::vector<MemberFunction> functions;
  for (const SourceItem& item : outline.items) {
    const TokenSpan tokens = outline.tokens(item);
    if (item.kind == SourceItem::Kind::type && contains_word(tokens, "return"))
      read_structure_functions(tokens, functions);
  }
  const std::vector<MemberFunction> all = functions;
  std::erase_if(functions, [&](const MemberFunction& one) {
    return std::ranges::count_if(all, [&](const MemberFunction& other) {
             return other.structure == one.structure && other.name == one.name &&
                    other.parameters.size() == one.parameters.size();
           }) > 1;
  });
  return functions;
}

std::vector<SourceToken> with_member_calls(TokenSpan body, TokenSpan all,
                                           const std::vector<MemberFunction>& functions) {
  if (functions.empty()) return {body.begin(), body.end()};
  return CallReplacer(all, functions).replaced(body);
}

}  // namespace warptune::tuner::draft
