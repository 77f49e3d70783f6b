// See function_macros.h. Rejected: a preprocessor, for a kernel's tokens hold both branches of its conditions.
#include "tuner/kernel/init/function_macros.h"

#include <algorithm>
#include <map>

namespace warptune::tuner::init {

namespace {

struct FunctionMacro {
  std::vector<std::string> parameters;
  TokenSpan text;
};

std::map<std::string, FunctionMacro> function_macros(const SourceOutline& outline) {
  std::map<std::string, FunctionMacro> macros;
  for (const MacroDefinition& macro : outline.macros) {
    const TokenSpan value = macro.value;
    if (!macro.function_like || std::ranges::any_of(value, [](const SourceToken& token) {
          return token.is("#") || token.is("##") || token.is(";") || token.is("{");
        }))
      continue;
    const std::size_t close = closing(value, 0);
    FunctionMacro read{{}, value.subspan(close + 1)};
    for (const TokenSpan parameter : split_at_commas(value.subspan(1, close - 1)))
      read.parameters.push_back(text_of_tokens(parameter));
    macros.insert_or_assign(macro.name, std::move(read));
  }
  return macros;
}

// The macro's text with the arguments in the place of its parameters.
void append_text(const FunctionMacro& macro, const std::vector<TokenSpan>& arguments, int line,
                 std::vector<SourceToken>& out) {
  for (const SourceToken& token : macro.text) {
    const auto parameter = std::ranges::find(macro.parameters, token.text);
    if (parameter == macro.parameters.end()) {
      out.push_back(token);
      out.back().line = line;
      continue;
    }
    const TokenSpan argument = arguments[static_cast<std::size_t>(parameter - macro.parameters.begin())];
    out.insert(out.end(), argument.begin(), argument.end());
  }
}

// const double*, __restrict__, or nothing.
bool is_part_of_type(const MacroDefinition& macro) {
  return !macro.function_like && std::ranges::all_of(macro.value, [](const SourceToken& token) {
    return token.kind == SourceToken::Kind::word || token.is("*") || token.is("&") || token.is("::");
  });
}

void append_type(TokenSpan tokens, const SourceOutline& outline, int depth, std::vector<SourceToken>& out) {
  int brackets = 0;
  for (const SourceToken& token : tokens) {
    brackets += token.is("[") - token.is("]");
    const bool may_be = depth > 0 && brackets == 0 && token.kind == SourceToken::Kind::word;
    const MacroDefinition* macro = may_be ? outline.find_macro(token.text) : nullptr;
    if (macro && is_part_of_type(*macro))
      append_type(macro->value, outline, depth - 1, out);
    else
      out.push_back(token);
  }
}

}  // namespace

std::vector<SourceToken> with_type_macros_expanded(TokenSpan signature, const SourceOutline& outline) {
  std::vector<SourceToken> out;
  append_type(signature, outline, 4, out);
  return out;
}

std::vector<SourceToken> with_macros_expanded(TokenSpan body, const SourceOutline& outline) {
  constexpr int most_levels = 4;
  constexpr std::size_t most_tokens = 200'000;
  std::vector<SourceToken> tokens(body.begin(), body.end());
  const auto macros = function_macros(outline);
  bool again = !macros.empty();
  for (int level = 0; again && level < most_levels && tokens.size() < most_tokens; ++level) {
    std::vector<SourceToken> next;
    again = false;
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      const auto macro = macros.find(tokens[at].text);
      const bool used = macro != macros.end() && at + 1 < tokens.size() && tokens[at + 1].is("(");
      const std::size_t close = used ? closing(tokens, at + 1) : tokens.size();
      const auto arguments = close < tokens.size() ? split_at_commas(TokenSpan(tokens).subspan(at + 2, close - at - 2))
                                                   : std::vector<TokenSpan>();
      if (!used || close >= tokens.size() || arguments.size() != macro->second.parameters.size() ||
          next.size() > most_tokens) {
        next.push_back(tokens[at]);
        continue;
      }
      append_text(macro->second, arguments, tokens[at].line, next);
      at = close;
      again = true;
    }
    tokens = std::move(next);
  }
  return tokens;
}

}  // namespace warptune::tuner::init
