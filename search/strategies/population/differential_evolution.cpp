// Moves members along the differences of others, on positions among values.
#include "search/space/moves.h"
#include "search/strategies/entries.h"
#include "search/strategies/population/population.h"
#include "search/strategies/stepwise.h"

namespace warptune::search {

namespace {

class DifferentialEvolution : public Stepwise {
 public:
  explicit DifferentialEvolution(const StrategyContext& context)
      : Stepwise(context, count_option(context, "samples", 0)),
        population_(count_option(context, "population", 4)),
        scale_(real_option(context, "scale")),
        crossover_(real_option(context, "crossover")) {}

 private:
  std::optional<Proposal> propose() override {
    if (population_.size() < 4) return std::nullopt;
    const std::size_t target = next_++ % population_.size();
    const Configuration& parent = population_[target].configuration;
    return Proposal{repaired(space(), crossed(parent, mutant(parent)), parent, rng()), target};
  }

  // Returns the position from the parent some way to the best, and some way along the difference of two others.
  Position mutant(const Configuration& parent) {
    const Position a = position_of(space(), population_[population_.any(rng())].configuration);
    const Position b = position_of(space(), population_[population_.any(rng())].configuration);
    const Position top = position_of(space(), population_[population_.best()].configuration);
    Position x = position_of(space(), parent);
    for (std::size_t p = 0; p < x.size(); ++p) x[p] += scale_ * (top[p] - x[p]) + scale_ * (a[p] - b[p]);
    return x;
  }

  // At least one parameter is the mutant's, and changes if it can: on a grid differences often round to nothing.
  Configuration crossed(const Configuration& parent, const Position& from) {
    const Configuration other = choices_at(space(), from);
    Configuration child = parent;
    const std::size_t sure = rng().below(child.choices.size());
    for (std::size_t p = 0; p < child.choices.size(); ++p)
      if (p == sure || rng().uniform() < crossover_) child.choices[p] = other.choices[p];
    const auto& domain = space().domains()[sure];
    if (child == parent) child.choices[sure] = domain[rng().below(domain.size())];
    return child;
  }

  void learn(const Configuration& configuration, double value, Owner owner) override {
    if (value == failed_value || population_.contains(configuration)) return;
    if (!population_.full()) return population_.join({configuration, value});
    const std::size_t rival = owner == nobody ? population_.worst() : owner;
    if (value < population_[rival].value) population_.replace(rival, {configuration, value});
  }

  Population population_;
  double scale_, crossover_;
  std::size_t next_ = 0;
};

}  // namespace

StrategyEntry differential_evolution_strategy() {
  return {"differential_evolution",
          "members move along the differences of others, and towards the best",
          {{"samples", std::int64_t{10}, "spread configurations to begin with"},
           {"population", std::int64_t{10}, "members"},
           {"scale", 0.7, "how far along a difference"},
           {"crossover", 0.5, "share of parameters taken from the moved member"}},
          make_stepwise<DifferentialEvolution>};
}

}  // namespace warptune::search
