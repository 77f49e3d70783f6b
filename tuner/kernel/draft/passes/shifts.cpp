// Finds scalars that move all indices of a buffer, as in y[i + offset]. The buffer then has that many elements more,
// and the scalar is no length.
#include <fmt/format.h>

#include <algorithm>

#include "tuner/kernel/draft/passes/drafter.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;

// Returns whether the name is a term of an index itself. A factor does not count, as in y[i * offset], and neither does
// a term of a variable that the index only contains.
bool is_term_of_index(const BodyAnalysis& body, const std::string& name) {
  const auto has_term = [&](const CExpression& index) {
    const auto terms = terms_of(index);
    return terms.size() > 1 &&
           std::ranges::any_of(terms, [&](const CExpression& term) { return term.is(Kind::name, name); });
  };
  for (const auto& [buffer, accesses] : body.accesses)
    for (const Access& access : accesses) {
      if (!access.index) continue;
      if (has_term(*access.index)) return true;
      const auto definition = body.definitions.find(access.index->text);
      if (access.index->kind == Kind::name && definition != body.definitions.end() && has_term(definition->second))
        return true;
    }
  return false;
}

}  // namespace

// A scalar that is compared is a length, one that is multiplied a stride, and a radius reaches to both sides.
bool Drafter::is_shift(const Site& site, const std::string& name) const {
  const BodyAnalysis& body = site.body;
  if (use_of(name, 0) == Use::radius || name == "r" || name == "R") return false;
  if (body.compared.contains(name) || body.multiplied.contains(name) || body.definitions.contains(name)) return false;
  const auto is_in = [&](const CExpression& expression) { return names_in(expression).contains(name); };
  for (const auto& [variable, bounds] : body.bounds)
    if (variable == name || std::ranges::any_of(bounds, is_in)) return false;
  for (const auto& [variable, step] : body.steps)
    if (is_in(step)) return false;
  return is_term_of_index(body, name);
}

void Drafter::find_shifts(Site& site) const {
  for (const FunctionParameter& parameter : site.kernel->parameters)
    if (parameter.pointers == 0 && may_be_size(parameter.type) && is_shift(site, parameter.name))
      site.body.shifts.insert(parameter.name);
}

// Settles a shift that the source gives no value at 1, the smallest that a manifest takes for a size. Returns false for
// other sizes.
bool Drafter::settle_shift(SizeDraft& size) {
  const bool is_one =
      std::ranges::any_of(sites_, [&](const Site& site) { return site.body.shifts.contains(size.name); });
  if (!is_one) return false;
  size.value = 1;
  size.comment = "a guess: it moves an index, and no host code says how far";
  draft_.guesses.push_back(fmt::format(
      "[sizes] {0}: 1 is a guess. It moves an index, so buffers have {0} elements more than the kernel goes through",
      size.name));
  return true;
}

}  // namespace warptune::tuner::draft
