// Moves fireflies towards better ones, on positions among values.
#include <cmath>

#include "search/space/moves.h"
#include "search/strategies/entries.h"
#include "search/strategies/population/population.h"
#include "search/strategies/stepwise.h"

namespace warptune::search {

namespace {

class Firefly : public Stepwise {
 public:
  explicit Firefly(const StrategyContext& context)
      : Stepwise(context, count_option(context, "samples", 0)),
        population_(count_option(context, "fireflies", 2)),
        attraction_(real_option(context, "attraction")),
        absorption_(real_option(context, "absorption")),
        noise_(real_option(context, "noise")) {}

 private:
  std::optional<Proposal> propose() override {
    if (population_.size() < 2) return std::nullopt;
    const std::size_t self = next_++ % population_.size();
    const std::size_t other = population_.tournament(3, rng());
    const Configuration& from = population_[self].configuration;
    const bool brighter = population_[other].value < population_[self].value;
    const Configuration wanted = flown(from, brighter ? population_[other].configuration : from);
    return Proposal{repaired(space(), wanted, from, rng()), self};
  }

  // Distances are shares of each domain, so that long domains do not outweigh short ones.
  Configuration flown(const Configuration& from, const Configuration& to) {
    Position at = position_of(space(), from);
    const Position target = position_of(space(), to);
    double distance = 0;
    for (std::size_t p = 0; p < at.size(); ++p) distance += std::pow((target[p] - at[p]) / length(p), 2);
    const double pull = attraction_ * std::exp(-absorption_ * distance);
    for (std::size_t p = 0; p < at.size(); ++p)
      at[p] += pull * (target[p] - at[p]) + noise_ * length(p) * rng().normal();
    return choices_at(space(), at);
  }

  double length(std::size_t parameter) const { return static_cast<double>(space().domains()[parameter].size()); }

  void learn(const Configuration& configuration, double value, Owner owner) override {
    if (value == failed_value || population_.contains(configuration)) return;
    if (!population_.full()) return population_.join({configuration, value});
    const std::size_t place = owner == nobody ? population_.worst() : owner;
    if (value < population_[place].value) population_.replace(place, {configuration, value});
  }

  Population population_;
  double attraction_, absorption_, noise_;
  std::size_t next_ = 0;
};

}  // namespace

StrategyEntry firefly_strategy() {
  return {"firefly",
          "each flies towards a better one, with a random part",
          {{"samples", std::int64_t{10}, "spread configurations to begin with"},
           {"fireflies", std::int64_t{10}, "size of the swarm"},
           {"attraction", 0.9, "share of the way to a better one nearby"},
           {"absorption", 0.3, "how fast attraction falls with the squared distance"},
           {"noise", 0.1, "standard deviation of the random part, as a share of a domain"}},
          make_stepwise<Firefly>};
}

}  // namespace warptune::search
