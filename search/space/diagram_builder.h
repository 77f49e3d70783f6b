// Builds a diagram by backtracking over a plan, with memoised states. This header is private to search/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "search/space/diagram.h"
#include "search/space/plan.h"

namespace warptune::search {

// Returns nullopt when the diagram would take more than `max_nodes` (nodes, edges and remembered states together), or
// its count more than 128 bits, or when next to nothing (less than a choice in 256) of what was tried is valid after 16
// million tries. A component without a valid choice gives a diagram whose count is 0.
std::optional<Diagram> build_diagram(const ConstraintProblem& problem, const SearchPlan& plan, std::size_t max_nodes);

}  // namespace warptune::search
