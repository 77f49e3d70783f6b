// Finds the trials that differ from the winner in one parameter, and compares pairs of them with the trials that differ
// in both.
#include "tuner/results/explain/changes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "search/expression/by_value.h"

namespace warptune::tuner {

namespace {

constexpr double least_interaction = 0.02;

constexpr std::size_t too_many = 3;  // more than two differing parameters say nothing here

// Returns the names of the parameters in which two configurations differ. If one lacks a parameter, there are
// `too_many`.
std::vector<std::string> differing(const search::NamedValues& a, const search::NamedValues& b) {
  std::vector<std::string> names;
  for (const auto& [name, value] : a) {
    const search::Value* other = search::find_value(b, name);
    if (!other) return std::vector<std::string>(too_many);
    if (!search::same_value(value, *other)) names.push_back(name);
    if (names.size() == too_many) break;
  }
  return names;
}

search::NamedValues changed(search::NamedValues values, const std::string& parameter, const search::Value& to) {
  for (auto& [name, value] : values)
    if (name == parameter) value = to;
  return values;
}

bool excluded(const Evidence& evidence, const search::NamedValues& values) {
  if (!evidence.space) return false;
  const auto configuration = evidence.space->find(values);
  return !configuration || !evidence.space->contains(*configuration);
}

void take(const Evidence& evidence, const db::StoredTrial& trial, Change& change) {
  change.trial = trial.id;
  change.outcome = trial.trial.outcome;
  change.state = trial.trial.correct() ? Change::State::measured : Change::State::failed;
  change.difference = cost_beside_winner(evidence, trial);
  change.rough = trial.trial.measurement && trial.trial.measurement->cut_short;
}

// Returns whether the trial's cost is a measurement, and not the rough figure of one that was ended early.
bool sampled(const db::StoredTrial& trial) {
  return log_cost(trial) && !(trial.trial.measurement && trial.trial.measurement->cut_short);
}

// Holds the first trial with a value, and the first of these whose cost was sampled. Each is null if there is none.
struct Tried {
  const db::StoredTrial *first = nullptr, *sampled = nullptr;
};

// These are trials that differ from the winner in one parameter, by its name and value.
using Neighbours = std::map<std::string, search::ByValue<Tried>>;

Neighbours neighbours_of(const Evidence& evidence, const db::StoredTrial& winner) {
  Neighbours neighbours;
  for (const db::StoredTrial& trial : evidence.trials)
    if (const auto names = differing(winner.values, trial.values); names.size() == 1) {
      Tried& tried = neighbours[names.front()][*search::find_value(trial.values, names.front())];
      if (!tried.first) tried.first = &trial;
      if (!tried.sampled && sampled(trial)) tried.sampled = &trial;
    }
  return neighbours;
}

ParameterChanges changes_of(const Evidence& evidence, const db::StoredTrial& winner, const Domain& domain,
                            const search::ByValue<Tried>& trials) {
  ParameterChanges result{domain.parameter, *search::find_value(winner.values, domain.parameter), {}};
  for (const search::Value& value : domain.values) {
    if (search::same_value(value, result.value)) continue;
    Change change;
    change.value = value;
    if (const Tried* tried = trials.find(value))
      take(evidence, *tried->first, change);
    else if (excluded(evidence, changed(winner.values, domain.parameter, value)))
      change.state = Change::State::excluded;
    result.changes.push_back(std::move(change));
  }
  return result;
}

template <class Better>
const Change* extreme(const std::vector<Change>& changes, Better better) {
  const Change* best = nullptr;
  for (const Change& change : changes)
    if (change.difference && (!best || better(change.difference->estimate, best->difference->estimate))) best = &change;
  return best;
}

const db::StoredTrial* with(const Neighbours& neighbours, const std::string& name, const search::Value& value) {
  const auto found = neighbours.find(name);
  const Tried* tried = found == neighbours.end() ? nullptr : found->second.find(value);
  return tried ? tried->sampled : nullptr;
}

// Returns how two changes interact, or nothing if that is small or within the errors. All four trials were measured by
// the search, so that their figures are of one kind.
std::optional<Interaction> interaction(const db::StoredTrial& winner, const db::StoredTrial& a,
                                       const db::StoredTrial& b, const db::StoredTrial& both,
                                       const std::vector<std::string>& names) {
  const double base = *log_cost(winner), alone_a = *log_cost(a) - base, alone_b = *log_cost(b) - base;
  const double together = *log_cost(both) - base, beyond = std::abs(together - alone_a - alone_b);
  const double error = std::hypot(std::hypot(log_cost_error(winner), log_cost_error(both)),
                                  std::hypot(log_cost_error(a), log_cost_error(b)));
  if (beyond <= std::max(least_interaction, error)) return std::nullopt;
  const auto side = [&](const std::string& name, double cost) {
    return Interaction::Side{name, *search::find_value(both.values, name), std::expm1(cost)};
  };
  return Interaction{side(names[0], alone_a), side(names[1], alone_b), std::expm1(together),
                     std::expm1(alone_a + alone_b), both.id};
}

double strength(const Interaction& one) {
  return std::abs(std::log1p(one.together) - std::log1p(one.expected));
}

}  // namespace

std::size_t ParameterChanges::count(Change::State state) const {
  return static_cast<std::size_t>(std::ranges::count(changes, state, &Change::state));
}

const Change* ParameterChanges::least() const {
  return extreme(changes, std::less<double>{});
}

const Change* ParameterChanges::most() const {
  return extreme(changes, std::greater<double>{});
}

std::vector<ParameterChanges> single_changes(const Evidence& evidence) {
  std::vector<ParameterChanges> result;
  const db::StoredTrial* winner = evidence.winning();
  if (!winner) return result;
  Neighbours neighbours = neighbours_of(evidence, *winner);
  for (const Domain& domain : domains_of(evidence))
    if (domain.values.size() > 1 && search::find_value(winner->values, domain.parameter))
      result.push_back(changes_of(evidence, *winner, domain, neighbours[domain.parameter]));
  return result;
}

Interactions interactions(const Evidence& evidence) {
  Interactions result;
  const db::StoredTrial* winner = evidence.winning();
  if (!winner || !log_cost(*winner)) return result;
  const Neighbours neighbours = neighbours_of(evidence, *winner);
  for (const db::StoredTrial& both : evidence.trials) {
    const auto names = differing(winner->values, both.values);
    if (names.size() != 2 || !sampled(both)) continue;
    const db::StoredTrial* a = with(neighbours, names[0], *search::find_value(both.values, names[0]));
    const db::StoredTrial* b = with(neighbours, names[1], *search::find_value(both.values, names[1]));
    if (!a || !b) continue;
    ++result.pairs;
    if (auto found = interaction(*winner, *a, *b, both, names)) result.strong.push_back(std::move(*found));
  }
  std::ranges::stable_sort(result.strong, std::ranges::greater{}, strength);
  return result;
}

}  // namespace warptune::tuner
