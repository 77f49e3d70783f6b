#include "search/strategies/shared.h"

#include <algorithm>
#include <cmath>

#include "search/models/size_model.h"

namespace warptune::search {

struct SharedModel::Parts {
  const SearchSpace& common;
  Encoding encoding;
  SizeModel model;

  Parts(const SearchSpace& space, const std::vector<std::vector<double>>& sizes)
      : common(space), encoding(space, {}), model(encoding, sizes) {}

  // What does not fit in there is none: another size may allow other values.
  std::optional<Configuration> in(const SearchSpace& space, const Configuration& configuration) const {
    auto found = space.find(common.values(configuration));
    if (found && !space.contains(*found)) found.reset();
    return found;
  }

  std::optional<SizeModel::Pick> pick(std::size_t size, const SearchSpace& space,
                                      const std::vector<Configuration>& pending) {
    return model.pick(size, pending,
                      [&](const Configuration& configuration) { return in(space, configuration).has_value(); });
  }
};

class SharedModel::Search : public Strategy {
 public:
  Search(SharedModel& model, std::size_t size, const SearchSpace& space, Options options)
      : model_(model), size_(size), space_(space), options_(options) {}

  std::vector<Configuration> ask(std::size_t n) override {
    std::vector<Configuration> asked;
    while (asked.size() < n) {
      auto configuration = next();
      if (!configuration) break;
      asked.push_back(std::move(*configuration));
    }
    return asked;
  }

  void tell(const Trial& trial) override {
    if (const auto common = model_.parts_->common.find(space_.values(trial.configuration)))
      std::erase(pending_, *common);
    model_.tell(size_, space_, trial);
  }

  std::optional<double> expected_improvement() const override { return expected_; }

 private:
  // Until there is a result, all that follows the checks would be guesses upon guesses.
  std::optional<Configuration> next() {
    auto pick = model_.parts_->pick(size_, space_, pending_);
    const bool measured = pick && std::isfinite(pick->gain);
    expected_ = measured ? pick->gain : pick ? 1 : 0;
    const bool checked = asked_ >= options_.checks;
    if (!pick || asked_ >= options_.most) return std::nullopt;
    if (checked && (!measured || pick->gain < options_.worth)) return std::nullopt;
    ++asked_;
    auto configuration = model_.parts_->in(space_, pick->configuration);
    pending_.push_back(std::move(pick->configuration));
    return configuration;
  }

  SharedModel& model_;
  std::size_t size_;
  const SearchSpace& space_;
  Options options_;
  std::vector<Configuration> pending_;  // of the common space
  std::size_t asked_ = 0;
  std::optional<double> expected_;
};

SharedModel::SharedModel(const SearchSpace& common, const std::vector<std::vector<double>>& sizes)
    : parts_(std::make_unique<Parts>(common, sizes)) {}

SharedModel::~SharedModel() = default;

void SharedModel::tell(std::size_t size, const SearchSpace& space, const Trial& trial) {
  Trial common;
  common.outcome = trial.outcome;
  common.objectives = trial.objectives;
  auto found = parts_->common.find(space.values(trial.configuration));
  if (!found) return;
  common.configuration = std::move(*found);
  parts_->model.tell(size, common);
}

double SharedModel::gain(std::size_t size, const SearchSpace& space) {
  const auto pick = parts_->pick(size, space, {});
  return pick && std::isfinite(pick->gain) ? pick->gain : 0;
}

std::unique_ptr<Strategy> SharedModel::search(std::size_t size, const SearchSpace& space, Options options) {
  return std::make_unique<Search>(*this, size, space, options);
}

}  // namespace warptune::search
