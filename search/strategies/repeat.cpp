// Repeats the configurations of earlier sessions, for comparing two sessions that try the same: with another device,
// driver or compiler, or without the decisions of the strategy that chose them.
#include <algorithm>

#include "search/strategies/entries.h"
#include "search/strategies/proposals.h"

namespace warptune::search {

namespace {

class Repeat : public Strategy {
 public:
  explicit Repeat(const StrategyContext& context) : space_(context.space), rng_(context.seed), proposals_(space_) {
    for (const EarlierTrials& session : context.earlier)
      for (const EarlierTrials::Entry& entry : session.entries) left_.push_back(entry.configuration);
    std::ranges::reverse(left_);
  }

  std::vector<Configuration> ask(std::size_t n) override {
    std::vector<Configuration> result;
    while (result.size() < n) {
      const bool repeats = !left_.empty();
      auto next = repeats ? earlier() : proposals_.fresh(rng_);
      if (next)
        result.push_back(std::move(*next));
      else if (!repeats)
        break;
    }
    return result;
  }

  void tell(const Trial& trial) override { proposals_.add(trial.configuration); }

 private:
  // Returns the next configuration of the earlier sessions, or nothing where the constraints forbid it here, or where
  // it is known.
  std::optional<Configuration> earlier() {
    Configuration configuration = std::move(left_.back());
    left_.pop_back();
    if (!space_.contains(configuration) || !proposals_.add(configuration)) return std::nullopt;
    return configuration;
  }

  const SearchSpace& space_;
  Rng rng_;
  Proposals proposals_;
  std::vector<Configuration> left_;  // last first
};

}  // namespace

StrategyEntry repeat_strategy() {
  return {"repeat",
          "the correct configurations of an earlier session (--transfer) in their order, then uniform",
          {},
          [](const StrategyContext& context) -> std::unique_ptr<Strategy> { return std::make_unique<Repeat>(context); },
          true};
}

}  // namespace warptune::search
