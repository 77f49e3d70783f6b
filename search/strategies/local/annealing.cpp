// Walks to random neighbours, and accepts worse ones more rarely as the temperature falls.
#include <cmath>

#include "search/space/moves.h"
#include "search/strategies/entries.h"
#include "search/strategies/stepwise.h"

namespace warptune::search {

namespace {

class Annealing : public Stepwise {
 public:
  explicit Annealing(const StrategyContext& context)
      : Stepwise(context, count_option(context, "samples", 0)),
        hot_(real_option(context, "temperature")),
        cold_(real_option(context, "frozen")),
        cooling_(real_option(context, "cooling")),
        temperature_(hot_) {}

 private:
  std::optional<Proposal> propose() override {
    if (!current_) return std::nullopt;
    auto next = random_neighbour(space(), *current_, rng());
    if (!next) return std::nullopt;
    return Proposal{std::move(*next), 0};
  }

  void learn(const Configuration& configuration, double value, Owner owner) override {
    if (owner != nobody) cool();
    if (value == failed_value) return;
    const double worse = (value - current_value_) / std::abs(current_value_);
    const bool jump = owner != nobody && rng().uniform() < std::exp(-worse / temperature_);
    if (!current_ || worse <= 0 || jump) current_ = configuration, current_value_ = value;
  }

  void cool() {
    temperature_ *= cooling_;
    if (temperature_ >= cold_) return;
    temperature_ = hot_;
    if (best()) current_ = best(), current_value_ = best_value();
  }

  double hot_, cold_, cooling_;
  double temperature_;
  std::optional<Configuration> current_;
  double current_value_ = failed_value;
};

}  // namespace

StrategyEntry annealing_strategy() {
  return {"annealing",
          "a walk that accepts worse neighbours ever more rarely",
          {{"samples", std::int64_t{10}, "spread configurations to begin with"},
           {"temperature", 0.1, "relative loss accepted one time in e at the beginning"},
           {"frozen", 0.005, "temperature at which it is heated again"},
           {"cooling", 0.98, "temperature kept from step to step"}},
          make_stepwise<Annealing>};
}

}  // namespace warptune::search
