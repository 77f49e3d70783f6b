#include "tuner/session/session.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/kernel/problem.h"
#include "tuner/metrics/pareto.h"

namespace warptune::tuner {

Session::Session(SessionParts parts) : parts_(std::move(parts)) {}

void Session::run() {
  start_s_ = parts_.evaluator.now_s();
  try {
    resume();
    search();
    hold_finals();
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
    if (const auto reason = parts_.budget.spent(result_.elapsed_s, expected_improvement())) {
      result_.reason = *reason;
      return;
    }
    fill();
    if (in_flight_ == 0) {
      result_.exhausted = true;
      result_.reason = "the search is exhausted";
      return;
    }
    --in_flight_;
    search::Trial trial = parts_.evaluator.next();
    // What fails while the user interrupts may have failed because of that; it counts as still in flight.
    if (trial.correct() || !parts_.stop.load()) accept(std::move(trial));
  }
}

// Asking costs the strategy a look at all its candidates.
std::optional<double> Session::expected_improvement() const {
  if (!parts_.budget.limits().min_expected_improvement) return std::nullopt;
  return parts_.strategy.expected_improvement();
}

// Trials under the same key were measured under the same conditions: they count, and are not measured again.
void Session::resume() {
  result_.default_exists = parts_.default_configuration.has_value();
  for (db::StoredTrial& stored : parts_.store.trials(parts_.id)) {
    auto configuration = parts_.space.find(stored.values);
    if (!configuration) continue;  // a value that left its domain cannot come back under an equal manifest hash
    stored.trial.configuration = std::move(*configuration);
    parts_.strategy.tell(stored.trial);
    parts_.budget.remember(stored.trial);
    keep(std::move(stored.trial), stored.id);
  }
  result_.resumed = result_.trials.size();
  if (parts_.observer) parts_.observer->on_resumed(progress());
}

// Keeps the evaluator busy: as many configurations in flight as it wants and the budget allows.
void Session::fill() {
  const std::size_t wanted = parts_.evaluator.capacity();
  while (in_flight_ < wanted && parts_.budget.remaining(in_flight_) > 0) {
    if (parts_.default_configuration && !default_known_) {
      submit(*parts_.default_configuration);
      continue;
    }
    const std::size_t room = std::min(wanted - in_flight_, parts_.budget.remaining(in_flight_));
    const std::vector<search::Configuration> asked = parts_.strategy.ask(room);
    if (asked.empty()) return;
    for (const search::Configuration& configuration : asked)
      if (configuration != parts_.default_configuration) submit(configuration);  // a strategy may begin there too
  }
}

void Session::submit(const search::Configuration& configuration) {
  parts_.evaluator.submit({configuration});
  ++in_flight_;
  default_known_ |= configuration == parts_.default_configuration;
}

void Session::accept(search::Trial trial) {
  const search::NamedValues values = parts_.space.values(trial.configuration);
  if (trial.correct() && trial.objectives.empty()) rate(trial);  // a recording's trials come rated
  const db::TrialId id = parts_.store.record(parts_.id, values, trial);
  parts_.strategy.tell(trial);
  parts_.budget.count(trial);
  failed_ += !trial.correct();
  keep(std::move(trial), id);
  result_.elapsed_s = parts_.evaluator.now_s() - start_s_;
  if (parts_.observer) parts_.observer->on_trial(result_.trials.back(), progress());
}

// Metrics and objectives of a measured trial.
void Session::rate(search::Trial& trial) const {
  const search::NamedValues scope = scope_of(parts_.constants, parts_.space.values(trial.configuration));
  trial.metrics = evaluate_metrics(parts_.kernel, scope, parts_.evaluator.device(), *trial.measurement);
  trial.objectives.clear();
  for (const Objective& objective : parts_.objectives) trial.objectives.push_back(objective.value(trial));
}

void Session::keep(search::Trial trial, db::TrialId id) {
  const bool better = trial.correct() && !trial.objectives.empty() && std::isfinite(trial.objectives.front()) &&
                      (!result_.best || trial.objectives.front() < result_.trials[*result_.best].objectives.front());
  if (trial.configuration == parts_.default_configuration) {
    default_known_ = true;
    result_.default_trial = result_.trials.size();
  }
  result_.trials.push_back(std::move(trial));
  result_.ids.push_back(id);
  if (!better) return;
  result_.best = result_.trials.size() - 1;
  // Only where the time is all that counts: what is slow may still be on a Pareto front.
  if (parts_.objectives.size() == 1 && parts_.objectives.front().is_time())
    parts_.evaluator.race_against(result_.trials.back().measurement->median_ms);
}

search::Trial Session::rated_like(const search::Trial& candidate, const search::Measurement& measurement) const {
  search::Trial visit;
  visit.configuration = candidate.configuration;
  visit.measurement = measurement;
  rate(visit);
  return visit;
}

// Times in milliseconds, metrics to be minimised as they are, metrics to be maximised inverted; infinite if there is
// none, or none that a ratio could be taken of.
double Session::finals_cost(const search::Trial& candidate, const search::Measurement& measurement) const {
  const double value = rated_like(candidate, measurement).objectives.front();
  return value < 0 ? -1 / value : value > 0 ? value : std::numeric_limits<double>::infinity();
}

// What was submitted and not begun is forgotten; what has begun still counts.
void Session::drain() {
  for (in_flight_ = parts_.evaluator.cancel(); in_flight_ > 0; --in_flight_) accept(parts_.evaluator.next());
}

void Session::hold_finals() {
  const bool worth_it = parts_.finals.candidates > 0 && !result_.interrupted && parts_.evaluator.can_measure_again();
  // An energy takes a tenth of a second to measure: too long for hundreds of visits.
  if (!worth_it || parts_.objectives.front().needs_energy()) return;
  const auto cost = [this](const search::Trial& candidate, const search::Measurement& measurement) {
    return finals_cost(candidate, measurement);
  };
  drain();
  const auto chosen = choose_finalists(result_.trials, result_.default_trial, cost, parts_.finals);
  if (chosen.empty()) return;
  const auto on_round = [this](std::size_t rounds, std::size_t candidates) {
    if (parts_.observer) parts_.observer->on_finals(rounds, candidates);
  };
  result_.finals = run_finals(parts_.evaluator, result_.trials, chosen, cost, parts_.finals, parts_.stop, on_round);
  if (result_.finals) take_finals();
  if (parts_.stop.load()) {
    result_.interrupted = true;
    result_.reason = "interrupted";
  }
}

void Session::take_finals() {
  result_.best = result_.finals->finalists.front().trial;
  for (Finalist& finalist : result_.finals->finalists) {
    const search::Measurement settled{{}, finalist.time_ms, finalist.time_error, false};
    finalist.metrics = rated_like(result_.trials[finalist.trial], settled).metrics;
  }
}

void Session::finish() {
  parts_.evaluator.cancel();
  in_flight_ = 0;
  if (parts_.objectives.size() > 1) result_.front = pareto_front(result_.trials);
  parts_.store.set_session_state(parts_.id,
                                 result_.interrupted ? db::SessionState::interrupted : db::SessionState::finished);
  if (!result_.best) return;
  parts_.store.set_winner(parts_.id, winner());
  result_.winner = parts_.store.winner(parts_.id);
}

db::Winner Session::winner() const {
  const auto objective_of = [](double cost, double like) { return like < 0 ? -1 / cost : cost; };
  const search::Trial& best = result_.trials[*result_.best];
  db::Winner winner;
  winner.trial = result_.ids[*result_.best];
  winner.objective = best.objectives.front();
  winner.relative_error = best.measurement->relative_error;
  if (result_.default_trial && result_.trials[*result_.default_trial].correct()) {
    winner.default_trial = result_.ids[*result_.default_trial];
    winner.default_objective = result_.trials[*result_.default_trial].objectives.front();
  }
  if (!result_.finals) return winner;
  winner.objective = objective_of(result_.finals->finalists.front().median, best.objectives.front());
  winner.relative_error = result_.finals->finalists.front().relative_error;
  for (const Finalist& finalist : result_.finals->finalists) {
    const db::TrialId trial = result_.ids[finalist.trial];
    if (finalist.trial == result_.default_trial)
      winner.default_objective = objective_of(finalist.median, best.objectives.front());
    if (finalist.tied && trial != winner.trial) winner.ties.push_back(trial);
    winner.finalists.push_back({trial, objective_of(finalist.median, best.objectives.front()), finalist.relative_error,
                                static_cast<std::int64_t>(finalist.visits), finalist.slower_by, finalist.slower_low,
                                finalist.slower_high, finalist.time_ms, finalist.time_error, finalist.metrics});
  }
  return winner;
}

SessionProgress Session::progress() const {
  return {result_.resumed, result_.trials.size() - result_.resumed, failed_, result_.elapsed_s,
          result_.best ? &result_.trials[*result_.best] : nullptr};
}

}  // namespace warptune::tuner
