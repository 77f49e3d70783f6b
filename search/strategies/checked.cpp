// Checks the trials that a strategy is told, and passes those that are not rated on as failed.
#include "search/strategies/checked.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace warptune::search {

namespace {

class CheckedStrategy : public Strategy {
 public:
  CheckedStrategy(std::unique_ptr<Strategy> strategy, const SearchSpace& space)
      : strategy_(std::move(strategy)), space_(space) {}

  std::vector<Configuration> ask(std::size_t n) override {
    if (n == 0) return {};
    return strategy_->ask(n);
  }

  void tell(const Trial& trial) override {
    require_configuration(trial.configuration);
    if (!trial.correct() && !trial.objectives.empty())
      throw std::invalid_argument("a strategy was told of a failed trial that is rated");
    if (!trial.correct() || is_rated(trial)) return strategy_->tell(trial);
    Trial useless = trial;
    useless.outcome = Outcome::wrong_result;
    useless.objectives.clear();
    strategy_->tell(useless);
  }

  std::optional<double> expected_improvement() const override { return strategy_->expected_improvement(); }

 private:
  void require_configuration(const Configuration& configuration) const {
    const auto& parameters = space_.parameters();
    if (configuration.choices.size() != parameters.size())
      throw std::invalid_argument("a strategy was told of a configuration of " +
                                  std::to_string(configuration.choices.size()) + " parameters; its space has " +
                                  std::to_string(parameters.size()));
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (configuration.choices[i] >= parameters[i].values.size())
        throw std::invalid_argument("a strategy was told of value " + std::to_string(configuration.choices[i]) +
                                    " of " + parameters[i].name + ", which has " +
                                    std::to_string(parameters[i].values.size()));
  }

  static bool is_rated(const Trial& trial) {
    return !trial.objectives.empty() &&
           std::ranges::all_of(trial.objectives, [](double objective) { return std::isfinite(objective); });
  }

  std::unique_ptr<Strategy> strategy_;
  const SearchSpace& space_;
};

}  // namespace

std::unique_ptr<Strategy> checked(std::unique_ptr<Strategy> strategy, const SearchSpace& space) {
  return std::make_unique<CheckedStrategy>(std::move(strategy), space);
}

}  // namespace warptune::search
