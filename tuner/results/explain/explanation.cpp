// Puts the findings of this folder together, and gives each kind of advice by a rule and a threshold of its own.
#include "tuner/results/explain/explanation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "db/settled.h"

namespace warptune::tuner {

namespace {

constexpr double usual_precision = 0.01, worth_another_half = 0.02, next_to_nothing = 0.005;
constexpr double tail_worth_saying = 0.1, nearly_at_roof = 0.9, beyond_roof = 1.05;
constexpr std::size_t least_for_verdict = 40;

// Returns whether the value is an extent of the block. The device bounds these, not the domain's author.
bool is_block_extent(const search::Trial& trial, const search::Value& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  const auto launch = main_launch(trial);
  if (!number || !launch) return false;
  const auto& block = launch->block;
  return *number == launch->use.threads_per_block || std::ranges::find(block, *number) != block.end();
}

// Returns whether the value is at a natural lower end: below 0 or 1 there is mostly nothing.
bool is_floor(const search::Value& value) {
  return search::to_double(value) <= 1;
}

// Returns whether the session's space declares values beyond this one: then a constraint is the edge, and not the
// domain.
bool declares_beyond(const Evidence& evidence, const std::string& parameter, const search::Value& value, bool upper) {
  if (!evidence.space) return false;
  const auto& parameters = evidence.space->parameters();
  const auto declared = std::ranges::find(parameters, parameter, &search::Parameter::name);
  return declared != parameters.end() && std::ranges::any_of(declared->values, [&](const search::Value& other) {
           const double beyond = search::to_double(other) - search::to_double(value);
           return upper ? beyond > 0 : beyond < 0;
         });
}

const Change* change_to(const ParameterChanges& changes, const search::Value& value) {
  const auto found = std::ranges::find_if(
      changes.changes, [&](const Change& change) { return search::same_value(change.value, value); });
  return found == changes.changes.end() ? nullptr : &*found;
}

// Returns whether a value beside the winner's surely costs more. A recording that tells no errors is taken at its word.
bool costs_more(const Evidence& evidence, const Difference& difference) {
  const bool imported = db::kind_of(evidence.session) == db::SessionKind::imported;
  return imported && !std::isfinite(difference.low) ? difference.estimate > 0 : difference.low > 0;
}

void advise_edge(const Evidence& evidence, Domain domain, const ParameterChanges& changes, const search::Trial& winner,
                 std::vector<Advice>& result) {
  if (!domain.numeric() || domain.values.size() < 3 || is_block_extent(winner, changes.value)) return;
  // A manifest may list values in any order.
  std::ranges::stable_sort(domain.values, {}, [](const search::Value& value) { return search::to_double(value); });
  const auto position = domain.position(changes.value);
  const bool upper = position && *position + 1 == domain.values.size();
  if (!upper && (position != 0 || is_floor(changes.value))) return;
  if (declares_beyond(evidence, domain.parameter, changes.value, upper)) return;
  const Change* inner = change_to(changes, domain.values[upper ? *position - 1 : 1]);
  Advice one{Advice::Kind::edge_unknown, domain.parameter, changes.value, upper};
  if (inner && inner->state != Change::State::untried) {
    // There is nothing to say unless the costs fall towards the edge.
    if (!inner->difference || !costs_more(evidence, *inner->difference)) return;
    one.kind = Advice::Kind::edge;
    one.figure = inner->difference->estimate;
  }
  result.push_back(std::move(one));
}

// Says so where the trials are too few to tell what more of them would bring.
void advise_few_trials(const db::SessionRecord& session, const SearchProgress& progress, std::vector<Advice>& result) {
  // A session that was measured elsewhere, or again, is no search that could go on.
  if (db::kind_of(session) == db::SessionKind::imported || !session.origin.empty()) return;
  if (progress.trials >= least_for_verdict || session.space_size.empty()) return;
  if (session.space_size == std::to_string(progress.trials)) return;
  result.push_back({Advice::Kind::few_trials,
                    {},
                    search::Value(session.space_size),
                    true,
                    0,
                    static_cast<std::int64_t>(progress.trials)});
}

void advise_trials(const Evidence& evidence, const SearchProgress& progress, std::vector<Advice>& result) {
  if (!progress.last_doubling || progress.trials < least_for_verdict) return;
  // No budget buys more than the whole space, nor more of another tool's session.
  if (db::kind_of(evidence.session) == db::SessionKind::imported) return;
  if (evidence.session.space_size == std::to_string(progress.trials)) return;
  const double gain = *progress.last_doubling;
  if (gain >= worth_another_half) result.push_back({Advice::Kind::more_trials, {}, {}, true, gain});
  if (gain <= next_to_nothing) result.push_back({Advice::Kind::enough_trials, {}, {}, true, gain});
}

void advise_residency(const search::Trial& winner, const Residency& residency, std::vector<Advice>& result) {
  if (const std::int64_t bytes = winner.resources->local_bytes_per_thread; bytes > 0)
    result.push_back({Advice::Kind::local_memory, {}, {}, true, 0, bytes});
  if (residency.idle_multiprocessors > 0)
    result.push_back({Advice::Kind::idle_device, {}, {}, true, 0, residency.idle_multiprocessors});
  else if (residency.waves > 1 && residency.tail() >= tail_worth_saying)
    result.push_back({Advice::Kind::tail, {}, {}, true, residency.tail()});
}

bool default_failed_or_untried(const Evidence& evidence) {
  const db::StoredTrial* trial =
      evidence.winner->default_trial ? evidence.find(*evidence.winner->default_trial) : nullptr;
  return !trial || !trial->trial.correct();
}

double error_of(const db::Winner& winner) {
  return winner.relative_error.value_or(winner.time_error.value_or(0));
}

// Returns the precision that the session's policy states.
double asked_precision(const db::SessionKey& key) {
  constexpr std::string_view name = "precision=";
  const std::size_t found = key.policy.find(name);
  double precision = usual_precision;
  if (found != std::string::npos)
    std::from_chars(key.policy.data() + found + name.size(), key.policy.data() + key.policy.size(), precision);
  return precision;
}

void advise_roofline(const Evidence& evidence, const search::Trial& winner, const std::optional<Attainment>& attainment,
                     std::vector<Advice>& result) {
  if (db::kind_of(evidence.session) == db::SessionKind::replay) return;
  const bool measured_here = db::kind_of(evidence.session) == db::SessionKind::measured;
  if (measured_here && !winner.work.flops && !winner.work.bytes)
    result.push_back({Advice::Kind::state_work});
  else if (measured_here && evidence.roofs.empty())
    result.push_back({Advice::Kind::measure_roofs});
  // Where the share is well beyond 1, the roof or the stated work is not what the kernel meets.
  if (attainment && attainment->nearest().share >= nearly_at_roof && attainment->nearest().share <= beyond_roof)
    result.push_back({Advice::Kind::at_roof, attainment->nearest().roof, {}, true, attainment->nearest().share});
}

}  // namespace

std::string_view to_string(Advice::Kind kind) {
  static constexpr std::array<std::string_view, 14> names = {
      "few_trials", "default_untried", "noisy",       "edge", "edge_unknown", "more_trials",   "enough_trials",
      "neighbours", "local_memory",    "idle_device", "tail", "state_work",   "measure_roofs", "at_roof"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<Advice> advice(const Evidence& evidence, const std::vector<ParameterChanges>& changes,
                           const SearchProgress& progress, const std::optional<Residency>& residency,
                           const std::optional<Attainment>& attainment) {
  std::vector<Advice> result;
  const db::StoredTrial* winner = evidence.winning();
  if (!winner) return result;
  advise_few_trials(evidence.session, progress, result);
  // A recording names no default, and nobody can measure it again.
  const bool measured = db::kind_of(evidence.session) == db::SessionKind::measured;
  if (measured && default_failed_or_untried(evidence)) result.push_back({Advice::Kind::default_untried});
  if (const double error = error_of(*evidence.winner); measured && error > asked_precision(evidence.session.key))
    result.push_back({Advice::Kind::noisy, {}, {}, true, error});
  const std::vector<Domain> domains = domains_of(evidence);
  // A recording that is replayed has no values beyond its own.
  const bool replayed = db::kind_of(evidence.session) == db::SessionKind::replay;
  for (const ParameterChanges& one : changes)
    if (!replayed)
      advise_edge(evidence, *std::ranges::find(domains, one.parameter, &Domain::parameter), one, winner->trial, result);
  advise_trials(evidence, progress, result);
  std::int64_t untried = 0;
  for (const ParameterChanges& one : changes) untried += static_cast<std::int64_t>(one.count(Change::State::untried));
  // Without the space nobody knows which of them a constraint excludes.
  if (untried > 0 && evidence.space) result.push_back({Advice::Kind::neighbours, {}, {}, true, 0, untried});
  if (residency && winner->trial.resources) advise_residency(winner->trial, *residency, result);
  advise_roofline(evidence, winner->trial, attainment, result);
  return result;
}

namespace {

const Change* alone(const Explanation& explanation, const std::string& parameter, const search::Value& value) {
  const auto changes = std::ranges::find(explanation.changes, parameter, &ParameterChanges::parameter);
  if (changes == explanation.changes.end()) return nullptr;
  const auto found = std::ranges::find_if(changes->changes, [&](const Change& change) {
    return change.difference && search::same_value(change.value, value);
  });
  return found == changes->changes.end() ? nullptr : &*found;
}

std::optional<Residency> main_residency(const TrialView& trial) {
  return trial.launches.empty() ? std::nullopt : std::optional(trial.launches.front().residency);
}

}  // namespace

TrialView view(const Evidence& evidence, const db::StoredTrial& trial) {
  TrialView result;
  result.trial = trial.id;
  const search::NamedValues& limits = evidence.session.key.device.limits;
  for (const search::LaunchUse& launch : trial.trial.launches)
    result.launches.push_back({launch, residency(launch, limits)});
  if (const auto launch = main_launch(trial.trial); launch && result.launches.empty())
    result.launches.push_back({*launch, residency(*launch, limits)});
  const auto time_ms = db::settled(evidence.winner, trial).time_ms;
  if (!trial.trial.correct() || !time_ms) return result;
  result.attainment = attainment(evidence.session, trial.trial.work, *time_ms, evidence.roofs);
  if (result.attainment) result.roof_time_ms = *time_ms * result.attainment->nearest().share;
  return result;
}

Explanation explain(const Evidence& evidence) {
  Explanation result;
  if (const db::StoredTrial* winner = evidence.winning()) result.winner = view(evidence, *winner);
  result.changes = single_changes(evidence);
  result.interactions = interactions(evidence);
  result.importance = importance(evidence);
  result.progress = progress(evidence);
  result.coverage = coverage(evidence);
  result.exclusions = exclusions(evidence);
  result.accuracy = accuracy(evidence);
  if (result.winner)
    result.advice =
        advice(evidence, result.changes, result.progress, main_residency(*result.winner), result.winner->attainment);
  return result;
}

std::vector<TrialDifference> differences(const Evidence& evidence, const Explanation& explanation,
                                         const db::StoredTrial& trial) {
  std::vector<TrialDifference> result;
  const db::StoredTrial* winner = evidence.winning();
  if (!winner) return result;
  for (const auto& [name, value] : trial.values) {
    const search::Value* best = search::find_value(winner->values, name);
    if (best && !search::same_value(*best, value))
      result.push_back({name, value, *best, alone(explanation, name, value)});
  }
  return result;
}

}  // namespace warptune::tuner
