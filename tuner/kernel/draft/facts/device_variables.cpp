// Follows the words of definitions, beginning with the kernels, to find the variables that these reach.
// Rejected: asking the compiler which variables a kernel uses. It says so of one configuration, and only on a GPU.
#include "tuner/kernel/draft/facts/device_variables.h"

#include <algorithm>
#include <map>

namespace warptune::tuner::draft {

namespace {

using Word = SourceToken::Kind;

bool is_member(TokenSpan tokens, std::size_t at) {
  return at > 0 && (tokens[at - 1].is(".") || tokens[at - 1].is("->"));
}

// Returns the place behind the brackets and members that begin here: x[i][j], x[i].y.
std::size_t behind_element(TokenSpan tokens, std::size_t at) {
  for (;;) {
    if (at < tokens.size() && tokens[at].is("["))
      at = closing(tokens, at) + 1;
    else if (at + 1 < tokens.size() && tokens[at].is("."))
      at += 2;
    else
      return at;
  }
}

std::string name_of_parameter(TokenSpan parameter) {
  std::string name;
  for (std::size_t at = 0; at < parameter.size() && !parameter[at].is("=") && !parameter[at].is("["); ++at)
    if (parameter[at].kind == Word::word) name = parameter[at].text;
  return name;
}

// Keeps what stands for each name at namespace scope, and which names that hides.
class Definitions {
 public:
  explicit Definitions(const SourceOutline& outline) {
    for (const SourceItem& item : outline.items) {
      const TokenSpan tokens = outline.tokens(item);
      Definition definition{tokens, {}};
      if (item.kind == SourceItem::Kind::function)
        for (const TokenSpan parameter : split_at_commas(item.parameters, true))
          definition.hidden.insert(name_of_parameter(parameter));
      for (const std::string& name : names_of(item, tokens)) definitions_.emplace(name, definition);
    }
    for (const MacroDefinition& macro : outline.macros)
      definitions_.emplace(macro.name, Definition{TokenSpan(macro.value), {}});
  }

  void reach(const std::string& name, std::set<std::string>& words) const {
    const auto [begin, end] = definitions_.equal_range(name);
    for (auto each = begin; each != end; ++each) {
      const TokenSpan tokens = each->second.tokens;
      for (std::size_t at = 0; at < tokens.size(); ++at) {
        const std::string& word = tokens[at].text;
        if (tokens[at].kind != Word::word || is_member(tokens, at) || each->second.hidden.contains(word)) continue;
        if (words.insert(word).second) reach(word, words);
      }
    }
  }

 private:
  struct Definition {
    TokenSpan tokens;
    std::set<std::string> hidden;
  };

  // Returns the name of an item. For a type, that is the word behind its keyword: "Domain" of `struct Domain { … };`.
  static std::vector<std::string> names_of(const SourceItem& item, TokenSpan tokens) {
    if (!item.name.empty()) return {item.name};
    for (std::size_t at = 0; at + 1 < tokens.size() && !tokens[at].is("{"); ++at)
      if (tokens[at].is("struct") || tokens[at].is("class") || tokens[at].is("using")) return {tokens[at + 1].text};
    return {};
  }

