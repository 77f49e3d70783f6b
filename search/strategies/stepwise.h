// Provides what most strategies share: they think of one configuration at a time, and learn from one result at a time.
#pragma once

#include <cstddef>
#include <limits>
#include <unordered_map>

#include "search/strategies/proposals.h"
#include "search/strategies/strategy.h"

namespace warptune::search {

// A failed trial has this value, which ranks below everything. It is only ever compared, never computed with.
inline constexpr double failed_value = std::numeric_limits<double>::infinity();
// At most this many neighbours are looked at around one configuration: a descent past a hundred thousand would never
// move on.
inline constexpr std::size_t most_neighbours = 10'000;

// Keeps the promises of the interface for its derived classes: the start first, no repeats, uniform samples when a
// derived class proposes nothing, or only what is known. Looking again at a known configuration costs nothing: its
// value is learnt at once.
class Stepwise : public Strategy {
 public:
  std::vector<Configuration> ask(std::size_t n) final;
  void tell(const Trial& trial) override;

 protected:
  // An Owner says who proposed a configuration: a member of a population, a stage of a walk, or whatever the derived
  // class numbers.
  using Owner = std::size_t;
  static constexpr Owner nobody = std::numeric_limits<Owner>::max();  // told unasked, the start, or a uniform sample

  struct Proposal {
    Configuration configuration;
    Owner owner = nobody;
  };

  // Begins with the start, then with `samples` configurations that are spread over the space, all nobody's.
  explicit Stepwise(const StrategyContext& context, std::size_t samples = 0);

  // Returns a valid configuration, known or not. If it returns nothing, a uniform sample is tried instead.
  virtual std::optional<Proposal> propose() = 0;
  // Learns a result, also one that was overtaken. `value` is the primary objective or failed_value.
  virtual void learn(const Configuration& configuration, double value, Owner owner) = 0;

  const SearchSpace& space() const { return space_; }
  Rng& rng() { return rng_; }
  // Returns the best of all that was told, correct trials only.
  const std::optional<Configuration>& best() const { return best_; }
  double best_value() const { return best_value_; }

 private:
  std::optional<Configuration> next();

  const SearchSpace& space_;
  Rng rng_;
  Proposals proposals_;
  std::vector<Configuration> beginning_;  // last first
  std::unordered_map<Configuration, double, ConfigurationHash> values_;
  std::unordered_map<Configuration, Owner, ConfigurationHash> owners_;  // of those in flight
  std::optional<Configuration> best_;
  double best_value_ = failed_value;
};

template <class Heir>
std::unique_ptr<Strategy> make_stepwise(const StrategyContext& context) {
  return std::make_unique<Heir>(context);
}

// These functions return hyperparameters as numbers; the registry has put in the defaults. They throw
// std::invalid_argument below the minimum.
std::size_t count_option(const StrategyContext& context, std::string_view name, std::size_t minimum);
double real_option(const StrategyContext& context, std::string_view name, double minimum = 0);

}  // namespace warptune::search
