// Makes a climber that begins again from a uniform sample.
#include "search/strategies/entries.h"
#include "search/strategies/local/climber.h"

namespace warptune::search {

namespace {

class HillClimbing : public Climber {
 public:
  explicit HillClimbing(const StrategyContext& context)
      : Climber(context, count_option(context, "samples", 0), *find_value(context.options, "steepest") == Value(true)) {
  }

 private:
  std::optional<Configuration> leave() override { return std::nullopt; }
};

}  // namespace

StrategyEntry hill_climbing_strategy() {
  return {"hill_climbing",
          "to a better neighbour until there is none, then again from a uniform sample",
          {{"samples", std::int64_t{10}, "spread configurations to begin with"},
           {"steepest", false, "look at all neighbours before moving to the best"}},
          make_stepwise<HillClimbing>};
}

}  // namespace warptune::search
