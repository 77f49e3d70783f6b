// Finds names that say what a block covers or how long a shared array is, and that the source defines nowhere. Kernels
// whose tuner passes -Dblock_size_x=… have nothing else. These names are parameters, because as sizes they would be as
// large as the problem.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/kernel/draft/passes/integers.h"
#include "tuner/kernel/draft/passes/passes.h"
#include "tuner/kernel/draft/passes/values.h"

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

// Returns the undefined names in the order of the text.
std::vector<std::string> undefined_names(const Work& work) {
  std::set<std::string> asked;
  for (const Site& site : work.sites) {
    for (const auto& [variable, definition] : site.body.definitions)
      if (const auto covered = block_index_of(definition).covered)
        asked.merge(numbers_in(without_derived(work.facts, *covered)));
    for (const MemoryArray& array : site.kernel->shared)
      for (const CExpression& extent : array.extents) asked.merge(numbers_in(without_derived(work.facts, extent)));
    for (const auto* bound : {&site.kernel->bounds, &site.kernel->min_blocks})
      if (*bound) asked.merge(numbers_in(without_derived(work.facts, **bound)));
    for (const std::string& name : names_of_body(site.body))
      if (is_tunable(use_of_integer(work, {.name = name})) && !is_local(site, name)) asked.insert(name);
  }
  std::erase_if(asked, [&](const std::string& name) { return is_defined(work.facts, work.sites, name); });
  std::vector<std::string> names;
  for (const Site& site : work.sites)
    for (const SourceToken& token : site.kernel->all)
      if (asked.erase(token.text) > 0) names.push_back(token.text);
  names.insert(names.end(), asked.begin(), asked.end());
  return names;
}

}  // namespace

void add_undefined_names(Work& work) {
  const bool flat = std::ranges::none_of(
      work.sites, [](const Site& site) { return site.body.uses("threadIdx.y") || site.body.uses("threadIdx.z"); });
  std::vector<std::string> added;
  for (const std::string& name : undefined_names(work)) {
    Use use = use_of_integer(work, {.name = name});
    if (use == Use::unknown) use = Use::tile;
    if (!is_tunable(use)) {
      const std::int64_t value = use == Use::radius ? 3 : usual_size_in_shared_memory;
      work.draft.sizes.push_back({name, value, value, true, "a guess: the source defines it nowhere"});
      continue;
    }
    add_parameter(work.draft, name, use, usual_value(use, flat), "a guess: the source defines it nowhere");
    added.push_back(name);
  }
  if (added.empty()) return;
  work.draft.guesses.push_back(
      fmt::format("[parameters] {}: the source defines {} nowhere, so values and default are guesses",
                  fmt::join(added, ", "), added.size() > 1 ? "them" : "it"));
}

}  // namespace warptune::tuner::draft
