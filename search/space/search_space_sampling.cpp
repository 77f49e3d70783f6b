// Draws from a space: uniformly, without repetition, spread out.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <unordered_set>

#include "search/space/moves.h"
#include "search/space/search_space_impl.h"

namespace warptune::search {

namespace {

// This many draws may be spent on one decision of a search (Impl::sample).
constexpr std::size_t draws_a_step = 1'000'000;

using ConfigurationSet = std::unordered_set<Configuration, ConfigurationHash>;

// Usage counts how often each value of each parameter has been used. It is weighted so that a parameter of two values
// and one of thirty count alike.
class Usage {
 public:
  explicit Usage(const SearchSpace& space) : space_(space) {
    for (const Parameter& parameter : space.parameters()) counts_.emplace_back(parameter.values.size());
  }

  void add(const Configuration& configuration) {
    for (std::size_t p = 0; p < counts_.size(); ++p) ++counts_[p][configuration.choices[p]];
  }
  // Returns a score: the lower it is, the more the configuration adds to what has been used so far.
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
Configuration descend(const SearchSpace& space, const Usage& usage, const ConfigurationSet& taken, Configuration at,
                      Rng& rng) {
  constexpr std::size_t enough = 1000;
  double best = usage.score(at);
  for (std::size_t moves = 0; moves < 2 * space.parameters().size(); ++moves) {
    const double before = best;
    for (Configuration& neighbour : some_neighbours(space, at, enough, rng)) {
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
  constexpr std::size_t most = 10'000'000;
  std::size_t draws = most;
  if (empty()) throw std::logic_error("cannot sample from an empty search space");
  if (auto configuration = impl_->sample(rng, draws)) return std::move(*configuration);
  throw std::runtime_error(
      fmt::format("cannot sample the search space: none of {} draws satisfied every constraint. The space is too "
                  "entangled for its node limit; raise the limit, or add constraints that narrow it",
                  most));
}

std::optional<Configuration> SearchSpace::Impl::sample(Rng& rng, std::size_t& draws) const {
  constexpr std::size_t most_single = 20'000;
  const std::size_t single = std::min(draws, most_single);
  std::size_t left = single;
  Configuration configuration = fixed;
  const ConstraintProblem* const its_problem = problem ? &*problem : nullptr;
  const bool found = std::ranges::all_of(components, [&](const Component& component) {
    return component.sample(rng, its_problem, configuration.choices.data(), left);
  });
  draws -= single - left;
  if (found) return configuration;
  return sample_of_line(rng, draws);
}

// Tries all values of one parameter of a draw at once, which finds valid configurations that single draws hardly ever
// meet. A configuration in a line of few valid ones is drawn more often than one in a line of many.
std::optional<Configuration> SearchSpace::Impl::sample_of_line(Rng& rng, std::size_t& draws) const {
  std::vector<std::uint32_t> valid;
  while (draws > 0) {
    Configuration configuration = fixed;
    for (const Component& component : components) component.draw(rng, configuration.choices.data());
    Checker::Variation variation(*checker, configuration.choices.data());
    const auto first = static_cast<std::uint32_t>(rng.below(domains.size()));
    for (std::uint32_t i = 0; i < domains.size(); ++i) {
      const auto p = static_cast<std::uint32_t>((first + i) % domains.size());
      draws -= std::min(draws, variation.find_valid(p, domains[p], valid));
      if (valid.empty()) continue;
      configuration.choices[p] = valid[rng.below(valid.size())];
      return configuration;
    }
  }
  return std::nullopt;
}

std::vector<Configuration> SearchSpace::sample_distinct(std::size_t n, Rng& rng) const {
  std::vector<Configuration> sample;
  if (empty()) return sample;
  if (!impl_->exact) {
    ConfigurationSet seen;
    constexpr std::size_t draws_of_each = 100;
    std::size_t draws = draws_a_step + draws_of_each * n;
    for (std::size_t i = 0; i < 20 * n && sample.size() < n; ++i) {
      auto configuration = impl_->sample(rng, draws);
      if (!configuration) break;
      if (seen.insert(*configuration).second) sample.push_back(std::move(*configuration));
    }
    return sample;
  }
  // Floyd's algorithm (Bentley and Floyd 1987) takes as many draws as configurations, and throws none away.
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
  std::size_t draws = draws_a_step;
  // A start may be taken already, as it often is in a small space. So there are more rounds than configurations.
  for (std::size_t round = 0; round < 4 * n && chosen.size() < n; ++round) {
    std::optional<Configuration> best;
    for (int start = 0; start < starts; ++start) {
      auto drawn = impl_->sample(rng, draws);
      if (!drawn) return chosen;
      Configuration candidate = descend(*this, usage, taken, std::move(*drawn), rng);
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
