// Drawing from a space: uniformly, without repetition, spread out.
#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <unordered_set>

#include "search/space/search_space_impl.h"

namespace warptune::search {

namespace {

using ConfigurationSet = std::unordered_set<Configuration, ConfigurationHash>;

// How often each value of each parameter has been used, weighted so that a parameter of two values and one of thirty
// count alike.
class Usage {
 public:
  explicit Usage(const SearchSpace& space) : space_(space) {
    for (const Parameter& parameter : space.parameters()) counts_.emplace_back(parameter.values.size());
  }

  void add(const Configuration& configuration) {
    for (std::size_t p = 0; p < counts_.size(); ++p) ++counts_[p][configuration.choices[p]];
  }
  // The lower, the more it adds to what has been used so far.
  double score(const Configuration& configuration) const {
    double sum = 0;
    for (std::size_t p = 0; p < counts_.size(); ++p)
      sum += counts_[p][configuration.choices[p]] * static_cast<double>(space_.domains()[p].size());
    return sum;
  }

 private:
  const SearchSpace& space_;
  std::vector<std::vector<std::uint32_t>> counts_;
};

// Walks to ever better neighbours that are not taken.
Configuration descend(const SearchSpace& space, const Usage& usage, const ConfigurationSet& taken, Configuration at) {
  double best = usage.score(at);
  for (std::size_t moves = 0; moves < 2 * space.parameters().size(); ++moves) {
    const double before = best;
    for (Configuration& neighbour : space.neighbours(at, Neighbourhood::hamming)) {
      const double score = usage.score(neighbour);
      if (score >= best || taken.contains(neighbour)) continue;
      best = score;
      at = std::move(neighbour);
    }
    if (best == before) break;
  }
  return at;
}

}  // namespace

Configuration SearchSpace::sample(Rng& rng) const {
  if (empty()) throw std::logic_error("cannot sample from an empty search space");
  Configuration configuration = impl_->fixed;
  for (const Component& component : impl_->components)
    component.sample(rng, impl_->problem ? &*impl_->problem : nullptr, configuration.choices.data());
  return configuration;
}

std::vector<Configuration> SearchSpace::sample_distinct(std::size_t n, Rng& rng) const {
  std::vector<Configuration> sample;
  if (empty()) return sample;
  if (!impl_->exact) {
    ConfigurationSet seen;
    for (std::size_t draws = 0; draws < 20 * n && sample.size() < n; ++draws) {
      Configuration configuration = this->sample(rng);
      if (seen.insert(configuration).second) sample.push_back(std::move(configuration));
    }
    return sample;
  }
  // Floyd's algorithm (Bentley and Floyd 1987): as many draws as configurations, none thrown away.
  if (n > size()) n = static_cast<std::size_t>(size());
  std::set<Count> chosen;
  sample.reserve(n);
  for (Count last = size() - n; last < size(); ++last) {
    const Count draw = below(rng, last + 1);
    const Count pick = chosen.contains(draw) ? last : draw;
    chosen.insert(pick);
    sample.push_back(at(pick));
  }
  rng.shuffle(sample);  // late picks of Floyd's are not where chance would put them
  return sample;
}

std::vector<Configuration> SearchSpace::spread(std::size_t n, Rng& rng) const {
  if (empty() || n >= size()) return sample_distinct(n, rng);
  constexpr int starts = 4;
  Usage usage(*this);
  ConfigurationSet taken;
  std::vector<Configuration> chosen;
  // A start may be taken already, in a small space often; hence more rounds than configurations.
  for (std::size_t round = 0; round < 4 * n && chosen.size() < n; ++round) {
    std::optional<Configuration> best;
    for (int start = 0; start < starts; ++start) {
      Configuration candidate = descend(*this, usage, taken, sample(rng));
      if (taken.contains(candidate)) continue;
      if (!best || usage.score(candidate) < usage.score(*best)) best = std::move(candidate);
    }
    if (!best) continue;
    usage.add(*best);
    taken.insert(*best);
    chosen.push_back(std::move(*best));
  }
  return chosen;
}

}  // namespace warptune::search
