// Expands macros in tokens, level by level. Rejected: a preprocessor, for a kernel's tokens hold both branches of its
// conditions.
#include "tuner/kernel/draft/expressions/function_macros.h"

#include <algorithm>
#include <map>

#include "tuner/kernel/draft/expressions/declarations.h"
#include "tuner/kernel/draft/expressions/naming.h"

namespace warptune::tuner::draft {

namespace {

// FunctionMacro is a macro with parameters, or a function that is expanded like one. The arguments of a function are
// put in brackets.
struct FunctionMacro {
  std::vector<std::string> parameters;
  std::vector<SourceToken> text;
  bool is_function = false;
};

using FunctionMacros = std::map<std::string, FunctionMacro>;

FunctionMacros function_macros(const SourceOutline& outline) {
  FunctionMacros macros;
  for (const MacroDefinition& macro : outline.macros) {
    const TokenSpan value = macro.value;
    if (!macro.function_like || std::ranges::any_of(value, [](const SourceToken& token) {
          return token.is("#") || token.is("##") || token.is(";") || token.is("{");
        }))
      continue;
    const std::size_t close = closing(value, 0);
    const TokenSpan text = value.subspan(close + 1);
    FunctionMacro read{{}, {text.begin(), text.end()}};
    for (const TokenSpan parameter : split_at_commas(value.subspan(1, close - 1)))
      read.parameters.push_back(text_of_tokens(parameter));
    macros.insert_or_assign(macro.name, std::move(read));
  }
  return macros;
}

SourceToken bracket(const char* sign, int line) {
  return {SourceToken::Kind::sign, sign, line};
}

// Adds a function whose body only returns an expression: int blocks(int n) { return (n + 255) / 256; }. Other functions
// are left out.
void add_function(const SourceItem& item, FunctionMacros& macros) {
  const TokenSpan body = item.body;
  const auto ends = std::ranges::find_if(body, [](const SourceToken& token) { return token.is(";"); });
  if (body.size() < 3 || !body.front().is("return") || ends + 1 != body.end()) return;
  const TokenSpan returned = body.subspan(1, body.size() - 2);
  const auto known = parse_c(returned);
  if (!known || contains_word(returned, item.name)) return;
  FunctionMacro read{.is_function = true};
  for (const FunctionParameter& parameter : read_parameters(item.parameters)) {
    if (parameter.name.empty()) return;
    read.parameters.push_back(parameter.name);
  }
  const int line = body.front().line;
  read.text.push_back(bracket("(", line));
  read.text.insert(read.text.end(), returned.begin(), returned.end());
  read.text.push_back(bracket(")", line));
  macros.insert_or_assign(item.name, std::move(read));
}

// Adds the functions whose name has a single definition. Where several functions have one name, the call decides which
// is meant, and `init` does not find that out.
void add_functions(const SourceOutline& outline, FunctionMacros& macros) {
  std::map<std::string, int> definitions;
  for (const SourceItem& item : outline.items)
    definitions[item.name] += item.kind == SourceItem::Kind::function && item.is_definition;
  for (const SourceItem& item : outline.items)
    if (item.kind == SourceItem::Kind::function && item.is_definition && definitions[item.name] == 1 &&
        !macros.contains(item.name))
      add_function(item, macros);
}

// Appends the macro's text to `out`, with the arguments in the place of its parameters.
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
    if (macro.is_function) out.push_back(bracket("(", line));
    out.insert(out.end(), argument.begin(), argument.end());
    if (macro.is_function) out.push_back(bracket(")", line));
  }
}

// A use with another number of arguments stays.
std::vector<SourceToken> expanded(TokenSpan body, const FunctionMacros& macros) {
  constexpr int most_levels = 4;
  constexpr std::size_t most_tokens = 200'000;
  std::vector<SourceToken> tokens(body.begin(), body.end());
  bool again = !macros.empty();
  for (int level = 0; again && level < most_levels && tokens.size() < most_tokens; ++level) {
    std::vector<SourceToken> next;
    again = false;
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      const auto macro = macros.find(tokens[at].text);
      const bool is_function = macro != macros.end() && macro->second.is_function;
      const std::size_t open = at + 1 + (is_function ? template_list(tokens, at + 1) : 0);
      const bool used = macro != macros.end() && open < tokens.size() && tokens[open].is("(");
      const std::size_t close = used ? closing(tokens, open) : tokens.size();
      const auto arguments = close < tokens.size()
                                 ? split_arguments(TokenSpan(tokens).subspan(open + 1, close - open - 1))
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

// Returns whether the macro stands for a part of a type, such as const double* or __restrict__, or for nothing.
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
  return expanded(body, function_macros(outline));
}

std::vector<SourceToken> with_calls_expanded(TokenSpan body, const SourceOutline& outline) {
  FunctionMacros macros = function_macros(outline);
  add_functions(outline, macros);
  std::erase_if(macros, [](const auto& macro) {
    return macro.second.parameters.size() == 2 && is_division_upwards(macro.first);
  });
  return expanded(body, macros);
}

}  // namespace warptune::tuner::draft
