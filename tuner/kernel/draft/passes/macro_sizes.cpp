// Finds which of the sizes that a source has as macros is that of an axis, for kernels that take no integer. What the
// indices multiply rows with decides first, and then the names do.

#include <fmt/format.h>

#include <algorithm>

#include "tuner/kernel/draft/passes/geometry.h"
#include "tuner/kernel/draft/passes/integers.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;

bool is_made_of(const CExpression& expression, const std::set<std::string>& names) {
  return std::ranges::any_of(names_in(expression), [&](const std::string& name) { return names.contains(name); });
}

// Returns WIDTH for y * WIDTH + x, where the factors beside it are made of `outer` and another term is made of `inner`.
// Returns an empty text if there is no such factor.
std::string stride_between(const CExpression& index, const std::set<std::string>& inner,
                           const std::set<std::string>& outer, const std::vector<std::string>& sizes) {
  const std::vector<CExpression> terms = terms_of(index);
  const bool has_inner = std::ranges::any_of(terms, [&](const CExpression& term) { return is_made_of(term, inner); });
  for (const CExpression& term : terms) {
    const std::vector<CExpression> factors = factors_of(term);
    const bool has_outer =
        std::ranges::any_of(factors, [&](const CExpression& part) { return is_made_of(part, outer); });
    for (const CExpression& factor : factors) {
      const bool is_size = factor.kind == Kind::name && std::ranges::find(sizes, factor.text) != sizes.end();
      if (terms.size() > 1 && has_inner && has_outer && is_size && !is_made_of(term, inner)) return factor.text;
      if (factors.size() > 1 && terms_of(factor).size() > 1)
        if (std::string found = stride_between(factor, inner, outer, sizes); !found.empty()) return found;
    }
  }
  return "";
}

// Returns the sizes that are macros, in the order of the source. Sizes of masks and the like are not among them.
std::vector<std::string> macro_sizes(const Work& work) {
  std::vector<std::string> sizes;
  for (const NamedInteger& integer : work.facts.integers)
    if (work.meanings.known_values.contains(integer.name) && use_of_integer(work, integer) == Use::size)
      sizes.push_back(integer.name);
  return sizes;
}

// Returns the length of a row. Stores come before loads, because a border is only read.
Result row_length(const SourceFacts& facts, const Site& site, int axis, const std::vector<std::string>& sizes) {
  if (axis == 2) return std::nullopt;
  const std::set<std::string> inner = dependents_of(std::string("blockIdx.") + axes[axis], site.body),
                              outer = dependents_of(std::string("blockIdx.") + axes[axis + 1], site.body);
  for (const bool written : {true, false})
    for (const auto& [buffer, accesses] : site.body.accesses)
      for (const Access& access : accesses) {
        if (!access.index || access.write != written) continue;
        const auto definition = site.body.definitions.find(access.index->text);
        const bool is_variable = access.index->kind == Kind::name && definition != site.body.definitions.end();
        const CExpression& index = is_variable ? definition->second : *access.index;
        if (const std::string found = stride_between(without_derived(facts, index), inner, outer, sizes);
            !found.empty())
          return CExpression::name(found);
      }
  return std::nullopt;
}

}  // namespace

Result macro_size_of_axis(Work& work, const Site& site, int axis) {
  const std::vector<std::string> sizes = macro_sizes(work);
  const bool takes_integers = std::ranges::any_of(site.kernel->parameters, [](const FunctionParameter& parameter) {
    return parameter.pointers == 0 && may_be_size(parameter.type);
  });
  if (takes_integers || sizes.empty()) return std::nullopt;
  if (sizes.size() == 1) return CExpression::name(sizes.front());
  if (const Result length = row_length(work.facts, site, axis, sizes)) return length;
  for (const std::string& name : sizes)
    if (axis_of(name) == axis) return CExpression::name(name);
  if (const Result known = size_of_product(sizes, axis)) return known;
  // No index has the number of rows.
  const Result inner = axis > 0 ? row_length(work.facts, site, axis - 1, sizes) : Result();
  const auto other =
      std::ranges::find_if(sizes, [&](const std::string& name) { return !inner || inner->text != name; });
  work.draft.guesses.push_back(fmt::format("launches: {} is a guess for how many elements {} has along {}", *other,
                                           site.kernel->name, axes[axis]));
  return CExpression::name(*other);
}

}  // namespace warptune::tuner::draft
