// Runs the search itself; session_finals.cpp and session_afterwards.cpp have what comes after it.
#include "tuner/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/kernel/problem.h"
#include "tuner/system/clock.h"

namespace warptune::tuner {

// A set-up that takes a little more than all of the time would otherwise have been for nothing.
double Session::lateness_s() const {
  constexpr double share = 0.25, least_s = 5;
  return std::max(least_s, share * parts_.budget.limits().seconds.value_or(0));
}

Session::Session(SessionParts parts) : parts_(std::move(parts)), bits_(parts_.same_bits), energy_(parts_.objectives) {
  result_.objective = names_of(parts_.objectives);
}

void Session::run() {
  guarded([this] {
    begin();
    search();
    result_.search_s = std::max(0.0, elapsed_s() - result_.setup_s);
    settle_energies();
    hold_finals();
    prove_winner();
    settle_winner();
    count_finalists();
  });
  finish();
}

// Runs a part of the session. Whatever error ends it, what was measured counts: the winner so far is kept, if the store
// still takes it.
template <class Part>
void Session::guarded(const Part& part) {
  try {
    part();
  } catch (...) {
    result_.interrupted = true;
    result_.reason = "ended by an error";
    try {
      finish();
    } catch (const db::StoreError&) {
      // The first error is the one to tell.
    }
    throw;
  }
}

void Session::begin() {
  start_s_ = parts_.evaluator.now_s() - parts_.spent_s;
  result_.setup_s = parts_.spent_s;
  reserve();
  resume();
}

void Session::visit(const Meanwhile& meanwhile) {
  meanwhile_ = &meanwhile;
  guarded([&] {
    result_.exhausted = false;
    search();
    if (!result_.interrupted) drain();
  });
  meanwhile_ = nullptr;
}

void Session::conclude(double finals_s) {
  guarded([&] {
    result_.search_s = std::max(0.0, elapsed_s() - result_.setup_s);
    parts_.finals.max_seconds = finals_s;
    if (parts_.stop.load()) {
      result_.interrupted = true;
      result_.reason = "interrupted";
    }
    if (finals_s <= 0) parts_.finals.candidates = 0;
    settle_energies();
    hold_finals();
    if (finals_s > 0) prove_winner();
    settle_winner();
    count_finalists();
  });
  finish();
}

void Session::search() {
  for (;;) {
    result_.elapsed_s = elapsed_s();
    if (parts_.stop.load()) {
      result_.interrupted = true;
      result_.reason = "interrupted";
      return;
    }
    if (const auto reason = spent()) {
      result_.reason = *reason;
      return;
    }
    if (gives_up()) {
      result_.reason = fmt::format("{} configurations in a row failed, and none was correct", parts_.most_failures);
      return;
    }
    fill();
    if (in_flight_ == 0) {
      result_.exhausted = true;
      result_.reason = parts_.space.exact() ? "the search is exhausted"
                                            : "no further valid configuration was found: they are too rare to be met";
      return;
    }
    if (meanwhile_) (*meanwhile_)(in_flight_);
    if (!wait_for_trial()) continue;
    --in_flight_;
    search::Trial trial = parts_.evaluator.next();
    // What fails while the user interrupts may have failed because of that; it counts as still in flight.
    if (trial.correct() || !parts_.stop.load()) accept(std::move(trial));
  }
}

// Returns whether the first trial is there, which is the default configuration's if there is one.
bool Session::has_begun() const {
  return parts_.default_configuration ? result_.default_trial.has_value() : !result_.trials.empty();
}

std::optional<std::string> Session::spent() const {
  if (!bits_.hopeless().empty()) return bits_.hopeless();
  const double spent_s = result_.elapsed_s + (has_begun() ? reserved_s_ : -lateness_s());
  auto reason = parts_.budget.spent(spent_s, expected_improvement());
  if (reason == search::time_is_up && !has_begun())
    reason = std::string(search::time_is_up) + ", and the set-up took all of it";
  return reason;
}

// Returns the seconds that are left of a budget of time; infinite without one.
double Session::left_s() const {
  const auto& seconds = parts_.budget.limits().seconds;
  return seconds ? *seconds - elapsed_s() : std::numeric_limits<double>::infinity();
}

// Waits for the next trial and returns whether it is there. It also returns false several times a second, when the time
// is up, and when it is time to ask the strategy again.
bool Session::wait_for_trial() {
  const double patience_s = owed_ ? thought_s : wait_s, left = !has_begun() ? patience_s : left_s() - reserved_s_;
  if (parts_.evaluator.wait(std::clamp(left, 0.0, patience_s))) return true;
  result_.elapsed_s = elapsed_s();
  if (!parts_.observer || result_.elapsed_s - watched_s_ < wait_s) return false;
  watched_s_ = result_.elapsed_s;
  parts_.observer->on_wait(progress());
  return false;
}

// Returns whether the session ends because too many trials failed. Without this, a template that is broken as a whole
// would burn its budget in silence.
bool Session::gives_up() {
  if (parts_.most_failures == 0 || result_.best || failed_in_a_row_ < parts_.most_failures) return false;
  failed_in_a_row_ = 0;
  if (!parts_.observer) return true;
  const double asked_s = elapsed_s();
  const bool go_on = parts_.observer->on_nothing_correct(progress(), result_.trials.back());
  start_s_ += elapsed_s() - asked_s;
  return !go_on;
}

// Returns what the strategy still expects to gain. It is asked only where the budget needs that, because it looks at
// all its candidates.
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
    bits_.meet(stored.trial, stored.trial.configuration == parts_.default_configuration);
    learn(stored.trial);
    parts_.budget.remember(stored.trial);
    keep(std::move(stored.trial), stored.id);
  }
  result_.resumed = result_.trials.size();
  result_.elapsed_s = elapsed_s();
  if (parts_.observer) parts_.observer->on_resumed(progress());
}

