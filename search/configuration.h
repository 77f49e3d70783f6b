// Defines a configuration, which is one point of a search space, and its hash.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace warptune::search {

// A Configuration is one point of a search space. For each parameter, in the space's order, it holds an index into the
// parameter's declared domain. Only the SearchSpace knows what the indices mean (`values`, `key`).
struct Configuration {
  std::vector<std::uint32_t> choices;

  friend bool operator==(const Configuration&, const Configuration&) = default;
  friend auto operator<=>(const Configuration&, const Configuration&) = default;
};

struct ConfigurationHash {
  std::size_t operator()(const Configuration& configuration) const noexcept {
    std::uint64_t hash = 0x9e3779b97f4a7c15;
    for (std::uint32_t choice : configuration.choices) hash = (hash ^ choice) * 0xff51afd7ed558ccd, hash ^= hash >> 32;
    return hash;
  }
};

}  // namespace warptune::search
