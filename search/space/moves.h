// Provides the steps through a constrained space that strategies have in common.
#pragma once

#include <optional>
#include <vector>

#include "search/random.h"
#include "search/space/search_space.h"

namespace warptune::search {

// Returns a valid configuration that differs in one parameter, uniform over all of them, or nothing if there is none.
std::optional<Configuration> random_neighbour(const SearchSpace& space, const Configuration& configuration, Rng& rng);

// Returns the Hamming neighbours, or `most` of them drawn uniformly where there are more, as there are along wide
// domains.
std::vector<Configuration> some_neighbours(const SearchSpace& space, const Configuration& configuration,
                                           std::size_t most, Rng& rng);

// Returns the configuration after `steps` random steps from neighbour to neighbour.
Configuration kicked(const SearchSpace& space, Configuration configuration, std::size_t steps, Rng& rng);

// Returns the wanted configuration if it is valid, else a valid one that differs in one parameter, else the valid
// `base` with as many of the wanted choices, taken in random order, as the constraints allow.
Configuration repaired(const SearchSpace& space, const Configuration& wanted, const Configuration& base, Rng& rng);

// A Position is a configuration as a point in space. For each parameter, it holds the position among the values that
// occur in it. Arithmetic on positions respects the order of values, not their distances.
using Position = std::vector<double>;
Position position_of(const SearchSpace& space, const Configuration& configuration);
// Returns the nearest combination of choices, which may be invalid; positions beyond the ends are the ends.
Configuration choices_at(const SearchSpace& space, const Position& position);

}  // namespace warptune::search
