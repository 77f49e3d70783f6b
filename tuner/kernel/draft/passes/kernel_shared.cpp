// Finds how much extern __shared__ memory a kernel needs that nothing launches: what its indices reach at most.
#include <fmt/format.h>

#include <algorithm>

#include "tuner/kernel/draft/passes/drafter.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;

bool is_of_threads(const CExpression& expression) {
  const auto names = names_in(expression);
  return !names.empty() &&
         std::ranges::all_of(names, [](const std::string& name) { return name.starts_with("threadIdx."); });
}

CExpression sum_with_one_number(const std::vector<CExpression>& parts, std::int64_t number) {
  Result sum;
  for (const CExpression& part : parts)
    for (const CExpression& term : terms_of(simplified(part))) {
      const bool negative = term.is(Kind::unary, "-");
      const CExpression& inner = negative ? term.parts.front() : term;
      if (inner.is_integer())
        number += negative ? -inner.value : inner.value;
      else
        sum = sum ? CExpression::binary(negative ? "-" : "+", *sum, inner) : term;
    }
  if (!sum) return CExpression::integer(number);
  if (number < 0) return CExpression::binary("-", *sum, CExpression::integer(-number));
  return number == 0 ? *sum : CExpression::binary("+", *sum, CExpression::integer(number));
}

// Returns whether each term of one sum is also a term of the other, which is then at least as large.
bool is_within(const CExpression& one, const CExpression& other) {
  const auto texts = [](const CExpression& sum) {
    std::multiset<std::string> result;
    for (const CExpression& term : terms_of(sum)) result.insert(manifest_text(term).value_or("?"));
    return result;
  };
  return std::ranges::includes(texts(other), texts(one));
}

// Returns whether the index is a step of a reduction's tree, as s[tid + d] where tid < d. It stays within what was
// there before.
bool is_step_of_tree(const Site& site, const CExpression& index) {
  const std::vector<CExpression> terms = terms_of(index);
  return std::ranges::any_of(terms, [&](const CExpression& one) {
    const auto bounds = site.body.bounds.find(one.text);
    return one.kind == Kind::name && bounds != site.body.bounds.end() &&
           std::ranges::any_of(terms, [&](const CExpression& other) {
             return other.kind == Kind::name && site.body.definitions.contains(other.text) &&
                    std::ranges::any_of(bounds->second,
                                        [&](const CExpression& bound) { return bound.is(Kind::name, other.text); });
           });
  });
}

}  // namespace

// Returns how many values a name has from 0 on.
Result Drafter::extent_of_name(const Site& site, const std::string& name, int depth) const {
  for (std::size_t i = 0; i < 3; ++i)
    if (name == std::string("threadIdx.") + axes[i]) return site.block[i];
  const auto definition = site.body.definitions.find(name);
  // If a variable is made of threads, their number says more than a bound does, which may be that of a reduction's
  // tree. The bound counts for a variable of a loop.
  if (definition != site.body.definitions.end() && is_of_threads(definition->second) && !site.body.steps.contains(name))
    return extent_of(site, definition->second, depth - 1);
  if (const auto bounds = site.body.bounds.find(name); bounds != site.body.bounds.end())
    for (const CExpression& bound : bounds->second) {
      const CExpression known = resolved_in_kernel(site, bound);
      const bool settled = std::ranges::all_of(names_in(known), [&](const std::string& part) {
        return draft_.find_parameter(part) || site.given.contains(part) || known_values_.contains(part);
      });
      if (settled && manifest_text(known)) return known;
    }
  if (definition == site.body.definitions.end()) return std::nullopt;
  return extent_of(site, definition->second, depth - 1);
}

// Returns how many values an index has from 0 on. Terms that vary reach as far as all of them do together, and fixed
// terms move the whole.
Result Drafter::extent_of(const Site& site, const CExpression& index, int depth) const {
  if (depth == 0) return std::nullopt;
  std::vector<CExpression> varying, fixed;
  for (const CExpression& term : terms_of(index)) {
    if (term.is(Kind::unary, "-")) continue;
    const CExpression known = resolved_in_kernel(site, term);
    const bool is_fixed = std::ranges::all_of(names_in(known), [&](const std::string& name) {
      return draft_.find_parameter(name) || known_values_.contains(name) ||
             (site.given.contains(name) && !site.body.definitions.contains(name));
    });
    if (is_fixed && manifest_text(known)) {
      fixed.push_back(known);
      continue;
    }
    const Result extent = term.kind == Kind::name ? extent_of_name(site, term.text, depth) : Result();
    if (!extent) return std::nullopt;
    varying.push_back(*extent);
  }
  if (varying.empty()) fixed.push_back(CExpression::integer(1));
  fixed.insert(fixed.begin(), varying.begin(), varying.end());
  return sum_with_one_number(fixed, varying.empty() ? 0 : 1 - static_cast<std::int64_t>(varying.size()));
}

// Returns the bytes for the largest of the indices that are understood, or std::nullopt if none is.
Result Drafter::dynamic_shared(const Site& site) const {
  for (const MemoryArray& array : site.kernel->shared) {
    const auto type = site.types.find(array.type);
    const std::int64_t bytes = bytes_of_type(type != site.types.end() ? type->second : array.type);
    const auto accesses = site.body.accesses.find(array.name);
    if (!array.is_extern || bytes == 0 || accesses == site.body.accesses.end()) continue;
    std::vector<CExpression> extents;
    std::set<std::string> seen;
    for (const Access& access : accesses->second) {
      if (!access.index || is_step_of_tree(site, *access.index)) continue;
      const Result extent = extent_of(site, *access.index);
      const auto text = extent ? manifest_text(*extent) : std::nullopt;
      if (text && !extent->is_integer() && seen.insert(*text).second) extents.push_back(*extent);
    }
    std::erase_if(extents, [all = extents](const CExpression& one) {
      return std::ranges::any_of(
          all, [&](const CExpression& other) { return is_within(one, other) && !is_within(other, one); });
    });
    if (extents.empty()) continue;
    CExpression most = extents.front();
    for (std::size_t i = 1; i < extents.size(); ++i) most = {Kind::call, "max", 0, {most, extents[i]}};
    return CExpression::binary("*", most, CExpression::integer(bytes));
  }
  return std::nullopt;
}

}  // namespace warptune::tuner::draft
