// Keeps a strategy's promises, and passes results on to the derived class.
#include "search/strategies/stepwise.h"

#include <cmath>
#include <stdexcept>

namespace warptune::search {

Stepwise::Stepwise(const StrategyContext& context, std::size_t samples)
    : space_(context.space), rng_(context.seed), proposals_(context.space), beginning_(space_.spread(samples, rng_)) {
  if (context.default_configuration && space_.contains(*context.default_configuration))
    beginning_.push_back(*context.default_configuration);
}

std::vector<Configuration> Stepwise::ask(std::size_t n) {
  std::vector<Configuration> result;
  while (result.size() < n) {
    auto configuration = next();
    if (!configuration) break;
    result.push_back(std::move(*configuration));
  }
  return result;
}

std::optional<Configuration> Stepwise::next() {
  while (!beginning_.empty()) {
    Configuration configuration = std::move(beginning_.back());
    beginning_.pop_back();
    if (proposals_.add(configuration)) return configuration;
  }
  // A walk may cross known ground for long; where it finds nothing new in so many steps, chance does better.
  constexpr int attempts = 100;
  for (int i = 0; i < attempts && !proposals_.exhausted(); ++i) {
    auto step = propose();
    if (!step) break;
    if (proposals_.add(step->configuration)) {
      if (step->owner != nobody) owners_.emplace(step->configuration, step->owner);
      return std::move(step->configuration);
    }
    const auto known = values_.find(step->configuration);
    if (known != values_.end()) learn(step->configuration, known->second, step->owner);
  }
  return space_.empty() ? std::nullopt : proposals_.fresh(rng_);
}

void Stepwise::tell(const Trial& trial) {
  const double value = trial.objectives.empty() ? failed_value : trial.objectives.front();
  proposals_.add(trial.configuration);
  values_.insert_or_assign(trial.configuration, value);
  if (value < best_value_) best_value_ = value, best_ = trial.configuration;
  const auto owner = owners_.extract(trial.configuration);
  learn(trial.configuration, value, owner ? owner.mapped() : nobody);
}

std::size_t count_option(const StrategyContext& context, std::string_view name, std::size_t minimum) {
  const std::int64_t value = to_integer(*find_value(context.options, name));
  if (value < static_cast<std::int64_t>(minimum))
    throw std::invalid_argument("strategy option '" + std::string(name) + "' must be at least " +
                                std::to_string(minimum));
  constexpr std::int64_t most = 1'000'000;  // what is counted is kept in memory, and a session has no more trials
  if (value > most)
    throw std::invalid_argument("strategy option '" + std::string(name) + "' must be at most " + std::to_string(most));
  return static_cast<std::size_t>(value);
}

double real_option(const StrategyContext& context, std::string_view name, double minimum) {
  const double value = to_double(*find_value(context.options, name));
  if (!(value >= minimum) || !std::isfinite(value))
    throw std::invalid_argument("strategy option '" + std::string(name) + "' must be at least " +
                                std::to_string(minimum));
  return value;
}

}  // namespace warptune::search