// Keeps the evaluator busy: as many configurations in flight as it wants and the budget allows.
void Session::fill() {
  const std::size_t capacity = parts_.evaluator.capacity();
  const std::size_t wanted = parts_.most_in_flight > 0 ? std::min(parts_.most_in_flight, capacity) : capacity;
  owed_ = false;
  while (in_flight_ < wanted && parts_.budget.remaining(in_flight_) > 0) {
    if (parts_.default_configuration && !default_known_) {
      submit(*parts_.default_configuration);
      continue;
    }
    if (!bits_.settled()) return;  // until the default's trial is there, nobody could say which others may win
    const std::size_t room = std::min(wanted - in_flight_, parts_.budget.remaining(in_flight_));
    const std::vector<search::Configuration> asked = ask(room);
    owed_ = asked.empty();
    if (owed_) return;
    for (const search::Configuration& configuration : asked)
      if (configuration != parts_.default_configuration) submit(configuration);  // a strategy may begin there too
  }
}

std::vector<search::Configuration> Session::ask(std::size_t n) {
  const double begun_s = steady_s();
  auto asked = parts_.strategy.ask(n);
  result_.asking_s += steady_s() - begun_s;
  return asked;
}

void Session::submit(const search::Configuration& configuration) {
  parts_.evaluator.submit({configuration});
  ++in_flight_;
  default_known_ |= configuration == parts_.default_configuration;
}

void Session::accept(search::Trial trial) {
  const search::NamedValues values = parts_.space.values(trial.configuration);
  if (trial.correct() && trial.objectives.empty()) rate(trial);  // a recording's trials come rated
  bits_.meet(trial, trial.configuration == parts_.default_configuration);
  if (!bits_.admits(trial)) rule_out(trial);
  const db::TrialId id = parts_.store.record(parts_.id, values, trial);
  learn(trial);
  parts_.budget.count(trial);
  failed_ += !trial.correct();
  failed_in_a_row_ = trial.correct() ? 0 : failed_in_a_row_ + 1;
  keep(std::move(trial), id);
  result_.elapsed_s = elapsed_s();
  if (!parts_.observer) return;
  const search::Trial& latest = result_.trials.back();
  if (!latest.correct() && latest.configuration == parts_.default_configuration)
    parts_.observer->on_default_failed(latest);
  parts_.observer->on_trial(latest, progress());
}

