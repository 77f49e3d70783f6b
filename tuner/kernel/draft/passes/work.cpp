// Takes indices of blocks and threads apart.
#include "tuner/kernel/draft/passes/work.h"

#include <algorithm>

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;

}  // namespace

Result size_of_product(const std::vector<std::string>& scalars, int axis) {
  const auto named = [&](const char* capital, const char* small) -> Result {
    for (const std::string& name : scalars)
      if (name == capital || name == small) return CExpression::name(name);
    return std::nullopt;
  };
  if (!named("M", "m") || !named("N", "n") || !named("K", "k") || axis > 1) return std::nullopt;
  return axis == 0 ? named("N", "n") : named("M", "m");
}

BlockIndex block_index_of(const CExpression& index) {
  BlockIndex found;
  for (const CExpression& term : terms_of(index)) {
    if (term.kind == Kind::name && term.text.starts_with("threadIdx.")) found.threads = term.text;
    std::vector<CExpression> factors = factors_of(term);
    const auto own = std::ranges::find_if(factors, [](const CExpression& factor) {
      return factor.kind == Kind::name && factor.text.starts_with("blockIdx.");
    });
    if (own == factors.end() || found.covered) continue;
    found.blocks = own->text;
    factors.erase(own);
    found.covered = product_of(factors);
  }
  return found;
}

std::set<std::string> dependents_of(const std::string& block_index, const BodyAnalysis& body) {
  std::set<std::string> names = {block_index};
  for (bool grows = true; grows;) {
    grows = false;
    for (const auto& [name, definition] : body.definitions)
      if (std::ranges::any_of(names_in(definition), [&](const std::string& other) { return names.contains(other); }))
        grows |= names.insert(name).second;
  }
  return names;
}

std::set<std::string> dependencies_of(const std::set<std::string>& names, const BodyAnalysis& body) {
  std::set<std::string> all = names;
  for (bool grows = true; grows;) {
    grows = false;
    for (const std::string& name : std::set<std::string>(all))
      if (const auto definition = body.definitions.find(name); definition != body.definitions.end())
        for (const std::string& other : names_in(definition->second)) grows |= all.insert(other).second;
  }
  return all;
}

}  // namespace warptune::tuner::draft
