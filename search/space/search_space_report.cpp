// Reports what the constraints do to a space: each alone, and against each other.
#include <algorithm>

#include "search/space/search_space_impl.h"

namespace warptune::search {

namespace {

// Returns the space that these constraints alone make of the parameters they read.
SearchSpace restricted(const SearchSpace& space, const NamedValues& constants, const SpaceLimits& limits,
                       std::vector<Constraint> constraints) {
  std::vector<std::string> names;
  for (const Constraint& constraint : constraints) {
    const std::vector<std::string> read =
        constraint.predicate ? constraint.names : Expression::parse(constraint.text).names();
    names.insert(names.end(), read.begin(), read.end());
  }
  std::vector<Parameter> parameters;
  for (const Parameter& parameter : space.parameters())
    if (std::ranges::find(names, parameter.name) != names.end()) parameters.push_back(parameter);
  return SearchSpace::build(std::move(parameters), std::move(constraints), constants, limits);
}

// Returns how many configurations of the product of all parameters are rejected by `alone`, which is a space of some of
// them.
std::optional<Count> rejected(const SearchSpace& alone, const std::vector<Parameter>& parameters) {
  if (!alone.exact() || alone.cartesian_size() == ~Count{0}) return std::nullopt;
  Count count = alone.cartesian_size() - alone.size();
  for (const Parameter& parameter : parameters) {
    const auto same = [&](const Parameter& candidate) { return candidate.name == parameter.name; };
    if (std::ranges::any_of(alone.parameters(), same)) continue;
    if (__builtin_mul_overflow(count, Count{parameter.values.size()}, &count)) return std::nullopt;
  }
  return count;
}

}  // namespace

std::vector<KillCount> SearchSpace::kill_counts() const {
  std::vector<KillCount> counts;
  for (const Constraint& constraint : impl_->constraints) {
    const SearchSpace alone = restricted(*this, impl_->constants, impl_->limits, {constraint});
    counts.push_back({constraint.in_reports(), rejected(alone, impl_->parameters)});
  }
  return counts;
}

std::vector<std::string> SearchSpace::contradiction() const {
  std::vector<std::string> all;
  if (!empty()) return all;
  const std::vector<Constraint>& constraints = impl_->constraints;
  const auto contradict = [&](std::vector<Constraint> some) {
    return restricted(*this, impl_->constants, impl_->limits, std::move(some)).empty();
  };
  for (const Constraint& constraint : constraints)
    if (contradict({constraint})) return {constraint.in_reports()};
  for (std::size_t i = 0; i < constraints.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (contradict({constraints[j], constraints[i]}))
        return {constraints[j].in_reports(), constraints[i].in_reports()};
  for (const Constraint& constraint : constraints) all.push_back(constraint.in_reports());
  return all;
}

}  // namespace warptune::search
