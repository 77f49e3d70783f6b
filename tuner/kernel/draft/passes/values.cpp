// Replaces names of the host's code and of the kernel by sizes, parameters and numbers.
#include "tuner/kernel/draft/passes/values.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/kernel/draft/expressions/declarations.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;

bool divides_anything(const CExpression& expression) {
  return expression.kind == Kind::call || expression.is(Kind::binary, "/") || expression.is(Kind::binary, ">>") ||
         std::ranges::any_of(expression.parts, divides_anything);
}

// Returns the value of a dim3's member, such as block.y after dim3 block(16, 8).
Result dimension_in_host(const Site& site, const std::string& name) {
  const std::size_t dot = name.find('.');
  const auto known =
      dot == std::string::npos ? site.scope.dimensions.end() : site.scope.dimensions.find(name.substr(0, dot));
  const std::size_t axis = dot + 2 == name.size() ? std::string_view(axes).find(name[dot + 1]) : std::string::npos;
  if (known == site.scope.dimensions.end() || axis == std::string::npos) return std::nullopt;
  return axis < known->second.size() ? known->second[axis] : CExpression::integer(1);
}

// Returns what block.x became, which may be a parameter, where `block` is the launch's own.
Result block_in_host(const Site& site, const std::string& name) {
  const std::size_t dot = name.find('.');
  const auto& configuration = site.host->configuration;
  if (dot == std::string::npos || configuration.size() < 2 || configuration[1].size() != 1 ||
      !configuration[1].front().is(name.substr(0, dot)))
    return std::nullopt;
  const std::size_t axis = std::string_view(axes).find(name.substr(dot + 1));
  return axis < 3 ? site.block[axis] : std::nullopt;
}

// Returns the name of the kernel's nx for d.nx, where the launch hands d.nx over for it.
Result scalar_of_member(const Site& site, const std::string& name) {
  if (name.find('.') == std::string::npos) return std::nullopt;
  const auto arguments = split_at_commas(site.host->arguments);
  for (std::size_t i = 0; i < std::min(arguments.size(), site.kernel->parameters.size()); ++i) {
    const FunctionParameter& parameter = site.kernel->parameters[i];
    if (parameter.pointers == 0 && may_be_size(parameter.type) && text_of_tokens(arguments[i]) == name)
      return CExpression::name(parameter.name);
  }
  return std::nullopt;
}

