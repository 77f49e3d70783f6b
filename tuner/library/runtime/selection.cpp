// Chooses the configuration of a size: the first of wisdom's candidates that the template's constraints and the
// device's limits do not forbid there, else one near the default.
#include "tuner/library/runtime/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "search/expression/expression.h"
#include "tuner/device/device_info.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/kernel/problem.h"

namespace warptune::runtime {

namespace {

// Rules are the template's constraints and the device's limits, for one problem. The template must outlive them.
class Rules {
 public:
  Rules(const tuner::KernelTemplate& kernel, const tuner::Problem& problem, const tuner::DeviceInfo& device);

  bool allow(const search::NamedValues& configuration) const;
  // Returns the first rule that forbids the configuration, as its manifest writes it; empty if it is allowed.
  std::string broken_by(const search::NamedValues& configuration) const;

 private:
  struct Rule {
    search::Expression condition;
    std::string shown;  // in messages; empty: as the manifest writes it
  };

  search::NamedValues scope(const search::NamedValues& configuration) const;
  const Rule* first_broken(const search::NamedValues& scope) const;

  const tuner::KernelTemplate& kernel_;
  search::NamedValues constants_;
  std::vector<Rule> rules_;
};

// A rule that cannot be evaluated is not satisfied, as in a search space.
bool holds(const search::Expression& condition, const search::NamedValues& scope) {
  try {
    return search::truth(condition.evaluate(scope));
  } catch (const search::ExpressionError&) {
    return false;
  }
}

// A Near is a configuration, and how it came from the default.
struct Near {
  std::vector<std::size_t> choices;  // an index into each domain
  std::size_t next = 0;              // the first parameter that may still change
  std::size_t steps = 0;             // along the domains, from the default
};

// A launch waits for these tries, so there must not be millions.
constexpr std::size_t most_tried = 10'000, most_changes = 2;

std::size_t distance(std::size_t a, std::size_t b) {
  return a < b ? b - a : a - b;
}

// Returns the configurations in which one parameter more is changed, to each of its other values, those with fewest
// steps first.
std::vector<Near> changed(const std::vector<Near>& from, const std::vector<search::Parameter>& parameters) {
  std::vector<Near> result;
  for (const Near& near : from)
    for (std::size_t p = near.next; p < parameters.size(); ++p)
      for (std::size_t i = 0; i < parameters[p].values.size(); ++i) {
        if (i == near.choices[p]) continue;
        if (result.size() == most_tried) return result;
        result.push_back({near.choices, p + 1, near.steps + distance(i, near.choices[p])});
        result.back().choices[p] = i;
      }
  std::ranges::stable_sort(result, {}, &Near::steps);
  return result;
}

Near default_of(const tuner::KernelTemplate& kernel) {
  Near result;
  for (const search::Parameter& parameter : kernel.parameters) {
    const search::Value* value = search::find_value(kernel.default_values, parameter.name);
    const auto is_it = [&](const search::Value& known) { return value && search::same_value(known, *value); };
    const auto found = std::ranges::find_if(parameter.values, is_it);
    result.choices.push_back(found == parameter.values.end() ? 0 : found - parameter.values.begin());
  }
  return result;
}

search::NamedValues values_of(const Near& near, const std::vector<search::Parameter>& parameters) {
  search::NamedValues values;
  for (std::size_t p = 0; p < parameters.size(); ++p)
    values.emplace_back(parameters[p].name, parameters[p].values[near.choices[p]]);
  return values;
}

Rules::Rules(const tuner::KernelTemplate& kernel, const tuner::Problem& problem, const tuner::DeviceInfo& device)
    : kernel_(kernel), constants_(tuner::at_first_pass(problem_constants(problem.values(), device))) {
  for (const std::string& text : kernel.constraints) rules_.push_back({search::Expression::parse(text), ""});
  for (const search::Constraint& limit : device_constraints(kernel))
    rules_.push_back({search::Expression::parse(limit.text), limit.in_reports()});
}

search::NamedValues Rules::scope(const search::NamedValues& configuration) const {
  return tuner::scope_of(constants_, configuration);
}

const Rules::Rule* Rules::first_broken(const search::NamedValues& scope) const {
  const auto broken = [&](const Rule& rule) { return !holds(rule.condition, scope); };
  const auto found = std::ranges::find_if(rules_, broken);
  return found == rules_.end() ? nullptr : &*found;
}

bool Rules::allow(const search::NamedValues& configuration) const {
  return !first_broken(scope(configuration));
}

std::string Rules::broken_by(const search::NamedValues& configuration) const {
  const search::NamedValues names = scope(configuration);
  const Rule* broken = first_broken(names);
  if (!broken) return "";
  return broken->shown.empty() ? as_written(kernel_, broken->condition.text(), names) : broken->shown;
}

// Returns the allowed configuration that differs from the template's default in the fewest parameters, two at most, and
// of these the one whose values are nearest in their domains. It is found by trying, without the whole space, which may
// be large. Returns nothing if there is none.
std::optional<search::NamedValues> nearest_to_default(const tuner::KernelTemplate& kernel, const Rules& rules) {
  std::vector<Near> tried = {default_of(kernel)};
  for (std::size_t changes = 1; changes <= most_changes; ++changes) {
    tried = changed(tried, kernel.parameters);
    for (const Near& near : tried)
      if (search::NamedValues values = values_of(near, kernel.parameters); rules.allow(values)) return values;
  }
  return std::nullopt;
}

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
