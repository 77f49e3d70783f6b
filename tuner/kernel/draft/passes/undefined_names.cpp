// Finds names that say what a block covers or how long a shared array is, and that the source defines nowhere. Kernels
// whose tuner passes -Dblock_size_x=… have nothing else. These names are parameters, because as sizes they would be as
// large as the problem.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/kernel/draft/expressions/declarations.h"
#include "tuner/kernel/draft/passes/drafter.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;

constexpr std::int64_t usual_size_in_shared_memory = 64;

std::int64_t usual_value(Use use, bool flat) {
  switch (use) {
    case Use::block:
      return flat ? 256 : 16;
    case Use::tile:
      return flat ? 128 : 16;
    case Use::warps:
      return 4;
    case Use::padding:
    case Use::flag:
      return 0;
    default:
      return 1;
  }
}

// Returns the names that are calculated with. It leaves out those of conditions, which are words more often than
// numbers.
std::set<std::string> numbers_in(const CExpression& expression) {
  static const std::set<std::string> signs = {"+", "-", "*", "/", "%", "<<", ">>"};
  if (expression.kind == Kind::name) return {expression.text};
  if (expression.kind == Kind::binary && !signs.contains(expression.text)) return {};
  std::set<std::string> names;
  for (std::size_t i = expression.kind == Kind::conditional ? 1 : 0; i < expression.parts.size(); ++i)
    names.merge(numbers_in(expression.parts[i]));
  return names;
}

// Returns whether the tokens declare NAME, as int NAME …, in the body or among the kernel's own parameters.
bool is_declared_in(TokenSpan tokens, const std::string& name) {
  for (std::size_t at = 1; at < tokens.size(); ++at)
    if (tokens[at].is(name) && tokens[at - 1].kind == SourceToken::Kind::word && !tokens[at - 1].is("return"))
      return true;
  return false;
}

// Returns the names in what variables begin with, stay below and go on by, and in what indices are made of.
std::set<std::string> names_of_body(const BodyAnalysis& body) {
  std::set<std::string> names;
  for (const auto* expressions : {&body.definitions, &body.steps})
    for (const auto& [variable, expression] : *expressions) names.merge(numbers_in(expression));
  for (const auto& [variable, bounds] : body.bounds)
    for (const CExpression& bound : bounds) names.merge(numbers_in(bound));
  for (const auto& [buffer, accesses] : body.accesses)
    for (const Access& access : accesses)
      if (access.index) names.merge(numbers_in(*access.index));
  return names;
}

bool is_local(const Site& site, const std::string& name) {
  return name.find('#') != std::string::npos || declared_names({}, site.kernel->body).contains(name);
}

}  // namespace

// Leaves a blank, with its reason, for a name of the kernel's text that no launch could choose: a variable of the
// kernel's own, or what the source defines nowhere. Returns false for any other name.
bool Drafter::leave_if_no_size(const std::string& name) {
  if (draft_.find_size(name) || draft_.find_parameter(name) || known_values_.contains(name) ||
      facts_.find_integer(name))
    return false;
  for (const Site& site : sites_) {
    const auto has_name = [&](const auto& parameter) { return parameter.name == name; };
    if (std::ranges::any_of(site.kernel->parameters, has_name) ||
        std::ranges::any_of(site.kernel->templates, has_name) ||
        std::ranges::any_of(site.given, [&](const auto& given) { return given.second.is(Kind::name, name); }) ||
        (site.host && contains_word(site.host->function->body, name)) || !contains_word(site.kernel->body, name))
      continue;
    const bool local = is_local(site, name);
    if (!local && is_defined(name)) continue;
    const std::string what =
        local ? fmt::format("{} is a variable of {}: write what it is in sizes", name, site.kernel->name)
              : fmt::format(
                    "{0}: {1} uses it, and the source defines it nowhere. Write `#define {0} …` into the "
                    "source, or its value into [defines]",
                    name, site.kernel->name);
    if (std::ranges::find(draft_.blanks, what) == draft_.blanks.end()) leave_blank(what);
    return true;
  }
  return false;
}

bool Drafter::is_defined(const std::string& name) const {
  if (name == "warpSize" || name.find_first_of(".:(>?") != std::string::npos) return true;
  if (facts_.outline.find_macro(name) || facts_.find_integer(name) || facts_.derived.contains(name)) return true;
  const auto declares = [&](const SourceItem& item) {
    return item.name == name ||
           (item.kind == SourceItem::Kind::type && contains_word(facts_.outline.tokens(item), name));
  };
  if (std::ranges::any_of(facts_.outline.items, declares)) return true;
  return std::ranges::any_of(sites_, [&](const Site& site) {
    return is_declared_in(site.kernel->all, name) || site.body.definitions.contains(name) ||
           std::ranges::any_of(site.kernel->parameters,
                               [&](const FunctionParameter& parameter) { return parameter.name == name; }) ||
           std::ranges::any_of(site.kernel->templates,
                               [&](const TemplateParameter& parameter) { return parameter.name == name; });
  });
}

// Returns the undefined names in the order of the text.
std::vector<std::string> Drafter::undefined_names() const {
  std::set<std::string> asked;
  for (const Site& site : sites_) {
    for (const auto& [variable, definition] : site.body.definitions)
      if (const auto covered = block_index_of(definition).covered) asked.merge(numbers_in(without_derived(*covered)));
    for (const MemoryArray& array : site.kernel->shared)
      for (const CExpression& extent : array.extents) asked.merge(numbers_in(without_derived(extent)));
    for (const auto* bound : {&site.kernel->bounds, &site.kernel->min_blocks})
      if (*bound) asked.merge(numbers_in(without_derived(**bound)));
    for (const std::string& name : names_of_body(site.body))
      if (is_tunable(use_of_integer({.name = name})) && !is_local(site, name)) asked.insert(name);
  }
  std::erase_if(asked, [&](const std::string& name) { return is_defined(name); });
  std::vector<std::string> names;
  for (const Site& site : sites_)
    for (const SourceToken& token : site.kernel->all)
      if (asked.erase(token.text) > 0) names.push_back(token.text);
  names.insert(names.end(), asked.begin(), asked.end());
  return names;
}

void Drafter::add_undefined_names() {
  const bool flat = std::ranges::none_of(
      sites_, [](const Site& site) { return site.body.uses("threadIdx.y") || site.body.uses("threadIdx.z"); });
  std::vector<std::string> added;
  for (const std::string& name : undefined_names()) {
    Use use = use_of_integer({.name = name});
    if (use == Use::unknown) use = Use::tile;
    if (!is_tunable(use)) {
      const std::int64_t value = use == Use::radius ? 3 : usual_size_in_shared_memory;
      draft_.sizes.push_back({name, value, value, true, "a guess: the source defines it nowhere"});
      continue;
    }
    add_parameter(name, use, usual_value(use, flat), "a guess: the source defines it nowhere");
    added.push_back(name);
  }
  if (added.empty()) return;
  draft_.guesses.push_back(
      fmt::format("[parameters] {}: the source defines {} nowhere, so values and default are guesses",
                  fmt::join(added, ", "), added.size() > 1 ? "them" : "it"));
}

}  // namespace warptune::tuner::draft
