// Draws configurations one by one until all are known.
#include "search/strategies/entries.h"
#include "search/strategies/proposals.h"

namespace warptune::search {

namespace {

class Random : public Strategy {
 public:
  explicit Random(const StrategyContext& context) : rng_(context.seed), proposals_(context.space) {}

  std::vector<Configuration> ask(std::size_t n) override {
    std::vector<Configuration> result;
    while (result.size() < n) {
      auto next = proposals_.fresh(rng_);
      if (!next) break;
      result.push_back(std::move(*next));
    }
    return result;
  }

  void tell(const Trial& trial) override { proposals_.add(trial.configuration); }

 private:
  Rng rng_;
  Proposals proposals_;
};

}  // namespace

StrategyEntry random_strategy() {
  return {
      "random",
      "uniform over the valid configurations, without repeats",
      {},
      [](const StrategyContext& context) -> std::unique_ptr<Strategy> { return std::make_unique<Random>(context); }};
}

}  // namespace warptune::search
