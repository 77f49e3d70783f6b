// Implements the end of a session: the time that is kept for it, the finals, and the winner and the front that they
// leave.
#include <algorithm>
#include <cmath>
#include <limits>

#include "db/settled.h"
#include "tuner/measure/metrics/pareto.h"
#include "tuner/session/session.h"

namespace warptune::tuner {

namespace {

// The finals take the first share of a budget of time, and the second of the time that was spent until then.
constexpr double finals_share = 0.1, finals_share_of_past = 0.25;
constexpr double least_finals_s = 2;
// The energies of what may be on the front take this share of a budget of time, and at most so many seconds.
constexpr double energies_share = 0.15, most_energies_s = 30;

// Returns whether finals with too few visits put their leader before the search's best, although the search measured
// the leader as clearly worse.
bool reverses_search(const FinalsResult& finals, const SessionResult& result,
                     const std::function<double(const search::Trial&)>& cost) {
  const search::Trial &best = result.trials[*result.best], &leader = result.trials[finals.finalists.front().trial];
  const auto beaten = std::ranges::find(finals.finalists, *result.best, &Finalist::trial);
  if (beaten == finals.finalists.end() || &best == &leader || std::isfinite(beaten->slower_high)) return false;
  return cost(leader) * (1 - leader.measurement->relative_error) > cost(best) * (1 + best.measurement->relative_error);
}

}  // namespace

// Reserves the part of a budget of time that is for what is measured again at the end.
void Session::reserve() {
  if (parts_.budget.limits().seconds && may_hold_finals())
    finals_reserved_s_ = std::min(parts_.finals.max_seconds, *parts_.budget.limits().seconds * finals_share);
  reserved_s_ = finals_reserved_s_;
  if (parts_.budget.limits().seconds && energy_.active())
    reserved_s_ += std::min(most_energies_s, *parts_.budget.limits().seconds * energies_share);
}

// Returns the cost of a measurement for the finals, which compare ratios. Positive objectives (times in milliseconds)
// are costs as they are. Negative ones are inverted; metrics to be maximised are stored so. Values on both sides of
// zero have no ratio, and all below zero are better than all above. So a value on the worse side of zero, seen from the
// search's best, is no candidate (infinite), and a value on the better side beats all.
double Session::finals_cost(const search::Trial& candidate, const search::Measurement& measurement) const {
  constexpr double none = std::numeric_limits<double>::infinity();
  if (!may_win(candidate)) return none;
  const double best = result_.trials[*result_.best].objectives.front();
  const double value = rated_like(candidate, measurement).objectives.front();
  if (best < 0) return value < 0 ? -1 / value : none;
  if (best > 0) return value > 0 ? value : std::numeric_limits<double>::min();
  return none;
}

// Returns whether finals are wanted and possible. An energy takes a tenth of a second to measure, which is too long for
// hundreds of visits.
bool Session::may_hold_finals() const {
  return parts_.finals.candidates > 0 && parts_.evaluator.can_measure_again() &&
         !parts_.objectives.front().needs_energy();
}

double Session::finals_limit_s() const {
  double limit_s = std::min(parts_.finals.max_seconds, left_s());
  if (const auto& seconds = parts_.budget.limits().seconds) limit_s = std::min(limit_s, *seconds * finals_share);
  if (parts_.finals.given) return limit_s;
  return std::min(limit_s, std::max(least_finals_s, elapsed_s() * finals_share_of_past));
}

void Session::hold_finals() {
  if (result_.interrupted || !result_.best || !may_hold_finals()) return;
  const auto cost = [this](const search::Trial& candidate, const search::Measurement& measurement) {
    return finals_cost(candidate, measurement);
  };
  if (!drain()) return;
  FinalsOptions options = parts_.finals;
  options.max_seconds = finals_limit_s();
  const auto chosen = choose_finalists(result_.trials, obligatory_finalists(), cost, options);
  if (chosen.empty()) return;
  const auto on_round = [this](std::size_t rounds, std::size_t candidates) {
    if (parts_.observer) parts_.observer->on_finals(rounds, candidates);
  };
  FinalsHeld held = run_finals(parts_.evaluator, result_.trials, chosen, cost, options, parts_.stop, on_round);
  proved_.insert(held.proved.begin(), held.proved.end());
  for (const auto& [trial, visit] : held.wrong) refute(trial, visit);
  result_.finals = std::move(held.result);
  if (result_.finals && !is_founded(*result_.finals)) result_.finals.reset();
  if (result_.finals) record_finals();
  if (parts_.stop.load()) {
    result_.interrupted = true;
    result_.reason = "interrupted";
  }
}

// Proves the winner on inputs that no run has seen. If its result is wrong there, the next best is proved instead. A
// winner that cannot be run now was right before.
void Session::prove_winner() {
  if (result_.interrupted || !parts_.evaluator.can_measure_again()) return;
  while (result_.best && !proved_.contains(*result_.best)) {
    if (!drain()) return;
    const std::size_t best = *result_.best;
    parts_.evaluator.submit({result_.trials[best].configuration, Purpose::proof});
    const double until_s = elapsed_s() + std::max(0.0, left_s()) + lateness_s();
    while (!parts_.evaluator.wait(std::min(wait_s, until_s - elapsed_s())))
      if (parts_.stop.load() || elapsed_s() >= until_s) return;
    const search::Trial proof = parts_.evaluator.next();
    proved_.insert(best);
    if (proof.outcome != search::Outcome::wrong_result) return;
    result_.finals.reset();
    refute(best, proof);
  }
}

// Marks a trial that a later run has shown to be wrong, also in the store, and finds the best of the others.
void Session::refute(std::size_t number, const search::Trial& run) {
  search::Trial& trial = result_.trials[number];
  trial.outcome = run.outcome;
  trial.message = run.message;
  trial.measurement.reset();
  trial.objectives.clear();
  trial.metrics.clear();
  trial.bits.reset();
  parts_.store.record(parts_.id, parts_.space.values(trial.configuration), trial);
  result_.best.reset();
  for (std::size_t i = 0; i < result_.trials.size(); ++i) consider(i);
  if (!result_.best) parts_.store.clear_winner(parts_.id);
}

// Returns the trials that every winner is compared with: the winner of earlier runs and the default configuration.
std::vector<std::size_t> Session::obligatory_finalists() const {
  std::vector<std::size_t> trials;
  const auto add = [&](std::optional<std::size_t> trial) {
    if (trial && may_win(result_.trials[*trial]) && std::ranges::count(trials, *trial) == 0) trials.push_back(*trial);
  };
  if (const auto earlier = parts_.store.winner(parts_.id)) add(index_of(earlier->trial));
  add(result_.default_trial);
  return trials;
}

// Returns whether the finals know enough to settle a winner. One visit says less than the search did. A winner is not
// accepted either if the default could not be visited and is better by the search's figure.
bool Session::is_founded(const FinalsResult& finals) const {
  const Finalist& winner = finals.finalists.front();
  const bool known = db::known_error(result_.trials[*result_.best].measurement->relative_error).has_value();
  const auto cost = [this](const search::Trial& trial) { return finals_cost(trial, *trial.measurement); };
  if ((known && winner.visits < 2) || reverses_search(finals, result_, cost)) return false;
  const auto& usual = result_.default_trial;
  if (!usual || !may_win(result_.trials[*usual])) return true;
  if (std::ranges::count(finals.finalists, *usual, &Finalist::trial) > 0) return true;
  const search::Measurement visited{{}, winner.time_ms, winner.time_error, false};
  const search::Trial rated = rated_like(result_.trials[winner.trial], visited);
  return rated.objectives.front() <= result_.trials[*usual].objectives.front();
}

void Session::record_finals() {
  std::vector<Finalist>& finalists = result_.finals->finalists;
  std::vector<std::vector<double>> objectives;
  for (Finalist& finalist : finalists) {
    const search::Measurement settled{{}, finalist.time_ms, finalist.time_error, false};
    search::Trial rated = rated_like(result_.trials[finalist.trial], settled);
    finalist.metrics = std::move(rated.metrics);
    finalist.objective = rated.objectives.front();
    objectives.push_back(std::move(rated.objectives));
  }
  // Where the first objective of several is equal, the next decides.
  std::size_t winner = 0;
  for (std::size_t i = 1; i < finalists.size(); ++i)
    if (objectives[i].front() == objectives.front().front() && objectives[i] < objectives[winner]) winner = i;
  const auto place = finalists.begin() + static_cast<std::ptrdiff_t>(winner);
  std::rotate(finalists.begin(), place, place + 1);
  result_.best = finalists.front().trial;
}

// Settles the winner by the store's one rule, whether or not this run held finals (db/tables/winner_rule.h). The winner
// that stands then is the result, with the finals that settled it.
void Session::settle_winner() {
  if (!result_.best) return;
  const bool taken = parts_.store.settle_winner(parts_.id, winner());
  result_.winner = parts_.store.winner(parts_.id);
  result_.earlier_stands = !taken;
  if (const auto best = index_of(result_.winner->trial)) result_.best = best;
  result_.finals = finals_of(*result_.winner);
}

std::optional<std::size_t> Session::index_of(db::TrialId id) const {
  const auto place = std::ranges::find(result_.ids, id);
  if (place == result_.ids.end()) return std::nullopt;
  return static_cast<std::size_t>(place - result_.ids.begin());
}

std::optional<FinalsResult> Session::finals_of(const db::Winner& winner) const {
  FinalsResult finals;
  for (const db::WinnerFinalist& stored : winner.finalists) {
    const auto trial = index_of(stored.trial);
    if (!trial) continue;
    const bool tied = stored.trial == winner.trial || std::ranges::count(winner.ties, stored.trial) > 0;
    const auto visits = static_cast<std::size_t>(stored.visits);
    finals.rounds = std::max(finals.rounds, visits);
    finals.finalists.push_back({*trial, stored.objective, stored.relative_error, stored.time_ms.value_or(0),
                                stored.time_error.value_or(0), visits, stored.slower_by, stored.slower_low,
                                stored.slower_high, tied, stored.metrics});
  }
  return finals.finalists.empty() ? std::nullopt : std::optional(std::move(finals));
}

std::vector<std::size_t> Session::front() const {
  db::SessionRecord rated_by;
  rated_by.objective = result_.objective;
  rated_by.maximised = names_of_maximised(parts_.objectives);
  std::vector<std::vector<double>> objectives;
  for (std::size_t i = 0; i < result_.trials.size(); ++i)
    objectives.push_back(db::settled_objectives(rated_by, result_.winner, result_.ids[i], result_.trials[i]));
  return pareto_front(objectives);
}

db::Winner Session::winner() const {
  const search::Trial& best = result_.trials[*result_.best];
  db::Winner winner;
  winner.trial = result_.ids[*result_.best];
  winner.objective = best.objectives.front();
  winner.relative_error = best.measurement->relative_error;
  if (result_.default_trial && result_.trials[*result_.default_trial].correct()) {
    const search::Trial& trial = result_.trials[*result_.default_trial];
    winner.default_trial = result_.ids[*result_.default_trial];
    if (may_win(trial)) winner.default_objective = trial.objectives.front();  // else only its time is to be compared
  }
  if (!result_.finals) return winner;
  winner.objective = result_.finals->finalists.front().objective;
  winner.relative_error = result_.finals->finalists.front().relative_error;
  for (const Finalist& finalist : result_.finals->finalists) {
    const db::TrialId trial = result_.ids[finalist.trial];
    if (finalist.trial == result_.default_trial) winner.default_objective = finalist.objective;
    if (finalist.tied && trial != winner.trial) winner.ties.push_back(trial);
    winner.finalists.push_back({trial, finalist.objective, finalist.relative_error,
                                static_cast<std::int64_t>(finalist.visits), finalist.slower_by, finalist.slower_low,
                                finalist.slower_high, finalist.time_ms, finalist.time_error, finalist.metrics});
  }
  return winner;
}

}  // namespace warptune::tuner
