// Which configuration a size gets: wisdom's candidates, less those that the constraints forbid there.
#include "tuner/runtime/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/kernel/problem.h"

namespace warptune::runtime {

namespace {

// In the template's order; nothing if a parameter is missing or its value is none of the domain's.
std::optional<search::NamedValues> template_values(const tuner::KernelTemplate& kernel,
                                                   const search::NamedValues& values) {
  search::NamedValues ordered;
  for (const search::Parameter& parameter : kernel.parameters) {
    const search::Value* value = search::find_value(values, parameter.name);
    const auto known = [&](const search::Value& possible) { return value && search::same_value(possible, *value); };
    const auto found = std::ranges::find_if(parameter.values, known);
    if (found == parameter.values.end()) return std::nullopt;
    ordered.emplace_back(parameter.name, *found);
  }
  if (ordered.size() != values.size()) return std::nullopt;
  return ordered;
}

// A constraint that cannot be evaluated is not satisfied, as in a search space.
bool holds(const std::string& constraint, const search::NamedValues& scope) {
  try {
    return search::truth(search::Expression::parse(constraint).evaluate(scope));
  } catch (const search::ExpressionError&) {
    return false;
  }
}

bool allowed(const tuner::KernelTemplate& kernel, const search::NamedValues& values,
             const search::NamedValues& constants) {
  const search::NamedValues scope = tuner::at_first_pass(tuner::scope_of(constants, values));
  const auto check = [&](const std::string& constraint) { return holds(constraint, scope); };
  return std::ranges::all_of(kernel.constraints, check) &&
         std::ranges::all_of(device_constraints(kernel), check, &search::Constraint::text);
}

bool same_problem_names(const tuner::WisdomEntry& entry, const tuner::KernelTemplate& kernel) {
  const auto size = [&](const auto& named) { return search::find_value(kernel.sizes, named.first) != nullptr; };
  const auto variant = [&](const auto& named) {
    return std::ranges::find(kernel.variants, named.first, &search::Parameter::name) != kernel.variants.end();
  };
  return entry.sizes.size() == kernel.sizes.size() && std::ranges::all_of(entry.sizes, size) &&
         entry.variants.size() == kernel.variants.size() && std::ranges::all_of(entry.variants, variant);
}

}  // namespace

void require_fit(const tuner::Wisdom& wisdom, const tuner::KernelTemplate& kernel, const std::string& file) {
  if (wisdom.kernel != kernel.name)
    throw Error(fmt::format("the wisdom {} is about {}, not {}", file, wisdom.kernel, kernel.name));
  for (const tuner::WisdomEntry& entry : wisdom.entries)
    if (!template_values(kernel, entry.values) || !same_problem_names(entry, kernel))
      throw Error(fmt::format(
          "the wisdom {} is of another version of {}: {} at {} is not among its parameters, sizes and variants; "
          "tune again, or take the template that it belongs to",
          file, kernel.name, search::to_text(entry.values), tuner::Problem{entry.sizes, entry.variants}.text()));
}

Selection select(const tuner::KernelTemplate& kernel, const tuner::Wisdom& wisdom, const tuner::DeviceInfo& device,
                 const tuner::Problem& problem) {
  const search::NamedValues constants = problem_constants(problem.values(), device);
  for (const tuner::WisdomEntry* entry : candidates(wisdom, device.name, device.compute_capability, problem)) {
    const search::NamedValues values = *template_values(kernel, entry->values);
    if (!allowed(kernel, values, constants)) continue;
    return {entry->device == device.name ? Source::device : Source::architecture, entry, values,
            tuner::size_distance(entry->sizes, problem.sizes) > 1};
  }
  return {Source::default_configuration, nullptr, kernel.default_values};
}

}  // namespace warptune::runtime
