// Hops from the optima of the climber, and accepts new ones by the Metropolis rule.
#include <cmath>

#include "search/space/moves.h"
#include "search/strategies/entries.h"
#include "search/strategies/local/climber.h"

namespace warptune::search {

namespace {

class BasinHopping : public Climber {
 public:
  explicit BasinHopping(const StrategyContext& context)
      : Climber(context, count_option(context, "samples", 0), false),
        hop_(count_option(context, "hop", 1)),
        temperature_(real_option(context, "temperature")) {}

 private:
  std::optional<Configuration> leave() override {
    if (!basin_) return std::nullopt;
    return kicked(space(), *basin_, hop_, rng());
  }

  void arrived(const Configuration& optimum, double value) override {
    const double worse = (value - basin_value_) / std::abs(basin_value_);
    if (!basin_ || worse <= 0 || rng().uniform() < std::exp(-worse / temperature_))
      basin_ = optimum, basin_value_ = value;
  }

  std::size_t hop_;
  double temperature_;
  std::optional<Configuration> basin_;
  double basin_value_ = failed_value;
};

}  // namespace

StrategyEntry basin_hopping_strategy() {
  return {"basin_hopping",
          "a Metropolis walk over local optima",
          {{"samples", std::int64_t{10}, "spread configurations to begin with"},
           {"hop", std::int64_t{3}, "parameters changed by a hop"},
           {"temperature", 0.05, "how much worse, relatively, a basin may be to be accepted one time in e"}},
          make_stepwise<BasinHopping>};
}

}  // namespace warptune::search
