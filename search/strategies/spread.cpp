// Proposes nothing itself: Stepwise begins with the sample, and goes on with uniform ones.
#include "search/strategies/entries.h"
#include "search/strategies/stepwise.h"

namespace warptune::search {

namespace {

class Spread : public Stepwise {
 public:
  explicit Spread(const StrategyContext& context) : Stepwise(context, count_option(context, "samples", 1)) {}

 private:
  std::optional<Proposal> propose() override { return std::nullopt; }
  void learn(const Configuration&, double, Owner) override {}
};

}  // namespace

StrategyEntry spread_strategy() {
  return {"spread",
          "a sample that covers every parameter's values evenly, then uniform",
          {{"samples", std::int64_t{32}, "size of the sample"}},
          make_stepwise<Spread>};
}

}  // namespace warptune::search