Result host_replacement(Work& work, const Site& site, const std::string& name, int depth, bool folds) {
  if (const Result block = block_in_host(site, name)) return block;
  if (const auto block = work.meanings.block_variables.find(name); block != work.meanings.block_variables.end())
    return CExpression::name(block->second);
  if (const auto number = work.meanings.template_numbers.find(name); number != work.meanings.template_numbers.end())
    return CExpression::integer(number->second);
  if (work.draft.find_parameter(name) || work.draft.find_size(name) || depth == 0 ||
      ++work.meanings.replacements > 100'000)
    return std::nullopt;
  const auto inside = [&](const CExpression& value) {
    const CExpression result = replaced(
        value, [&](const std::string& other) { return host_replacement(work, site, other, depth - 1, folds); }, 1);
    return folds ? simplified(result) : result;
  };
  if (work.meanings.fixed.contains(name))
    if (const NamedInteger* integer = work.facts.find_integer(name)) return CExpression::integer(integer->value);
  if (const auto derived = work.facts.derived.find(name); derived != work.facts.derived.end())
    return inside(derived->second);
  if (const NamedInteger* integer = work.facts.find_integer(name)) {
    work.meanings.known_values.emplace(name, integer->value);
    return std::nullopt;
  }
  if (name.starts_with("sizeof(") && name.ends_with(")"))
    if (const std::int64_t bytes = bytes_of_type(work.facts.without_alias(name.substr(7, name.size() - 8))))
      return CExpression::integer(bytes);
  if (const Result dimension = dimension_in_host(site, name)) return inside(*dimension);
  if (!site.scope.values.contains(name))
    if (const Result scalar = scalar_of_member(site, name)) return scalar;
  const auto value = site.scope.values.find(name);
  if (value == site.scope.values.end()) return std::nullopt;
  const CExpression inner = inside(value->second), known = simplified(inner);
  if (!known.is_integer()) return manifest_text(known) ? Result(inner) : std::nullopt;
  if (!folds && divides_anything(inner) && !contains_word(site.host->arguments, name)) return inner;
  if (known.value > 0) work.meanings.known_values.emplace(name, known.value);
  return known.value > 0 ? std::nullopt : Result(known);
}

// Returns whether the tokens declare NAME, as int NAME …, in the body or among the kernel's own parameters.
bool is_declared_in(TokenSpan tokens, const std::string& name) {
  for (std::size_t at = 1; at < tokens.size(); ++at)
    if (tokens[at].is(name) && tokens[at - 1].kind == SourceToken::Kind::word && !tokens[at - 1].is("return"))
      return true;
  return false;
}

// Leaves a blank, with its reason, for a name of the kernel's text that no launch could choose: a variable of the
// kernel's own, or what the source defines nowhere. Returns false for any other name.
bool leave_blank_if_no_size(Work& work, const std::string& name) {
  if (work.draft.find_size(name) || work.draft.find_parameter(name) || work.meanings.known_values.contains(name) ||
      work.facts.find_integer(name))
    return false;
  for (const Site& site : work.sites) {
    const auto has_name = [&](const auto& parameter) { return parameter.name == name; };
    if (std::ranges::any_of(site.kernel->parameters, has_name) ||
        std::ranges::any_of(site.kernel->templates, has_name) ||
        std::ranges::any_of(site.given, [&](const auto& given) { return given.second.is(Kind::name, name); }) ||
        (site.host && contains_word(site.host->function->body, name)) || !contains_word(site.kernel->body, name))
      continue;
    const bool local = is_local(site, name);
    if (!local && is_defined(work.facts, work.sites, name)) continue;
    const std::string what =
        local ? fmt::format("{} is a variable of {}: write what it is in sizes", name, site.kernel->name)
              : fmt::format(
                    "{0}: {1} uses it, and the source defines it nowhere. Write `#define {0} …` into the "
                    "source, or its value into [defines]",
                    name, site.kernel->name);
    if (std::ranges::find(work.draft.blanks, what) == work.draft.blanks.end()) work.draft.blanks.push_back(what);
    return true;
  }
  return false;
}

}  // namespace

CExpression resolved_in_host(Work& work, const Site& site, const CExpression& expression) {
  return simplified(replaced(
      expression, [&](const std::string& name) { return host_replacement(work, site, name, 12, true); }, 1));
}

CExpression resolved_unfolded(Work& work, const Site& site, const CExpression& expression) {
  return replaced(
      expression, [&](const std::string& name) { return host_replacement(work, site, name, 12, false); }, 1);
}

