// Numbers observations, and takes in their results.
#include "search/models/history.h"

namespace warptune::search {

namespace {

double noise_variance(const Trial& trial) {
  if (!trial.measurement) return 0;
  // A 95 % interval is about four standard deviations wide. A configuration whose sampling was cut short is known to be
  // bad, but not how bad.
  const double deviation = trial.measurement->relative_error / 2 + (trial.measurement->cut_short ? 0.05 : 0);
  return deviation * deviation;
}

}  // namespace

std::size_t History::add(const Configuration& configuration) {
  const auto [place, fresh] = numbers_.emplace(configuration, all_.size());
  if (fresh)
    all_.push_back({.configuration = configuration,
                    .row = encoding_.row(configuration),
                    .penalty = encoding_.penalty(configuration),
                    .loss = experience_ ? experience_->loss(configuration) : 0});
  return place->second;
}

std::size_t History::settle(const Trial& trial) {
  const std::size_t number = add(trial.configuration);
  Observation& observation = all_[number];
  if (observation.state == Observation::State::correct) --correct_;
  if (observation.state == Observation::State::failed) --failed_;
  const bool correct = trial.correct() && !trial.objectives.empty();
  observation.state = correct ? Observation::State::correct : Observation::State::failed;
  ++(correct ? correct_ : failed_);
  observation.objectives = trial.objectives;
  observation.noise_variance = noise_variance(trial);
  if (!correct) return number;
  objectives_ = trial.objectives.size();
  if (!best_ || trial.objectives.front() < all_[*best_].objectives.front()) best_ = number;
  return number;
}

}  // namespace warptune::search
