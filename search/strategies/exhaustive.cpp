// Lists an exact space by index.
#include <stdexcept>

#include "search/strategies/entries.h"
#include "search/strategies/proposals.h"

namespace warptune::search {

namespace {

class Exhaustive : public Strategy {
 public:
  explicit Exhaustive(const StrategyContext& context) : space_(context.space), proposals_(context.space) {
    if (!space_.exact())
      throw std::invalid_argument(
          "the strategy exhaustive lists the whole search space, and this one is too large to be counted: take another "
          "strategy, or narrow the space (--restrict)");
  }

  std::vector<Configuration> ask(std::size_t n) override {
    std::vector<Configuration> result;
    for (; result.size() < n && next_ < space_.size(); ++next_) {
      Configuration candidate = space_.at(next_);
      if (proposals_.add(candidate)) result.push_back(std::move(candidate));
    }
    return result;
  }

  void tell(const Trial& trial) override { proposals_.add(trial.configuration); }

 private:
  const SearchSpace& space_;
  Proposals proposals_;
  Count next_ = 0;
};

}  // namespace

StrategyEntry exhaustive_strategy() {
  return {"exhaustive",
          "every valid configuration once, in order",
          {},
          [](const StrategyContext& context) -> std::unique_ptr<Strategy> {
            return std::make_unique<Exhaustive>(context);
          }};
}

}  // namespace warptune::search
