#include "search/strategies/automatic.h"

#include "search/models/gaussian_surrogate.h"
#include "search/strategies/local_search.h"
#include "search/strategies/model_search.h"

namespace warptune {

namespace {

std::unique_ptr<Surrogate> gaussian(const Encoding& encoding, const StrategyContext&) {
  return std::make_unique<GaussianSurrogate>(encoding.categorical());
}

// With a handful of trials, every one that only looks around is missing in the end.
ModelOptions options_for(const StrategyContext& context) {
  ModelOptions options;
  if (context.trial_budget && *context.trial_budget < 10)
    options.samples = std::min<std::size_t>(3, *context.trial_budget);
  return options;
}

StrategyContext without_start(const StrategyContext& context, const StrategyEntry& entry) {
  StrategyContext own{context.space, context.seed + 1, std::nullopt, context.trial_budget};
  for (const Hyperparameter& parameter : entry.hyperparameters)
    own.options.emplace_back(parameter.name, parameter.name == "samples" ? Value(std::int64_t{0}) : parameter.fallback);
  return own;
}

class Automatic : public Strategy {
 public:
  explicit Automatic(const StrategyContext& context)
      : model_(context, options_for(context), gaussian),
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
    model_.tell(trial);
    local_->tell(trial);
  }

  std::optional<double> expected_improvement() const override { return model_.expected_improvement(); }

 private:
  std::optional<Configuration> next() {
    if (locals_turn())
      if (auto configuration = by_local_search()) return configuration;
    auto asked = model_.ask(1);
    if (asked.empty()) return std::nullopt;
    return std::move(asked.front());
  }

  // Every other trial once the model has found nothing for long; most trials once it has as many as it can take.
  bool locals_turn() {
    constexpr std::size_t patience = 60, many = 600;
    const std::size_t known = model_.history().all().size();
    if (known >= many) return known % 4 != 0;
    return model_.since_improvement() > patience && known % 2 == 0;
  }

  // Its own walk, without what the model has in flight.
  std::optional<Configuration> by_local_search() {
    constexpr int attempts = 16;
    for (int i = 0; i < attempts; ++i) {
      auto asked = local_->ask(1);
      if (asked.empty()) return std::nullopt;
      if (model_.expect(asked.front())) return std::move(asked.front());
    }
    return std::nullopt;
  }

  ModelSearch model_;
  std::unique_ptr<Strategy> local_;
};

}  // namespace

StrategyEntry automatic_strategy() {
  return {
      "auto",
      "the default: a Gaussian process, with local search when it stalls or the trials are many",
      {},
      [](const StrategyContext& context) -> std::unique_ptr<Strategy> { return std::make_unique<Automatic>(context); }};
}

}  // namespace warptune
