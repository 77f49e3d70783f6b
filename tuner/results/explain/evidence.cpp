// Derives domains and costs from a session's space, trials and winner.
#include "tuner/results/explain/evidence.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "db/settled.h"
#include "search/expression/by_value.h"

namespace warptune::tuner {

namespace {

const db::WinnerFinalist* finalist(const db::Winner& winner, db::TrialId trial) {
  const auto found = std::ranges::find(winner.finalists, trial, &db::WinnerFinalist::trial);
  return found == winner.finalists.end() ? nullptr : &*found;
}

bool is_number(const search::Value& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

// Sorts a domain of numbers. One that mixes types stays as it came.
void sort_numbers(Domain& domain) {
  if (std::ranges::all_of(domain.values, is_number))
    std::ranges::stable_sort(domain.values, {}, [](const search::Value& value) { return search::to_double(value); });
}

std::vector<Domain> domains_tried(const std::vector<db::StoredTrial>& trials) {
  std::vector<Domain> domains;
  std::map<std::string, search::ByValue<bool>> tried;
  for (const db::StoredTrial& trial : trials)
    for (const auto& [name, value] : trial.values) {
      if (std::exchange(tried[name][value], true)) continue;
      auto domain = std::ranges::find(domains, name, &Domain::parameter);
      if (domain == domains.end()) domain = domains.insert(domains.end(), {name, {}});
      domain->values.push_back(value);
    }
  for (Domain& domain : domains) sort_numbers(domain);
  return domains;
}

}  // namespace

const db::StoredTrial* Evidence::find(db::TrialId id) const {
  const auto found = std::ranges::find(trials, id, &db::StoredTrial::id);
  return found == trials.end() ? nullptr : &*found;
}

std::optional<std::size_t> Domain::position(const search::Value& value) const {
  const auto found = std::ranges::find_if(values, [&](const auto& one) { return search::same_value(one, value); });
  if (found == values.end()) return std::nullopt;
  return static_cast<std::size_t>(found - values.begin());
}

bool Domain::numeric() const {
  return values.size() > 1 && std::ranges::all_of(values, is_number);
}

std::vector<Domain> domains_of(const Evidence& evidence) {
  if (!evidence.space) return domains_tried(evidence.trials);
  std::vector<Domain> domains;
  const auto& parameters = evidence.space->parameters();
  // A value that no valid configuration has could not have been tried.
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Domain domain{parameters[i].name, {}};
    for (const std::uint32_t choice : evidence.space->domains()[i])
      domain.values.push_back(parameters[i].values[choice]);
    domains.push_back(std::move(domain));
  }
  return domains;
}

std::optional<double> log_cost(const db::StoredTrial& trial) {
  if (!trial.trial.correct() || trial.trial.objectives.empty()) return std::nullopt;
  const double objective = trial.trial.objectives.front();
  if (objective == 0 || !std::isfinite(objective)) return std::nullopt;
  return objective > 0 ? std::log(objective) : -std::log(-objective);
}

double log_cost_error(const db::StoredTrial& trial) {
  return trial.trial.measurement ? trial.trial.measurement->relative_error : 0;
}

std::optional<Difference> cost_beside_winner(const Evidence& evidence, const db::StoredTrial& trial) {
  const db::StoredTrial* winner = evidence.winning();
  if (!winner) return std::nullopt;
  if (const db::WinnerFinalist* one = finalist(*evidence.winner, trial.id);
      one && finalist(*evidence.winner, winner->id))
    return Difference{one->slower_by, one->slower_low, one->slower_high};
  const auto cost = log_cost(trial), best = log_cost(*winner);
  if (!cost || !best) return std::nullopt;
  const double difference = *cost - *best, error = db::ratio_error(log_cost_error(trial), log_cost_error(*winner));
  if (!std::isfinite(error)) return Difference{std::expm1(difference), -error, error};
  return Difference{std::expm1(difference), std::expm1(difference - error), std::expm1(difference + error)};
}

}  // namespace warptune::tuner