  std::multimap<std::string, Definition> definitions_;
};

// Returns the variables of a declaration: `a` and `b` of `__constant__ float a[2], b = {1};`.
std::vector<DeviceVariable> declared_variables(const SourceItem& item, TokenSpan tokens) {
  std::vector<DeviceVariable> variables;
  const bool is_constant = contains_word(tokens, "__constant__");
  const bool ends = !tokens.empty() && tokens.back().is(";");
  for (const TokenSpan part : split_at_commas(tokens.first(tokens.size() - (ends ? 1 : 0)))) {
    const auto stop = std::ranges::find_if(
        part, [](const SourceToken& token) { return token.is("[") || token.is("=") || token.is("{"); });
    const TokenSpan declared = part.first(static_cast<std::size_t>(stop - part.begin()));
    if (declared.empty() || declared.back().kind != Word::word) continue;
    const bool is_filled = contains_word(part, "=") || contains_word(part, "{");
    variables.push_back({declared.back().text, item.scope, item.header, declared.back().line, is_constant, is_filled});
  }
  return variables;
}

// Returns whether the sign of an assignment or of a step begins here: that of x = …, x += …, x <<= … or x++.
bool is_assignment(TokenSpan tokens, std::size_t at) {
  const auto is = [&](std::size_t place, std::string_view sign) {
    return place < tokens.size() && tokens[place].is(sign);
  };
  if (is(at, "=")) return true;
  for (const std::string_view sign : {"+", "-", "*", "/", "%", "&", "|", "^"})
    if (is(at, sign) && (is(at + 1, "=") || (is(at + 1, sign) && (sign == "+" || sign == "-")))) return true;
  for (const std::string_view sign : {"<", ">"})
    if (is(at, sign) && is(at + 1, sign) && is(at + 2, "=")) return true;
  return false;
}

// Returns whether what stands before x may change it: ++x, --x, &x. The operator in a & x does not.
bool is_changed_before(TokenSpan tokens, std::size_t at) {
  if (at > 1 &&
      ((tokens[at - 1].is("+") && tokens[at - 2].is("+")) || (tokens[at - 1].is("-") && tokens[at - 2].is("-"))))
    return true;
  if (at == 0 || !tokens[at - 1].is("&")) return false;
  if (at == 1) return true;
  const SourceToken& before = tokens[at - 2];
  const bool is_operand = (before.kind != Word::sign && !before.is("return")) || before.is("]");
  return !is_operand;
}

// Returns whether an array is handed on, because an array's name alone is its address. A scalar may be handed on as
// well, where a function of the source takes it by reference, but this does not look for that.
bool is_handed_on(TokenSpan tokens, std::size_t at, bool is_array) {
  return is_array && at + 1 < tokens.size() && !tokens[at + 1].is("[");
}

bool writes(TokenSpan tokens, const std::string& name, bool is_array) {
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (!tokens[at].is(name) || is_member(tokens, at)) continue;
    if (is_changed_before(tokens, at) || is_assignment(tokens, behind_element(tokens, at + 1)) ||
        is_handed_on(tokens, at, is_array))
      return true;
  }
  return false;
}

}  // namespace

std::set<std::string> reached_words(const SourceOutline& outline, const std::set<std::string>& kernels) {
  const Definitions definitions(outline);
  std::set<std::string> words;
  for (const SourceItem& item : outline.items) {
    const bool is_kernel = item.kind == SourceItem::Kind::function && contains_word(item.head, "__global__");
    if (!is_kernel || (!kernels.empty() && !kernels.contains(item.name))) continue;
    words.insert(item.name);
    definitions.reach(item.name, words);
  }
  return words;
}

std::vector<DeviceVariable> device_variables(const SourceOutline& outline) {
  std::vector<DeviceVariable> variables;
  for (const SourceItem& item : outline.items) {
    const TokenSpan tokens = outline.tokens(item);
    const bool is_variable = item.kind == SourceItem::Kind::variable && !contains_word(tokens, "extern") &&
                             (contains_word(tokens, "__constant__") || contains_word(tokens, "__device__"));
    if (!is_variable || contains_word(tokens, "__managed__")) continue;
    for (DeviceVariable& variable : declared_variables(item, tokens)) variables.push_back(std::move(variable));
  }
  return variables;
}

bool may_be_written(const SourceOutline& outline, const std::string& name) {
  bool is_array = false;
  for (const SourceItem& item : outline.items)
    if (item.kind == SourceItem::Kind::variable) {
      const TokenSpan tokens = outline.tokens(item);
      for (std::size_t at = 0; at + 1 < tokens.size(); ++at)
        is_array = is_array || (tokens[at].is(name) && tokens[at + 1].is("["));
    }
  for (const SourceItem& item : outline.items) {
    const TokenSpan tokens = outline.tokens(item);
    const bool is_code = item.kind == SourceItem::Kind::function || item.kind == SourceItem::Kind::type;
    if (is_code && !is_host_only(item, tokens) && writes(tokens, name, is_array)) return true;
  }
  return std::ranges::any_of(outline.macros,
                             [&](const MacroDefinition& macro) { return writes(macro.value, name, is_array); });
}

std::vector<SymbolCopy> symbol_copies(const std::vector<const SourceItem*>& functions) {
  std::vector<SymbolCopy> copies;
  for (const SourceItem* function : functions) {
    const TokenSpan body = function->body;
    for (std::size_t at = 0; at + 1 < body.size(); ++at) {
      if ((!body[at].is("cudaMemcpyToSymbol") && !body[at].is("cudaMemcpyToSymbolAsync")) || !body[at + 1].is("("))
        continue;
      const std::size_t close = closing(body, at + 1);
      if (close >= body.size()) continue;
      const auto arguments = split_at_commas(body.subspan(at + 2, close - at - 2));
      if (arguments.size() < 2 || arguments[0].empty() || arguments[0].back().kind != Word::word) continue;
      copies.push_back({arguments[0].back().text, body[at].line, function, at, arguments[1]});
    }
  }
  return copies;
}

}  // namespace warptune::tuner::draft
