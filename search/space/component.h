// One independent part of a search space. Private to search/.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "search/random.h"
#include "search/space/diagram.h"
#include "search/space/plan.h"
#include "search/space/row_table.h"

namespace warptune::search {

// Uniform over 0 … bound-1; `bound` must not be 0.
Count below(Rng& rng, Count bound);

// The valid choices for some parameters, whatever the other components choose. They are held as a diagram, or as rows
// where those are smaller. When the diagram would break the limits, some constraints are left out of it: it is then a
// superset, from which `sample` takes those that satisfy the rest.
class Component {
 public:
  // Throws std::overflow_error if the component has more than 2^128 choices to tell apart.
  static Component build(const ConstraintProblem& problem, const Scope& scope, const SpaceLimits& limits);
  // Rows whose columns are the `parameters`.
  Component(std::vector<std::uint32_t> parameters, RowTable rows)
      : parameters_(std::move(parameters)), choices_(std::move(rows)) {}

  const std::vector<std::uint32_t>& parameters() const { return parameters_; }
  // Of the superset unless `exact`.
  Count count() const;
  bool exact() const { return left_out_.empty(); }
  // In all of these `choices` is a whole configuration, of which only this component's parameters are touched.
  void at(Count rank, std::uint32_t* choices) const;
  std::optional<Count> rank_of(const std::uint32_t* choices) const;
  // Uniform over the valid choices. A draw from a superset that is not valid is taken off `draws`; false when they are
  // spent. Rows that were given as such have no problem.
  bool sample(Rng& rng, const ConstraintProblem* problem, std::uint32_t* choices, std::size_t& draws) const;
  // Uniform over the superset.
  void draw(Rng& rng, std::uint32_t* choices) const { at(below(rng, count()), choices); }
  // For each of the parameters, the choices that occur (in the superset unless `exact`).
  std::vector<std::vector<std::uint32_t>> used() const;
  std::size_t bytes() const;

 private:
  Component(std::vector<std::uint32_t> parameters, Diagram diagram)
      : parameters_(std::move(parameters)), choices_(std::move(diagram)) {}
  static std::optional<Component> attempt(const ConstraintProblem& problem, const Scope& scope, std::size_t max_nodes);
  void flatten_if_smaller();
  bool accepts(const ConstraintProblem& problem, std::vector<Scalar>& slots, const std::uint32_t* choices) const;

  std::vector<std::uint32_t> parameters_;
  std::variant<Diagram, RowTable> choices_;
  std::vector<Step> left_out_;  // computes and checks the constraints that the diagram does not know
};

}  // namespace warptune::search
