// Draws neighbours at random, and lists them only where they are few or rare.
#include "search/space/moves.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

namespace warptune::search {

namespace {

// Returns how many single changes of a configuration there are, valid or not.
std::size_t single_changes(const SearchSpace& space) {
  std::size_t changes = 0;
  for (const auto& domain : space.domains()) changes += domain.size() - std::min<std::size_t>(domain.size(), 1);
  return changes;
}

// Returns a change that is uniform over all single changes, valid or not, or nothing if every parameter has one value
// only.
std::optional<Configuration> random_change(const SearchSpace& space, Configuration configuration, Rng& rng) {
  const std::size_t changes = single_changes(space);
  if (changes == 0) return std::nullopt;
  std::size_t change = rng.below(changes), p = 0;
  for (; change >= space.domains()[p].size() - 1; ++p) change -= space.domains()[p].size() - 1;
  const auto& domain = space.domains()[p];
  const bool skips = domain[change] >= configuration.choices[p];  // past the current choice
  configuration.choices[p] = domain[change + (skips ? 1 : 0)];
  return configuration;
}

// Draws up to `most` different neighbours. It finds fewer where they are so rare that listing them is cheaper.
std::vector<Configuration> drawn_neighbours(const SearchSpace& space, const Configuration& configuration,
                                            std::size_t most, Rng& rng) {
  constexpr std::size_t draws_of_each = 8, first_look = 64;
  std::vector<Configuration> found;
  std::unordered_set<Configuration, ConfigurationHash> seen;
  for (std::size_t draws = 0; found.size() < most && draws < draws_of_each * most; ++draws) {
    if (draws == first_look && found.size() < first_look / draws_of_each) break;
    auto change = random_change(space, configuration, rng);
    if (!change || *change == configuration || !space.contains(*change) || !seen.insert(*change).second) continue;
    found.push_back(std::move(*change));
  }
  return found;
}

}  // namespace

// Rejection is uniform over the valid neighbours and far cheaper than listing them, unless they are rare.
std::optional<Configuration> random_neighbour(const SearchSpace& space, const Configuration& configuration, Rng& rng) {
  if (space.empty()) return std::nullopt;
  constexpr int draws = 16;
  for (int i = 0; i < draws; ++i) {
    auto change = random_change(space, configuration, rng);
    if (!change) return std::nullopt;
    if (*change != configuration && space.contains(*change)) return change;
  }
  auto neighbours = space.neighbours(configuration, Neighbourhood::hamming);
  if (neighbours.empty()) return std::nullopt;
  return std::move(neighbours[rng.below(neighbours.size())]);
}

std::vector<Configuration> some_neighbours(const SearchSpace& space, const Configuration& configuration,
                                           std::size_t most, Rng& rng) {
  if (single_changes(space) > 8 * most) {
    // Listing a hundred thousand would take longer than all that is done with a few.
    auto drawn = drawn_neighbours(space, configuration, most, rng);
    if (drawn.size() == most) return drawn;
  }
  std::vector<Configuration> neighbours = space.neighbours(configuration, Neighbourhood::hamming);
  if (neighbours.size() <= most) return neighbours;
  for (std::size_t i = 0; i < most; ++i) std::swap(neighbours[i], neighbours[i + rng.below(neighbours.size() - i)]);
  neighbours.resize(most);
  return neighbours;
}

Configuration kicked(const SearchSpace& space, Configuration configuration, std::size_t steps, Rng& rng) {
  for (std::size_t i = 0; i < steps; ++i) {
    auto next = random_neighbour(space, configuration, rng);
    if (!next) break;
    configuration = std::move(*next);
  }
  return configuration;
}

Configuration repaired(const SearchSpace& space, const Configuration& wanted, const Configuration& base, Rng& rng) {
  if (space.contains(wanted)) return wanted;
  if (auto neighbour = random_neighbour(space, wanted, rng)) return *neighbour;
  std::vector<std::size_t> order(wanted.choices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  rng.shuffle(order);
  Configuration result = base;
  for (std::size_t p : order) {
    const std::uint32_t before = std::exchange(result.choices[p], wanted.choices[p]);
    if (!space.contains(result)) result.choices[p] = before;
  }
  return result;
}

Position position_of(const SearchSpace& space, const Configuration& configuration) {
  Position position;
  for (std::size_t p = 0; p < configuration.choices.size(); ++p) {
    const auto& domain = space.domains()[p];
    position.push_back(
        static_cast<double>(std::ranges::lower_bound(domain, configuration.choices[p]) - domain.begin()));
  }
  return position;
}

Configuration choices_at(const SearchSpace& space, const Position& position) {
  Configuration configuration;
  for (std::size_t p = 0; p < position.size(); ++p) {
    const auto& domain = space.domains()[p];
    const double last = static_cast<double>(domain.size() - 1);
    configuration.choices.push_back(domain[static_cast<std::size_t>(std::clamp(std::round(position[p]), 0.0, last))]);
  }
  return configuration;
}

}  // namespace warptune::search
