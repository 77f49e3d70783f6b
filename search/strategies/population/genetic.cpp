// Breeds children of members that win tournaments.
#include "search/space/moves.h"
#include "search/strategies/entries.h"
#include "search/strategies/population/population.h"
#include "search/strategies/stepwise.h"

namespace warptune::search {

namespace {

class Genetic : public Stepwise {
 public:
  explicit Genetic(const StrategyContext& context)
      : Stepwise(context, count_option(context, "samples", 0)),
        population_(count_option(context, "population", 2)),
        rounds_(count_option(context, "tournament", 1)),
        mutations_(real_option(context, "mutations")) {}

 private:
  std::optional<Proposal> propose() override {
    if (population_.size() < 2) return std::nullopt;
    const Configuration& mother = population_[population_.tournament(rounds_, rng())].configuration;
    const Configuration& father = population_[population_.tournament(rounds_, rng())].configuration;
    Configuration child = mother;
    for (std::size_t p = 0; p < child.choices.size(); ++p)
      if (rng().uniform() < 0.5) child.choices[p] = father.choices[p];
    mutate(child);
    return Proposal{repaired(space(), child, mother, rng()), 0};
  }

  void mutate(Configuration& child) {
    const double chance = mutations_ / static_cast<double>(child.choices.size());
    for (std::size_t p = 0; p < child.choices.size(); ++p) {
      const auto& domain = space().domains()[p];
      if (rng().uniform() < chance) child.choices[p] = domain[rng().below(domain.size())];
    }
  }

  void learn(const Configuration& configuration, double value, Owner) override {
    if (value == failed_value || population_.contains(configuration)) return;
    if (!population_.full())
      population_.join({configuration, value});
    else if (const std::size_t worst = population_.worst(); value < population_[worst].value)
      population_.replace(worst, {configuration, value});
  }

  Population population_;
  std::size_t rounds_;
  double mutations_;
};

}  // namespace

StrategyEntry genetic_strategy() {
  return {"genetic",
          "crossover and mutation, the worst gives way to the better child",
          {{"samples", std::int64_t{10}, "spread configurations to begin with"},
           {"population", std::int64_t{10}, "members"},
           {"tournament", std::int64_t{3}, "members drawn for each parent, of whom the best is taken"},
           {"mutations", 1.0, "parameters of a child changed at random, on average"}},
          make_stepwise<Genetic>};
}

}  // namespace warptune::search
