// Keeps what a strategy has proposed, so that nothing is proposed twice.
#pragma once

#include <unordered_set>

#include "search/configuration.h"
#include "search/random.h"
#include "search/space/search_space.h"

namespace warptune::search {

// Proposals holds what a strategy has asked for or been told of. It keeps the promise never to propose a configuration
// twice, in one place.
class Proposals {
 public:
  explicit Proposals(const SearchSpace& space) : space_(space) {}

  // Returns true the first time; the configuration then counts as proposed.
  bool add(const Configuration& configuration) { return known_.insert(configuration).second; }
  bool contains(const Configuration& configuration) const { return known_.contains(configuration); }
  bool exhausted() const { return known_.size() >= space_.size(); }
  std::size_t size() const { return known_.size(); }

  // Returns a uniform valid configuration that was not proposed before, and counts it as proposed. Returns nothing if
  // all are, or if the space is so thin that none was found in the draws of a step.
  std::optional<Configuration> fresh(Rng& rng);

 private:
  std::optional<Configuration> sampled(Rng& rng) const;
  std::optional<Configuration> scan(Rng& rng);

  const SearchSpace& space_;
  std::unordered_set<Configuration, ConfigurationHash> known_;
};

}  // namespace warptune::search
