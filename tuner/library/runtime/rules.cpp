// Evaluates rules, and tries configurations that are near the default.
#include "tuner/library/runtime/rules.h"

#include <algorithm>

namespace warptune::runtime {

namespace {

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

}  // namespace

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

std::optional<search::NamedValues> nearest_to_default(const tuner::KernelTemplate& kernel, const Rules& rules) {
  std::vector<Near> tried = {default_of(kernel)};
  for (std::size_t changes = 1; changes <= most_changes; ++changes) {
    tried = changed(tried, kernel.parameters);
    for (const Near& near : tried)
      if (search::NamedValues values = values_of(near, kernel.parameters); rules.allow(values)) return values;
  }
  return std::nullopt;
}

}  // namespace warptune::runtime
