// Chooses the configuration of a size: the first of wisdom's candidates that the constraints do not forbid there.
#include "tuner/library/runtime/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/kernel/problem.h"
#include "tuner/library/runtime/rules.h"

namespace warptune::runtime {

namespace {

// Returns the values in the template's order; nothing if a parameter is missing or its value is none of the domain's.
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

// Returns the default, or what is nearest to it if a rule forbids the default here. What a template forbids may write
// where it must not.
search::NamedValues without_wisdom(const tuner::KernelTemplate& kernel, const Rules& rules,
                                   const tuner::Problem& problem) {
  const std::string broken = rules.broken_by(kernel.default_values);
  if (broken.empty()) return kernel.default_values;
  if (auto near = nearest_to_default(kernel, rules)) return *std::move(near);
  throw Error(fmt::format(
      "{} forbids {} for {}: {}. Nothing near this default is allowed there, and no wisdom has anything that is: take "
      "another size, or tune this one",
      kernel.name, search::to_text(kernel.default_values), problem.text(), broken));
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
  const Rules rules(kernel, problem, device);
  for (const tuner::WisdomEntry* entry : candidates(wisdom, device.name, device.compute_capability, problem)) {
    const search::NamedValues values = *template_values(kernel, entry->values);
    if (!rules.allow(values)) continue;
    return {entry->device == device.name ? Source::device : Source::architecture, entry, values,
            tuner::size_distance(entry->sizes, problem.sizes) > 1};
  }
  return {Source::default_configuration, nullptr, without_wisdom(kernel, rules, problem)};
}

}  // namespace warptune::runtime
