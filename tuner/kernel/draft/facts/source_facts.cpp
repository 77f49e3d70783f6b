// Reads the items of a source's outline one by one, then resolves aliases and structures in what was read.
#include "tuner/kernel/draft/facts/source_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tuner/kernel/draft/expressions/declarations.h"
#include "tuner/kernel/draft/expressions/function_macros.h"
#include "tuner/kernel/draft/expressions/plain_body.h"
#include "tuner/kernel/draft/facts/member_functions.h"
#include "tuner/kernel/draft/facts/named_constants.h"
#include "tuner/kernel/draft/facts/structure_arguments.h"
#include "tuner/kernel/draft/facts/structures.h"

namespace warptune::tuner::draft {

namespace {

using Word = SourceToken::Kind;

std::vector<TemplateParameter> read_templates(TokenSpan tokens) {
  std::vector<TemplateParameter> result;
  for (const TokenSpan part : split_at_commas(tokens, true)) {
    TemplateParameter parameter;
    parameter.is_type = contains_word(part, "typename") || contains_word(part, "class");
    parameter.is_flag = contains_word(part, "bool");
    const auto equals = std::ranges::find_if(part, [](const SourceToken& token) { return token.is("="); });
    const auto declared = part.subspan(0, static_cast<std::size_t>(equals - part.begin()));
    if (!declared.empty()) parameter.name = declared.back().text;
    if (equals != part.end()) parameter.fallback = text_of_tokens(part.subspan(declared.size() + 1));
    result.push_back(parameter);
  }
  return result;
}

// Reads the arrays in a declaration `TYPE a[2], b[3];` whose tokens begin after the word that says the memory.
void read_arrays(TokenSpan tokens, bool is_extern, std::vector<MemoryArray>& arrays) {
  const auto end = std::ranges::find_if(tokens, [](const SourceToken& token) { return token.is(";"); });
  std::string type;
  for (TokenSpan part : split_at_commas(tokens.subspan(0, static_cast<std::size_t>(end - tokens.begin())))) {
    std::size_t name = 0;
    while (name + 1 < part.size() && part[name + 1].kind == Word::word) ++name;
    if (part.empty()) continue;
    if (part[0].is("__align__") || part[0].is("alignas")) {
      const std::size_t close = closing(part, 1);
      if (close + 2 >= part.size()) continue;
      part = part.subspan(close + 1);
      name = 0;
      while (name + 1 < part.size() && part[name + 1].kind == Word::word) ++name;
    }
    std::vector<SourceToken> words;
    for (std::size_t i = 0; i < name; ++i)
      if (!is_qualifier(part[i]) && !part[i].is("const")) words.push_back(part[i]);
    if (!words.empty()) type = text_of_tokens(words);
    const bool is_filled = contains_word(part, "=") || contains_word(part, "{");
    arrays.push_back({part[name].text, type, read_extents(part.subspan(name)), is_extern, is_filled});
  }
}

std::vector<MemoryArray> read_shared(TokenSpan body) {
  std::vector<MemoryArray> arrays;
  for (std::size_t at = 0; at < body.size(); ++at)
    if (body[at].is("__shared__")) {
      const bool is_extern =
          (at > 0 && body[at - 1].is("extern")) || (at + 1 < body.size() && body[at + 1].is("extern"));
      read_arrays(body.subspan(at + 1), is_extern, arrays);
    }
  return arrays;
}

KernelFacts read_kernel(const SourceOutline& outline, const std::set<std::string>& namespaces, const SourceItem& item) {
  KernelFacts kernel{.name = item.name,
                     .scope = item.scope,
                     .header = item.header,
                     .line = outline.code[item.begin].line,
                     .extern_c = item.extern_c};
  kernel.templates = read_templates(item.template_parameters);
  kernel.parameters = read_parameters(with_type_macros_expanded(item.parameters, outline));
  kernel.all = outline.tokens(item);
  kernel.body = item.body;
  kernel.shared = read_shared(without_namespaces(item.body, namespaces));
  const std::vector<SourceToken> words = without_namespaces(item.head, namespaces);
  const TokenSpan head = words;
  for (std::size_t at = 0; at + 1 < head.size(); ++at)
    if (head[at].is("__launch_bounds__")) {
      const std::size_t close = head[at + 1].is("(") ? closing(head, at + 1) : head.size();
      if (close >= head.size()) continue;
      const auto parts = split_at_commas(head.subspan(at + 2, close - at - 2));
      if (!parts.empty()) kernel.bounds = parse_c(parts.front());
      if (parts.size() > 1) kernel.min_blocks = parse_c(parts[1]);
    }
  return kernel;
}

// Reads typedef unsigned char byte; and using byte = unsigned char; as (byte, unsigned char).
std::optional<std::pair<std::string, std::string>> read_alias(TokenSpan tokens) {
  if (tokens.size() < 4 || !tokens.back().is(";")) return std::nullopt;
  const bool is_typedef = tokens[0].is("typedef");
  if (!is_typedef && !(tokens[0].is("using") && tokens[2].is("="))) return std::nullopt;
  const TokenSpan type = is_typedef ? tokens.subspan(1, tokens.size() - 3) : tokens.subspan(3, tokens.size() - 4);
  const SourceToken& name = is_typedef ? tokens[tokens.size() - 2] : tokens[1];
  if (!element_of(text_of_tokens(type))) return std::nullopt;
  return std::pair(name.text, text_of_tokens(type));
}

// Returns the aliases of element types. Those that are another type elsewhere in the file, as between #if and #else,
// are left out.
std::map<std::string, std::string> read_aliases(const SourceOutline& outline) {
  std::map<std::string, std::string> aliases;
  std::set<std::string> ambiguous;
  const auto add = [&](const std::string& name, const std::string& type) {
    const auto [known, added] = aliases.emplace(name, type);
    if (!added && known->second != type) ambiguous.insert(name);
  };
  for (const SourceItem& item : outline.items)
    if (const auto alias = read_alias(outline.tokens(item))) add(alias->first, alias->second);
  for (const MacroDefinition& macro : outline.macros)
    if (const std::string type = text_of_tokens(macro.value); !macro.function_like && element_of(type))
      add(macro.name, type);
  std::erase_if(aliases, [&](const auto& alias) { return ambiguous.contains(alias.first); });
  return aliases;
}

}  // namespace

std::string NamedInteger::place() const {
  return fmt::format("line {}{}{}", line, header.empty() ? "" : " of ", header);
}

std::string HostLaunch::where() const {
  const std::string& header = function->header;
  return fmt::format("line {}{}{}", line, header.empty() ? "" : " of ", header);
}

SourceFacts::SourceFacts(std::string_view source, const HeaderReader& read)
    : outline(source, read), host(outline), namespaces_(namespaces_of(outline)) {
  for (const MacroDefinition& macro : outline.macros)
    if (const auto value = macro.function_like || macro.value.empty()
                               ? std::nullopt
                               : parse_c(without_namespaces(expanded(macro.value), namespaces_)))
      add_integer({.name = macro.name,
                   .line = macro.line,
                   .guarded = macro.guarded,
                   .header = macro.header,
                   .guards = macro.guards},
                  *value);
  for (const SourceItem& function : host.functions()) read_launches(function, launches);
  read_symbols();
  for (const SourceItem& item : outline.items) {
    const TokenSpan tokens = outline.tokens(item);
    if (item.kind == SourceItem::Kind::function && item.is_definition && contains_word(item.head, "__global__"))
      kernels.push_back(read_kernel(outline, namespaces_, item));
    if (item.kind == SourceItem::Kind::type) {
      if (auto structure = read_structure(tokens)) structures.insert(std::move(*structure));
      if (auto structure = read_members(tokens)) members.insert(std::move(*structure));
    }
    add_constants(item);
  }
  aliases = read_aliases(outline);
  resolve_aliases();
  const std::vector<MemberFunction> functions = member_functions(outline);
  for (KernelFacts& kernel : kernels) {
    if (!functions.empty()) {
      kernel.own_tokens =
          std::make_shared<const std::vector<SourceToken>>(with_member_calls(kernel.body, kernel.all, functions));
      kernel.body = *kernel.own_tokens;
    }
    pass_members(members, kernel);
  }
  for (HostLaunch& launch : launches)
    if (const KernelFacts* kernel = find_kernel(launch.kernel)) pass_members(*kernel, launch);
}

// Returns the tokens with the macros expanded that have parameters: const int blocks = SMALLER(32, n / 256);
std::vector<SourceToken> SourceFacts::expanded(TokenSpan tokens) const {
  const auto is_use = [&](const SourceToken& token) {
    const MacroDefinition* macro = token.kind == Word::word ? outline.find_macro(token.text) : nullptr;
    return macro && macro->function_like;
  };
  if (std::ranges::none_of(tokens, is_use)) return {tokens.begin(), tokens.end()};
  return with_macros_expanded(tokens, outline);
}

void SourceFacts::read_symbols() {
  std::vector<const SourceItem*> functions;
  for (const SourceItem& function : host.functions()) functions.push_back(&function);
  symbol_copies = draft::symbol_copies(functions);
  for (const SourceItem& item : outline.items) {
    const TokenSpan tokens = outline.tokens(item);
    const bool is_constant = contains_word(tokens, "__constant__");
    if (item.kind != SourceItem::Kind::variable || (!is_constant && !contains_word(tokens, "__device__"))) continue;
    std::size_t at = 0;
    while (at < tokens.size() && (is_qualifier(tokens[at]) || tokens[at].is("const"))) ++at;
    std::vector<MemoryArray> arrays;
    read_arrays(tokens.subspan(at), false, arrays);
    for (MemoryArray& array : arrays) {
      array.scope = item.scope;
      if (is_constant || std::ranges::find(symbol_copies, array.name, &SymbolCopy::symbol) != symbol_copies.end())
        constant_arrays.push_back(std::move(array));
    }
  }
}

// Adds an integer, or a derived constant if the value is made of other names. Of two with one name, the first counts.
void SourceFacts::add_integer(NamedInteger integer, const CExpression& value) {
  if (find_integer(integer.name)) return;
  const CExpression known = simplified(value);
  integer.value = known.value;
  if (known.is_integer())
    integers.push_back(std::move(integer));
  else if (!names_in(known).empty())
    derived.emplace(integer.name, known);
}

void SourceFacts::add_constants(const SourceItem& item) {
  const std::vector<SourceToken> tokens = without_namespaces(expanded(outline.tokens(item)), namespaces_);
  for (const NamedConstant& constant : member_constants(item, tokens)) derived.emplace(constant.name, constant.value);
  for (const NamedConstant& constant : named_constants(item, tokens))
    if (constant.is_counted)
      derived.emplace(constant.name, constant.value);
    else
      add_integer(
          {.name = constant.name, .line = constant.line, .header = item.header, .keeps_value = !constant.gives_way},
          constant.value);
}

void SourceFacts::resolve_aliases() {
  const auto resolve = [&](std::string& type) { type = std::string(without_alias(type)); };
  for (KernelFacts& kernel : kernels) {
    for (FunctionParameter& parameter : kernel.parameters) resolve(parameter.type);
    for (MemoryArray& array : kernel.shared) resolve(array.type);
  }
  for (MemoryArray& array : constant_arrays) resolve(array.type);
}

const std::string& SourceFacts::without_alias(const std::string& type) const {
  const auto alias = aliases.find(type);
  return alias == aliases.end() ? type : alias->second;
}

const KernelFacts* SourceFacts::find_kernel(const std::string& name) const {
  const auto found = std::ranges::find(kernels, name, &KernelFacts::name);
  return found == kernels.end() ? nullptr : &*found;
}

const NamedInteger* SourceFacts::find_integer(const std::string& name) const {
  const auto found = std::ranges::find(integers, name, &NamedInteger::name);
  return found == integers.end() ? nullptr : &*found;
}

}  // namespace warptune::tuner::draft
