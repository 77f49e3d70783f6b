// Finds the integers that say how many elements a thread takes, so that they are no part of the block. Only the
// kernel's indices decide, for names such as tile_size_x may mean either.
#include <fmt/format.h>

#include <algorithm>

#include "tuner/kernel/draft/passes/drafter.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Factors = std::vector<CExpression>;

// Returns the products of an expanded expression: {a, c} and {b, c} for (a + b) * c.
std::vector<Factors> products_of(const CExpression& expression) {
  if (expression.is(Kind::binary, "+") || expression.is(Kind::binary, "-")) {
    std::vector<Factors> all = products_of(expression.parts[0]);
    for (Factors& other : products_of(expression.parts[1])) all.push_back(std::move(other));
    return all;
  }
  if (!expression.is(Kind::binary, "*")) return {{expression}};
  std::vector<Factors> all;
  for (const Factors& left : products_of(expression.parts[0]))
    for (const Factors& right : products_of(expression.parts[1])) {
      all.push_back(left);
      all.back().insert(all.back().end(), right.begin(), right.end());
    }
  return all;
}

bool has(const Factors& factors, const std::string& name) {
  return std::ranges::any_of(factors, [&](const CExpression& factor) { return factor.is(Kind::name, name); });
}

// Returns whether one of the factors is blockIdx or threadIdx (`prefix`), or a variable that is no more than that.
bool has_built_in(const Factors& factors, const std::string& prefix, const BodyAnalysis& body) {
  return std::ranges::any_of(factors, [&](const CExpression& factor) {
    if (factor.kind != Kind::name) return false;
    const auto definition = body.definitions.find(factor.text);
    const CExpression& known = definition == body.definitions.end() ? factor : definition->second;
    return known.kind == Kind::name && known.text.starts_with(prefix);
  });
}

// Returns whether NAME bounds a loop over the elements of a thread: for (k = 0; k < NAME; ++k) … k * BLOCK. These
// elements are BLOCK apart, and BLOCK is what NAME is multiplied with.
bool counts_a_loop_over(const BodyAnalysis& body, const std::string& name, const Factors& block) {
  return std::ranges::any_of(body.bounds, [&](const auto& bounds) {
    const auto apart = body.multiplied.find(bounds.first);
    if (body.steps.contains(bounds.first) || apart == body.multiplied.end()) return false;
    return std::ranges::any_of(bounds.second, [&](const CExpression& bound) { return bound.is(Kind::name, name); }) &&
           std::ranges::any_of(apart->second,
                               [&](const std::string& other) { return other != name && has(block, other); });
  });
}

}  // namespace

// Replaces macros and constants of the source by what they stand for.
CExpression Drafter::without_derived(const CExpression& expression, int depth) const {
  return replaced(
      expression,
      [&](const std::string& name) -> std::optional<CExpression> {
        const auto derived = facts_.derived.find(name);
        return derived == facts_.derived.end() ? std::nullopt : std::optional(derived->second);
      },
      depth);
}

// Returns whether NAME is a number of elements per thread: in blockIdx.x * BLOCK * NAME + threadIdx.x with such a loop,
// or in (blockIdx.x * BLOCK + threadIdx.x) * NAME.
bool Drafter::is_per_thread(const Site& site, const std::string& name) const {
  std::vector<CExpression> places;
  for (const auto& [variable, definition] : site.body.definitions) places.push_back(definition);
  for (const auto& [buffer, accesses] : site.body.accesses)
    for (const Access& access : accesses)
      if (access.index) places.push_back(*access.index);
  return std::ranges::any_of(places, [&](const CExpression& place) {
    const auto products = products_of(without_derived(place));
    const bool by_thread = std::ranges::any_of(products, [&](const Factors& factors) {
      return has(factors, name) && has_built_in(factors, "threadIdx.", site.body);
    });
    return std::ranges::any_of(products, [&](const Factors& factors) {
      return factors.size() > 2 && has(factors, name) && has_built_in(factors, "blockIdx.", site.body) &&
             (by_thread || counts_a_loop_over(site.body, name, factors));
    });
  });
}

bool Drafter::is_per_thread(const std::string& name) const {
  return std::ranges::any_of(sites_, [&](const Site& site) { return is_per_thread(site, name); });
}

CExpression Drafter::without_per_thread(const Site& site, const CExpression& product) const {
  Factors factors = factors_of(without_derived(product));
  std::erase_if(factors, [&](const CExpression& factor) {
    return factor.kind == Kind::name && is_per_thread(site, factor.text);
  });
  return product_of(factors);
}

// Notes a block of BLOCK * TILE threads, where a loop goes to TILE in a way that does not say how far a thread's
// elements are apart.
void Drafter::note_undecided_block(const Site& site, const CExpression& block, int axis) {
  const std::vector<CExpression> factors = factors_of(block);
  if (factors.size() < 2) return;
  for (const CExpression& factor : factors) {
    const bool in_loop = factor.kind == Kind::name && std::ranges::any_of(site.body.bounds, [&](const auto& bounds) {
                           return std::ranges::any_of(bounds.second, [&](const CExpression& bound) {
                             return names_in(bound).contains(factor.text);
                           });
                         });
    if (!in_loop) continue;
    draft_.guesses.push_back(
        fmt::format("launches: the block of {0} has {1} threads along {2}, as many as the elements that it covers. If "
                    "each thread takes {3} of them in a loop, take {3} out of the block",
                    site.kernel->name, manifest_text(block).value_or("?"), axes[axis], factor.text));
    return;
  }
}

}  // namespace warptune::tuner::draft
