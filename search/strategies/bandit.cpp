// Credits strategies by the new bests among their recent uses, and asks the one with the most credit.
#include <cmath>
#include <deque>

#include "search/strategies/entries.h"
#include "search/strategies/stepwise.h"

namespace warptune::search {

namespace {

class Bandit : public Stepwise {
 public:
  explicit Bandit(const StrategyContext& context)
      : Stepwise(context, count_option(context, "samples", 0)),
        window_(count_option(context, "window", 1)),
        exploration_(real_option(context, "exploration")) {
    const StrategyEntry entries[] = {local_search_strategy(), annealing_strategy(), tabu_strategy(), genetic_strategy(),
                                     differential_evolution_strategy()};
    for (const StrategyEntry& entry : entries) {
      StrategyContext own{context.space, rng().next(), std::nullopt, context.trial_budget};
      // All begin with the bandit's samples, none with its own.
      for (const Hyperparameter& parameter : entry.hyperparameters)
        own.options.emplace_back(parameter.name,
                                 parameter.name == "samples" ? Value(std::int64_t{0}) : parameter.default_value);
      arms_.push_back(entry.make(own));
    }
  }

  void tell(const Trial& trial) override {
    Stepwise::tell(trial);
    for (const auto& arm : arms_) arm->tell(trial);
  }

 private:
  struct Use {
    Owner arm;
    bool new_best;
  };

  std::optional<Proposal> propose() override {
    const Owner arm = most_credited();
    auto asked = arms_[arm]->ask(1);
    if (asked.empty()) return std::nullopt;
    return Proposal{std::move(asked.front()), arm};
  }

  void learn(const Configuration& configuration, double value, Owner owner) override {
    if (owner == nobody) return;
    uses_.push_back({owner, value < failed_value && configuration == best()});
    if (uses_.size() > window_) uses_.pop_front();
  }

  Owner most_credited() const {
    Owner chosen = 0;
    double most = -1;
    for (Owner arm = 0; arm < arms_.size(); ++arm)
      if (const double credit = credit_of(arm); credit > most) chosen = arm, most = credit;
    return chosen;
  }

  // Returns the credit of an arm. It is the area under the curve that rises with every new best, one step for each use,
  // so that late successes count more. The area is between 0 and 1, and the bonus is added to it.
  double credit_of(Owner arm) const {
    double area = 0, uses = 0;
    for (const Use& use : uses_) {
      if (use.arm != arm) continue;
      ++uses;
      if (use.new_best) area += uses;
    }
    if (uses == 0) return failed_value;
    const double bonus = std::sqrt(2 * std::log(static_cast<double>(uses_.size())) / uses);
    return 2 * area / (uses * (uses + 1)) + exploration_ * bonus;
  }

  std::size_t window_;
  double exploration_;
  std::vector<std::unique_ptr<Strategy>> arms_;
  std::deque<Use> uses_;
};

}  // namespace

StrategyEntry bandit_strategy() {
  return {"bandit",
          "several strategies in turn, those with recent new bests more often",
          {{"samples", std::int64_t{10}, "spread configurations to begin with"},
           {"window", std::int64_t{100}, "uses that are remembered"},
           {"exploration", 0.05, "weight of the bonus for strategies that were used rarely"}},
          make_stepwise<Bandit>};
}

}  // namespace warptune::search
