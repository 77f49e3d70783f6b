#include "tuner/session.h"

#include <algorithm>

namespace warptune {

Session::Session(SessionParts parts) : parts_(std::move(parts)) {}

void Session::run() {
  start_s_ = parts_.evaluator.now_s();
  try {
    resume();
    search();
  } catch (...) {
    // Whatever ended it, what was measured counts: the winner so far is kept, if the store still takes it.
    result_.interrupted = true;
    result_.reason = "ended by an error";
    try {
      finish();
    } catch (const db::StoreError&) {
      // The first error is the one to tell.
    }
    throw;
  }
  finish();
}

void Session::search() {
  for (;;) {
    result_.elapsed_s = parts_.evaluator.now_s() - start_s_;
    if (parts_.stop.load()) {
      result_.interrupted = true;
      result_.reason = "interrupted";
      return;
    }
    if (const auto reason = parts_.budget.spent(result_.elapsed_s)) {
      result_.reason = *reason;
      return;
    }
    fill();
    if (in_flight_ == 0) {
      result_.reason = "the search is exhausted";
      return;
    }
    --in_flight_;
    Trial trial = parts_.evaluator.next();
    // What fails while the user interrupts may have failed because of that; it counts as still in flight.
    if (trial.correct() || !parts_.stop.load()) accept(std::move(trial));
  }
}

// Trials under the same key were measured under the same conditions: they count, and are not measured again.
void Session::resume() {
  for (db::StoredTrial& stored : parts_.store.trials(parts_.id)) {
    auto configuration = parts_.space.find(stored.values);
    if (!configuration) continue;  // a value that left its domain cannot come back under an equal manifest hash
    stored.trial.configuration = std::move(*configuration);
    parts_.strategy.tell(stored.trial);
    keep(std::move(stored.trial), stored.id);
  }
  result_.resumed = result_.trials.size();
  if (parts_.observer) parts_.observer->on_resumed(progress());
}

// Keeps the evaluator busy: as many configurations in flight as it wants and the budget allows.
void Session::fill() {
  const std::size_t wanted = parts_.evaluator.capacity();
  while (in_flight_ < wanted && parts_.budget.remaining(in_flight_) > 0) {
    if (parts_.start && !start_known_) {
      submit(*parts_.start);
      continue;
    }
    const std::size_t room = std::min(wanted - in_flight_, parts_.budget.remaining(in_flight_));
    const std::vector<Configuration> asked = parts_.strategy.ask(room);
    if (asked.empty()) return;
    for (const Configuration& configuration : asked)
      if (configuration != parts_.start) submit(configuration);  // a strategy may begin there too
  }
}

void Session::submit(const Configuration& configuration) {
  parts_.evaluator.submit({configuration});
  ++in_flight_;
  start_known_ |= configuration == parts_.start;
}

void Session::accept(Trial trial) {
  const NamedValues values = parts_.space.values(trial.configuration);
  if (trial.correct()) {
    NamedValues scope = parts_.constants;
    scope.insert(scope.end(), values.begin(), values.end());
    trial.metrics =
        evaluate_metrics(parts_.kernel, scope, parts_.evaluator.device(), trial.measurement->median_ms / 1e3);
    trial.objectives = {parts_.objective.value(trial)};
  }
  const db::TrialId id = parts_.store.record(parts_.id, values, trial);
  parts_.strategy.tell(trial);
  parts_.budget.count(trial);
  failed_ += !trial.correct();
  keep(std::move(trial), id);
  result_.elapsed_s = parts_.evaluator.now_s() - start_s_;
  if (parts_.observer) parts_.observer->on_trial(result_.trials.back(), progress());
}

void Session::keep(Trial trial, db::TrialId id) {
  const bool better = trial.correct() && !trial.objectives.empty() &&
                      (!result_.best || trial.objectives.front() < result_.trials[*result_.best].objectives.front());
  if (trial.configuration == parts_.start) {
    start_known_ = true;
    result_.fallback = result_.trials.size();
  }
  result_.trials.push_back(std::move(trial));
  result_.ids.push_back(id);
  if (better) result_.best = result_.trials.size() - 1;
}

void Session::finish() {
  parts_.evaluator.cancel();
  in_flight_ = 0;
  parts_.store.set_session_state(parts_.id, result_.interrupted ? "interrupted" : "finished");
  if (!result_.best) return;
  const Trial& best = result_.trials[*result_.best];
  db::Winner winner;
  winner.trial = result_.ids[*result_.best];
  winner.objective = best.objectives.front();
  winner.relative_error = best.measurement->relative_error;
  if (result_.fallback && result_.trials[*result_.fallback].correct())
    winner.default_objective = result_.trials[*result_.fallback].objectives.front();
  parts_.store.set_winner(parts_.id, winner);
}

SessionProgress Session::progress() const {
  return {result_.resumed, result_.trials.size() - result_.resumed, failed_, result_.elapsed_s,
          result_.best ? &result_.trials[*result_.best] : nullptr};
}

}  // namespace warptune
