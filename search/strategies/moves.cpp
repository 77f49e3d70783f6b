#include "search/strategies/moves.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace warptune {

std::optional<Configuration> random_neighbour(const SearchSpace& space, const Configuration& configuration, Rng& rng) {
  auto neighbours = space.neighbours(configuration, Neighbourhood::hamming);
  if (neighbours.empty()) return std::nullopt;
  return std::move(neighbours[rng.below(neighbours.size())]);
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

}  // namespace warptune
