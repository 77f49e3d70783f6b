// Lets a Gaussian process, a random forest and local search take turns.
#include <algorithm>

#include "search/models/forest.h"
#include "search/models/gaussian_surrogate.h"
#include "search/strategies/entries.h"
#include "search/strategies/model_based/model_search.h"

namespace warptune::search {

namespace {

// The models decide this many trials one by one. With 120, P_direct on the open spaces falls by 0.03.
constexpr std::size_t few = 250;

std::unique_ptr<Surrogate> gaussian(const Encoding& encoding, const StrategyContext&) {
  return std::make_unique<GaussianSurrogate>(encoding.categorical(), few);
}

std::unique_ptr<Surrogate> forest(const Encoding&, const StrategyContext& context) {
  return std::make_unique<Forest>(context.seed);
}

// The process has begun the search by the time that the forest is asked.
ModelOptions without_beginning() {
  ModelOptions options;
  options.samples = 0;
  return options;
}

StrategyContext without_start(const StrategyContext& context, const StrategyEntry& entry) {
  StrategyContext own{context.space, context.seed + 1, std::nullopt, context.trial_budget};
  for (const Hyperparameter& parameter : entry.hyperparameters)
    own.options.emplace_back(parameter.name,
                             parameter.name == "samples" ? Value(std::int64_t{0}) : parameter.default_value);
  return own;
}

class Automatic : public Strategy {
 public:
  explicit Automatic(const StrategyContext& context)
      : process_(context, {}, gaussian),
        forest_(context, without_beginning(), forest),
        local_(local_search_strategy().make(without_start(context, local_search_strategy()))) {}

  std::vector<Configuration> ask(std::size_t n) override {
    std::vector<Configuration> result;
    while (result.size() < n) {
      auto configuration = next();
      if (!configuration) break;
      result.push_back(std::move(*configuration));
    }
    return result;
  }

  void tell(const Trial& trial) override {
    process_.tell(trial);
    forest_.tell(trial);
    local_->tell(trial);
  }

  std::optional<double> expected_improvement() const override { return process_.expected_improvement(); }

 private:
  std::optional<Configuration> next() {
    if (models_rest() || locals_turn())
      if (auto configuration = by_local_search()) return configuration;
    if (forests_turn())
      if (auto configuration = proposal(forest_); configuration && process_.expect(*configuration))
        return configuration;
    auto configuration = proposal(process_);
    if (configuration) forest_.expect(*configuration);
    return configuration;
  }

  static std::optional<Configuration> proposal(ModelSearch& model) {
    auto asked = model.ask(1);
    if (asked.empty()) return std::nullopt;
    return std::move(asked.front());
  }

  // A smooth model overlooks an optimum that stands alone; trees, which cut the space up, do not. Together they find it
  // in half the trials that the process needs.
  bool forests_turn() const {
    constexpr std::size_t beginning = 20, every = 4;
    const std::size_t known = process_.history().all().size();
    return known >= beginning && known % every == 0;
  }

  // Local search takes every other trial once the process has found nothing for long.
  bool locals_turn() const {
    constexpr std::size_t patience = 60;
    return process_.since_improvement() > patience && process_.history().all().size() % 2 == 0;
  }

  // What a model says costs more the more it has learnt, and is worth less: a fit takes as long as dozens of trials.
  // So beyond the first trials the models speak only when the trials have grown by half, and then some times in a row.
  bool models_rest() {
    const std::size_t known = process_.history().all().size();
    if (known < awake_until_) return false;
    if (known >= wakes_at_) {
      constexpr std::size_t fewest = 8, share = 32;
      awake_until_ = known + std::max(fewest, known / share);
      wakes_at_ = awake_until_ + awake_until_ / 2;
      return false;
    }
    process_.suspend();
    forest_.suspend();
    return true;
  }

  // Returns the next configuration of local search's own walk that the models do not know yet.
  std::optional<Configuration> by_local_search() {
    constexpr int attempts = 16;
    for (int i = 0; i < attempts; ++i) {
      auto asked = local_->ask(1);
      if (asked.empty()) return std::nullopt;
      if (!process_.expect(asked.front())) continue;
      forest_.expect(asked.front());
      return std::move(asked.front());
    }
    return std::nullopt;
  }

  ModelSearch process_, forest_;
  std::unique_ptr<Strategy> local_;
  std::size_t awake_until_ = few, wakes_at_ = few + few / 2;  // trials
};

}  // namespace

StrategyEntry automatic_strategy() {
  return {
      "auto",
      "the default: a Gaussian process, now and then a random forest, and local search when they stall or the trials "
      "are many",
      {},
      [](const StrategyContext& context) -> std::unique_ptr<Strategy> { return std::make_unique<Automatic>(context); },
      true};
}

}  // namespace warptune::search
