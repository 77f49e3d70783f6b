// Holds one independent part of a search space. This header is private to search/.
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

// Returns a number that is uniform over 0 … bound-1; `bound` must not be 0.
Count below(Rng& rng, Count bound);

// A Component holds the valid choices for some parameters, whatever the other components choose. They are held as a
// diagram, or as rows where those are smaller. When the diagram would break the limits, some constraints are left out
// of it: it is then a superset, from which `sample` takes those that satisfy the rest.
class Component {
 public:
  // Throws std::overflow_error if the component has more than 2^128 choices to tell apart.
  static Component build(const ConstraintProblem& problem, const Scope& scope, const SpaceLimits& limits);
  // Makes a component of rows whose columns are the `parameters`.
  Component(std::vector<std::uint32_t> parameters, RowTable rows)
      : parameters_(std::move(parameters)), choices_(std::move(rows)) {}

  const std::vector<std::uint32_t>& parameters() const { return parameters_; }
  // Returns the number of valid choices, or that of the superset's choices unless `exact`.
  Count count() const;
  bool exact() const { return left_out_.empty(); }
  // In all of these `choices` is a whole configuration, of which only this component's parameters are touched.
  void at(Count rank, std::uint32_t* choices) const;
  std::optional<Count> rank_of(const std::uint32_t* choices) const;
  // Draws uniformly from the valid choices. A draw from a superset that is not valid is taken off `draws`. Returns
  // false when they are spent. `problem` may be null for rows that were given as such.
  bool sample(Rng& rng, const ConstraintProblem* problem, std::uint32_t* choices, std::size_t& draws) const;
  // Draws uniformly from the superset.
  void draw(Rng& rng, std::uint32_t* choices) const { at(below(rng, count()), choices); }
  // Returns for each of the parameters the choices that occur (in the superset unless `exact`).
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
  std::vector<Computation> left_out_;  // computes and checks the constraints that the diagram does not know
};

}  // namespace warptune::search
