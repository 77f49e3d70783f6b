// Simulates the workers: each evaluation goes to the one that is free first.
#include "tuner/session/replay/replay_evaluator.h"

#include <algorithm>
#include <stdexcept>

namespace warptune::tuner::replay {

namespace {

search::Trial unrecorded(const Recording& recording, search::Configuration configuration) {
  search::Trial trial;
  trial.configuration = std::move(configuration);
  trial.outcome = search::Outcome::constraint_violation;
  trial.message = "this configuration was not recorded in " + recording.name();
  return trial;
}

}  // namespace

ReplayEvaluator::ReplayEvaluator(const Recording& recording, std::size_t slots)
    : recording_(recording), free_at_s_(slots) {
  if (slots == 0) throw std::invalid_argument("a replay needs at least one slot");
}

void ReplayEvaluator::submit(const Evaluation& evaluation) {
  require_fitting(recording_.space(), evaluation.configuration);
  Flight& flight = flights_.emplace_back();
  flight.recorded = recording_.find(evaluation.configuration);
  if (!flight.recorded) flight.configuration = evaluation.configuration;
  const auto earliest = std::min_element(free_at_s_.begin(), free_at_s_.end());
  flight.slot = static_cast<std::size_t>(earliest - free_at_s_.begin());
  flight.begin_s = std::max(now_s_, *earliest);
  flight.end_s = flight.begin_s + (flight.recorded ? cost_s(*flight.recorded) : 0);
  *earliest = flight.end_s;
}

search::Trial ReplayEvaluator::next() {
  require_in_flight(!flights_.empty());
  const auto first = std::min_element(flights_.begin(), flights_.end(),
                                      [](const Flight& a, const Flight& b) { return a.end_s < b.end_s; });
  const Flight flight = std::move(*first);
  flights_.erase(first);
  now_s_ = std::max(now_s_, flight.end_s);
  return flight.recorded ? *flight.recorded : unrecorded(recording_, flight.configuration);
}

std::size_t ReplayEvaluator::cancel() {
  std::erase_if(flights_, [&](const Flight& flight) { return flight.begin_s > now_s_; });
  std::fill(free_at_s_.begin(), free_at_s_.end(), now_s_);
  for (const Flight& flight : flights_) free_at_s_[flight.slot] = std::max(free_at_s_[flight.slot], flight.end_s);
  return flights_.size();
}

}  // namespace warptune::tuner::replay
