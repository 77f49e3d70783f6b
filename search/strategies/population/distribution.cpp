// Draws each parameter's value by how often the elite has it and how often it failed.
#include <algorithm>

#include "search/space/moves.h"
#include "search/strategies/entries.h"
#include "search/strategies/population/population.h"
#include "search/strategies/stepwise.h"

namespace warptune::search {

namespace {

class Distribution : public Stepwise {
 public:
  explicit Distribution(const StrategyContext& context)
      : Stepwise(context, count_option(context, "samples", 1)),
        elite_(count_option(context, "elite", 1)),
        smoothing_(real_option(context, "smoothing")) {
    for (const Parameter& parameter : space().parameters()) failures_.emplace_back(parameter.values.size());
  }

 private:
  std::optional<Proposal> propose() override {
    if (elite_.size() == 0) return std::nullopt;
    Configuration wanted;
    for (std::size_t p = 0; p < failures_.size(); ++p) wanted.choices.push_back(draw(p));
    return Proposal{repaired(space(), wanted, elite_[elite_.any(rng())].configuration, rng()), 0};
  }

  std::uint32_t draw(std::size_t p) {
    const auto& domain = space().domains()[p];
    std::vector<double> weights(failures_[p].size(), 0.0);
    for (std::uint32_t choice : domain) weights[choice] = smoothing_ / static_cast<double>(domain.size());
    for (std::size_t i = 0; i < elite_.size(); ++i)
      weights[elite_[i].configuration.choices[p]] += 1 / static_cast<double>(elite_.size());
    double sum = 0;
    for (std::uint32_t choice : domain) sum += weights[choice] /= 1 + failures_[p][choice];
    double left = rng().uniform() * sum;
    for (std::uint32_t choice : domain)
      if ((left -= weights[choice]) < 0) return choice;
    return domain.back();
  }

  // A failure is shared out among its parameters: one of them is to blame, and nobody knows which.
  void learn(const Configuration& configuration, double value, Owner) override {
    for (std::size_t p = 0; p < failures_.size(); ++p)
      if (value == failed_value) failures_[p][configuration.choices[p]] += 1 / static_cast<double>(failures_.size());
    if (value == failed_value || elite_.contains(configuration)) return;
    if (!elite_.full())
      elite_.join({configuration, value});
    else if (const std::size_t worst = elite_.worst(); value < elite_[worst].value)
      elite_.replace(worst, {configuration, value});
  }

  Population elite_;
  double smoothing_;
  std::vector<std::vector<double>> failures_;  // by parameter and choice
};

}  // namespace

StrategyEntry distribution_strategy() {
  return {"distribution",
          "draws values as often as the best configurations have them",
          {{"samples", std::int64_t{10}, "spread configurations to begin with"},
           {"elite", std::int64_t{5}, "best configurations that are counted"},
           {"smoothing", 0.3, "weight of drawing uniformly, against the elite's 1"}},
          make_stepwise<Distribution>};
}

}  // namespace warptune::search
