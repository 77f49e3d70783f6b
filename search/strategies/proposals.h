#pragma once

#include <unordered_set>

#include "search/configuration.h"
#include "search/random.h"
#include "search/space/search_space.h"

namespace warptune::search {

// What a strategy has asked for or been told of: the promise never to propose a configuration twice, in one place.
class Proposals {
 public:
  explicit Proposals(const SearchSpace& space) : space_(space) {}

  // True the first time; the configuration then counts as proposed.
  bool add(const Configuration& configuration) { return known_.insert(configuration).second; }
  bool contains(const Configuration& configuration) const { return known_.contains(configuration); }
  bool exhausted() const { return known_.size() >= space_.size(); }
  std::size_t size() const { return known_.size(); }

  // A uniform valid configuration not proposed before, now counted as proposed; nothing if all are, or if the space is
  // so thin that none was found in the draws of a step.
  std::optional<Configuration> fresh(Rng& rng);

 private:
  std::optional<Configuration> sampled(Rng& rng) const;
  std::optional<Configuration> scan(Rng& rng);

  const SearchSpace& space_;
  std::unordered_set<Configuration, ConfigurationHash> known_;
};

}  // namespace warptune::search
