// Makes a climber that begins again near the best, or now and then from a uniform sample.
#include "search/space/moves.h"
#include "search/strategies/entries.h"
#include "search/strategies/local/climber.h"

namespace warptune::search {

namespace {

class LocalSearch : public Climber {
 public:
  explicit LocalSearch(const StrategyContext& context)
      : Climber(context, count_option(context, "samples", 0), false),
        kick_(count_option(context, "kick", 1)),
        restart_(real_option(context, "restart")) {}

 private:
  std::optional<Configuration> leave() override {
    if (!best() || rng().uniform() < restart_) return std::nullopt;
    return kicked(space(), *best(), kick_, rng());
  }

  std::size_t kick_;
  double restart_;
};

}  // namespace

StrategyEntry local_search_strategy() {
  return {"local_search",
          "iterated local search over neighbours that differ in one parameter",
          {{"samples", std::int64_t{10}, "spread configurations to begin with"},
           {"kick", std::int64_t{2}, "parameters changed by a jump out of a local optimum"},
           {"restart", 0.1, "share of jumps that go to a uniform sample instead"}},
          make_stepwise<LocalSearch>};
}

}  // namespace warptune::search