// Tells the strategy of a trial, and the evaluator what the next trials are measured against.
void Session::learn(const search::Trial& trial) {
  if (!energy_.active() || !bits_.admits(trial)) return parts_.strategy.tell(trial);
  energy_.meet(trial);
  parts_.strategy.tell(energy_.as_told(trial));
  parts_.evaluator.race_against(energy_.rivals());
}

// Sets the metrics and objectives of a measured trial.
void Session::rate(search::Trial& trial) const {
  const search::NamedValues scope = scope_of(parts_.constants, parts_.space.values(trial.configuration));
  trial.metrics = evaluate_metrics(parts_.kernel, scope, parts_.evaluator.device(), *trial.measurement, trial.counters);
  trial.work = evaluate_work(parts_.kernel, scope);
  trial.objectives.clear();
  for (const Objective& objective : parts_.objectives) trial.objectives.push_back(objective.value(trial));
}

void Session::keep(search::Trial trial, db::TrialId id) {
  if (trial.configuration == parts_.default_configuration) {
    default_known_ = true;
    result_.default_trial = result_.trials.size();
  }
  result_.trials.push_back(std::move(trial));
  result_.ids.push_back(id);
  consider(result_.trials.size() - 1);
}

// Takes the trial as the best if it is better than the best so far.
void Session::consider(std::size_t number) {
  const search::Trial& trial = result_.trials[number];
  if (!may_win(trial)) return;
  // Trials are compared by the first objective, and where that is equal by the next.
  if (result_.best && trial.objectives >= result_.trials[*result_.best].objectives) return;
  result_.best = number;
  // The next trials race against the best time only where the time is all that counts: what is slow may still be on a
  // Pareto front.
  if (parts_.objectives.size() == 1 && parts_.objectives.front().is_time())
    parts_.evaluator.race_against({.best_ms = trial.measurement->median_ms});
}

search::Trial Session::rated_like(const search::Trial& candidate, const search::Measurement& measurement) const {
  search::Trial visit;
  visit.configuration = candidate.configuration;
  visit.measurement = measurement;
  visit.counters = candidate.counters;
  rate(visit);
  return visit;
}

// Cancels what was submitted and not begun, and waits for the rest. A trial that has begun still counts. What else has
// begun is a visit of finals that the time cut off; its result is dropped. Returns false if that takes longer than
// there is time: then the device is busy, and nothing can be measured again.
bool Session::drain() {
  const bool trials = in_flight_ > 0;
  in_flight_ = 0;
  for (std::size_t begun = parts_.evaluator.cancel(); begun > 0; --begun) {
    in_flight_ = trials ? begun : 0;
    while (!parts_.evaluator.wait(std::clamp(left_s(), 0.0, wait_s)))
      if (left_s() <= 0) return false;
    search::Trial ended = parts_.evaluator.next();
    if (trials) accept(std::move(ended));
  }
  in_flight_ = 0;
  return true;
}

void Session::finish() {
  result_.elapsed_s = elapsed_s();
  result_.finals_s = std::max(0.0, result_.elapsed_s - result_.setup_s - result_.search_s);
  parts_.evaluator.cancel();
  in_flight_ = 0;
  parts_.store.set_session_state(parts_.id,
                                 result_.interrupted ? db::SessionState::interrupted : db::SessionState::finished);
  if (!result_.winner) settle_winner();
  if (result_.winner && parts_.objectives.size() > 1) result_.front = front();
}

SessionProgress Session::progress() const {
  return {result_.resumed, result_.trials.size() - result_.resumed, failed_, result_.elapsed_s,
          result_.best ? &result_.trials[*result_.best] : nullptr};
}

}  // namespace warptune::tuner
