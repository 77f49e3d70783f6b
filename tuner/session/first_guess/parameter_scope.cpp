// Resolves each name once: to a constant, or to a parameter's place in the space.
#include "tuner/session/first_guess/parameter_scope.h"

#include <algorithm>

namespace warptune::tuner {

namespace {

constexpr std::size_t no_parameter = static_cast<std::size_t>(-1);

}  // namespace

void ParameterScope::note(const search::Expression& expression, const search::NamedValues& constants) {
  for (const std::string& name : expression.names()) {
    if (std::ranges::find(names_, name, &Name::name) != names_.end()) continue;
    if (const search::Value* constant = search::find_value(constants, name)) {
      names_.push_back({name, *constant, no_parameter});
      continue;
    }
    const auto& parameters = space_->parameters();
    const auto found = std::ranges::find(parameters, name, &search::Parameter::name);
    if (found != parameters.end()) names_.push_back({name, {}, static_cast<std::size_t>(found - parameters.begin())});
  }
}

const search::Value* ParameterScope::find(std::string_view name, const search::Configuration& configuration) const {
  const auto found = std::ranges::find(names_, name, &Name::name);
  if (found == names_.end()) return nullptr;
  if (found->parameter == no_parameter) return &found->constant;
  return &space_->parameters()[found->parameter].values[configuration.choices[found->parameter]];
}

search::Value ParameterScope::value(const search::Expression& expression,
                                    const search::Configuration& configuration) const {
  return expression.evaluate([&](std::string_view name) { return find(name, configuration); });
}

double ParameterScope::number(const search::Expression& expression, const search::Configuration& configuration) const {
  return search::to_double(value(expression, configuration));
}

}  // namespace warptune::tuner
