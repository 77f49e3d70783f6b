// Finds and adds the parts of a draft, and evaluates its expressions.
#include "tuner/kernel/draft/passes/draft.h"

#include <algorithm>

#include "search/expression/expression.h"

namespace warptune::tuner::draft {

const ParameterDraft* Draft::find_parameter(const std::string& wanted) const {
  const auto found = std::ranges::find(parameters, wanted, &ParameterDraft::name);
  return found == parameters.end() ? nullptr : &*found;
}

const SizeDraft* Draft::find_size(const std::string& wanted) const {
  const auto found = std::ranges::find(sizes, wanted, &SizeDraft::name);
  return found == sizes.end() ? nullptr : &*found;
}

SizeDraft* Draft::find_size(const std::string& wanted) {
  const auto found = std::ranges::find(sizes, wanted, &SizeDraft::name);
  return found == sizes.end() ? nullptr : &*found;
}

ArgumentDraft* Draft::find_argument(const std::string& wanted) {
  const auto found = std::ranges::find(arguments, wanted, &ArgumentDraft::name);
  return found == arguments.end() ? nullptr : &*found;
}

ParameterDraft& add_parameter(Draft& draft, const std::string& name, Use use, std::int64_t value,
                              const std::string& comment) {
  for (ParameterDraft& known : draft.parameters)
    if (known.name == name) return known;
  ParameterDraft parameter{name, domain_of(use, value), value, false, about(use), comment, use};
  draft.parameters.push_back(std::move(parameter));
  return draft.parameters.back();
}

void add_constraint(Draft& draft, const std::string& text) {
  search::NamedValues largest;
  for (const ParameterDraft& parameter : draft.parameters)
    largest.emplace_back(evaluable(draft, parameter.name), parameter.values.back());
  for (const SizeDraft& size : draft.sizes) largest.emplace_back(evaluable(draft, size.name), size.value);
  if (search::truth(search::Expression::parse(evaluable(draft, text)).evaluate(largest))) return;
  if (std::ranges::find(draft.constraints, text) == draft.constraints.end()) draft.constraints.push_back(text);
}

bool holds_by_default(const Draft& draft, const std::string& condition) {
  search::NamedValues values;
  for (const ParameterDraft& parameter : draft.parameters)
    values.emplace_back(evaluable(draft, parameter.name), parameter.fallback);
  for (const SizeDraft& size : draft.sizes) values.emplace_back(evaluable(draft, size.name), size.value);
  try {
    return search::truth(search::Expression::parse(evaluable(draft, condition)).evaluate(values));
  } catch (const search::ExpressionError&) {
    return true;
  }
}

std::optional<std::int64_t> value_by_default(const Draft& draft, const std::string& text,
                                             std::int64_t SizeDraft::*of_size) {
  search::NamedValues values;
  for (const ParameterDraft& parameter : draft.parameters)
    values.emplace_back(evaluable(draft, parameter.name), parameter.fallback);
  for (const SizeDraft& size : draft.sizes) values.emplace_back(evaluable(draft, size.name), size.*of_size);
  try {
    return search::to_integer(search::Expression::parse(evaluable(draft, text)).evaluate(values));
  } catch (const search::ExpressionError&) {
    return std::nullopt;
  }
}

}  // namespace warptune::tuner::draft
