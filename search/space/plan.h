// Plans in which order a component's parameters are set, and what is computed and checked at each. This header is
// private to search/.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/space/constraint_problem.h"

namespace warptune::search {

// A Scope is a set of parameters that constraints tie together, directly or through others.
struct Scope {
  std::vector<std::uint32_t> parameters;  // ascending
  std::vector<Root> roots;

  // Returns the nodes that the roots are computed from, ascending.
  std::vector<NodeId> nodes(const Graph& graph) const;
};

// Returns the connected components of the constraint graph, by their first parameter. Parameters with a single value
// left are in none.
std::vector<Scope> find_components(const ConstraintProblem& problem);

struct SearchPlan {
  static constexpr NodeId no_node = ~NodeId{0};

  struct Level {
    std::uint32_t parameter;
    NodeId variable;  // no_node if no constraint reads the parameter
    std::uint32_t first_step;
    std::uint32_t last_step;
    // These are the nodes computed by now that later levels read: two partial configurations that agree on them have
    // the same completions.
    std::vector<NodeId> live;
    // This says whether two partial configurations can agree on `live` at all, given that all states before differ.
    bool merges;
  };

  std::vector<Level> levels;
  std::vector<Computation> steps;

  std::span<const Computation> steps_of(const Level& level) const {
    return {steps.data() + level.first_step, steps.data() + level.last_step};
  }
};

// `order` is a permutation of the scope's parameters.
SearchPlan make_plan(const ConstraintProblem& problem, const Scope& scope, const std::vector<std::uint32_t>& order);

// Returns the order that makes the diagram cheapest to build, by an estimate (search/README.md).
std::vector<std::uint32_t> choose_order(const ConstraintProblem& problem, const Scope& scope);

}  // namespace warptune::search
