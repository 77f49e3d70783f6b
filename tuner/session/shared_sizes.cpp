#include "tuner/session/shared_sizes.h"

#include "search/models/covering.h"

namespace warptune::tuner {

namespace {

std::vector<std::vector<double>> numbers_of(const std::vector<search::NamedValues>& problems) {
  std::vector<std::vector<double>> all;
  for (const search::NamedValues& problem : problems) {
    std::vector<double>& numbers = all.emplace_back();
    for (const auto& [name, value] : problems.front()) {
      const search::Value* here = search::find_value(problem, name);
      numbers.push_back(here && !std::holds_alternative<std::string>(*here) ? search::to_double(*here) : 1);
    }
  }
  return all;
}

}  // namespace

SharedSizes::SharedSizes(const std::vector<search::NamedValues>& problems)
    : sizes_(numbers_of(problems)), order_(search::covering_order(sizes_)) {}

void SharedSizes::begin(std::size_t problem, const Tuning& tuning) {
  spaces_[problem] = tuning.shared_space();
  if (model_) return;
  common_ = tuning.shared_space();
  model_ = std::make_unique<search::SharedModel>(*common_, sizes_);
}

void SharedSizes::learn(std::size_t problem, const SessionResult& result) {
  for (const search::Trial& trial : result.trials) model_->tell(problem, *spaces_.at(problem), trial);
}

SharedSizes::MakeStrategy SharedSizes::strategy_for(std::size_t problem) {
  return [this, problem](const search::StrategyContext& context) { return model_->search(problem, context.space); };
}

double SharedSizes::gain(std::size_t problem) {
  const auto space = spaces_.find(problem);
  return space == spaces_.end() ? 0 : model_->gain(problem, *space->second);
}

}  // namespace warptune::tuner