CExpression with_host_values(const Meanings& meanings, const Site& site, const CExpression& expression,
                             const Replacement& known) {
  const Replacement replacement = [&](const std::string& name) -> Result {
    if (++meanings.replacements > 100'000) return std::nullopt;
    if (const Result other = known(name)) return other;
    if (const Result dimension = dimension_in_host(site, name)) return dimension;
    const auto value = site.scope.values.find(name);
    return value == site.scope.values.end() ? Result() : value->second;
  };
  return replaced(expression, replacement, 12);
}

std::string fresh_name(const SourceFacts& facts, const Meanings& meanings, const std::string& name) {
  std::string result = macro_name(name);
  const auto taken = [&] {
    return facts.outline.find_macro(result) || contains_word(facts.outline.code, result) ||
           meanings.known_values.contains(result);
  };
  if (taken()) result += "_VALUE";
  return result;
}

CExpression resolved_in_kernel(const Work& work, const Site& site, const CExpression& expression, int depth) {
  const Replacement replacement = [&](const std::string& name) -> Result {
    if (const auto given = site.given.find(name); given != site.given.end()) return given->second;
    for (std::size_t i = 0; i < 3; ++i) {
      if (name == std::string("blockDim.") + axes[i]) return site.block[i];
      if (name == std::string("gridDim.") + axes[i]) return site.grid[i];
    }
    if (work.draft.find_parameter(name)) return std::nullopt;
    if (work.meanings.fixed.contains(name)) return CExpression::integer(work.facts.find_integer(name)->value);
    const auto derived = work.facts.derived.find(name);
    if (derived == work.facts.derived.end() || ++work.meanings.replacements > 100'000) return std::nullopt;
    return resolved_in_kernel(work, site, derived->second, depth - 1);
  };
  // One replacement is enough, because what stands for a name is in the manifest's own terms.
  return depth == 0 ? expression : simplified(replaced(expression, replacement, 1));
}

bool in_sizes(const Draft& draft, const CExpression& expression) {
  if (!manifest_text(expression)) return false;
  return std::ranges::none_of(names_in(expression),
                              [&](const std::string& name) { return draft.find_parameter(name) != nullptr; });
}

void add_size(Work& work, const std::string& name) {
  if (work.draft.find_size(name) || work.draft.find_parameter(name)) return;
  const auto value = work.meanings.known_values.find(name);
  const NamedInteger* integer = work.facts.find_integer(name);
  work.draft.sizes.push_back({.name = name,
                              .value = value == work.meanings.known_values.end() ? 0 : value->second,
                              .comment = integer ? fmt::format("{} in {}", integer->value, integer->place()) : ""});
}

std::string text_with_sizes(Work& work, const CExpression& expression) {
  const auto text = manifest_text(expression);
  if (!text) return blank;
  const auto names = names_in(expression);
  if (names.contains(blank)) return blank;
  if (std::ranges::any_of(names, [&](const std::string& name) { return leave_blank_if_no_size(work, name); }))
    return blank;
  for (const SourceToken& token : source_tokens(*text))  // in the order of the text
    if (names.contains(token.text)) add_size(work, token.text);
  return *text;
}

std::vector<CExpression> dimensions(const Site& site, TokenSpan tokens) {
  const std::size_t brace = !tokens.empty() && tokens[0].is("dim3") ? 1 : 0;
  if (brace < tokens.size() && tokens[brace].is("{") && tokens.back().is("}")) {
    std::vector<CExpression> parts;
    for (const TokenSpan part : split_at_commas(tokens.subspan(brace + 1, tokens.size() - brace - 2)))
      parts.push_back(parse_c(part).value_or(CExpression::name("?")));
    return parts;
  }
  const auto expression = parse_c(tokens);
  if (!expression) return {CExpression::name("?")};
  if (expression->kind == Kind::call && expression->text == "dim3") return expression->parts;
  if (expression->kind == Kind::name)
    if (const auto known = site.scope.dimensions.find(expression->text); known != site.scope.dimensions.end())
      return known->second;
  return {*expression};
}

bool is_local(const Site& site, const std::string& name) {
  return name.find('#') != std::string::npos || declared_names({}, site.kernel->body).contains(name);
}

bool is_defined(const SourceFacts& facts, const std::vector<Site>& sites, const std::string& name) {
  if (name == "warpSize" || name.find_first_of(".:(>?") != std::string::npos) return true;
  if (facts.outline.find_macro(name) || facts.find_integer(name) || facts.derived.contains(name)) return true;
  const auto declares = [&](const SourceItem& item) {
    return item.name == name ||
           (item.kind == SourceItem::Kind::type && contains_word(facts.outline.tokens(item), name));
  };
  if (std::ranges::any_of(facts.outline.items, declares)) return true;
  return std::ranges::any_of(sites, [&](const Site& site) {
    return is_declared_in(site.kernel->all, name) || site.body.definitions.contains(name) ||
           std::ranges::any_of(site.kernel->parameters,
                               [&](const FunctionParameter& parameter) { return parameter.name == name; }) ||
           std::ranges::any_of(site.kernel->templates,
                               [&](const TemplateParameter& parameter) { return parameter.name == name; });
  });
}

}  // namespace warptune::tuner::draft
