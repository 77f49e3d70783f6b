// Defines what a SearchSpace is made of. This header is private to search/.
#pragma once

#include <optional>

#include "search/space/checker.h"
#include "search/space/component.h"
#include "search/space/constraint_problem.h"
#include "search/space/search_space.h"

namespace warptune::search {

struct SearchSpace::Impl {
  Impl(std::vector<Parameter> parameters_, std::vector<Constraint> constraints_, NamedValues constants_)
      : parameters(std::move(parameters_)), constraints(std::move(constraints_)), constants(std::move(constants_)) {}
  // An Impl has no copies, because the problem refers to the members above it.
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void count();
  void find_domains();
  bool within_domains(const Configuration& configuration) const;
  // Draws uniformly from the valid configurations, or nearly so where they are rare in a space that is not exact
  // (search/README.md). Draws that are not valid are taken off `draws`, a million of which take about a tenth of a
  // second. Returns nothing when they are spent. An exact space spends none.
  std::optional<Configuration> sample(Rng& rng, std::size_t& draws) const;
  std::optional<Configuration> sample_of_line(Rng& rng, std::size_t& draws) const;

  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  NamedValues constants;
  SpaceLimits limits;
  std::optional<ConstraintProblem> problem;  // absent in a space given by its rows
  std::optional<Checker> checker;
  std::vector<Component> components;
  Configuration fixed;  // the choices of single-valued parameters; 0 elsewhere
  Count size = 0;
  bool exact = true;
  std::vector<std::vector<std::uint32_t>> domains;
  std::vector<std::vector<bool>> in_domain;  // by parameter and choice
};

}  // namespace warptune::search
