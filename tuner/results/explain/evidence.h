// Holds what a stored session tells of why its winner won. Everything in this folder is a pure function of it: no file,
// no device, no clock.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/records.h"
#include "search/space/search_space.h"

namespace warptune::tuner {

struct Evidence {
  db::SessionRecord session;
  std::vector<db::StoredTrial> trials;  // in recording order
  std::optional<db::Winner> winner;
  std::vector<db::Roof> roofs;
  // This is the session's own space, as long as its template says what it said then. It is null where the space is not
  // known; domains are then the values that were tried.
  const search::SearchSpace* space = nullptr;

  // Returns the trial with this number; null if there is none.
  const db::StoredTrial* find(db::TrialId id) const;
  const db::StoredTrial* winning() const { return winner ? find(winner->trial) : nullptr; }
};

// Describes one parameter as the session knew it, with its values in the domain's order. Without a space these are the
// values that were tried: numbers in ascending order and others in order of appearance.
struct Domain {
  std::string parameter;
  std::vector<search::Value> values;

  std::optional<std::size_t> position(const search::Value& value) const;
  bool numeric() const;  // all are numbers, and there are at least two
};
std::vector<Domain> domains_of(const Evidence& evidence);

// Returns the logarithm of what a trial costs by the session's first objective, as the search measured it. Differences
// are factors, and smaller is better also where the objective is maximised. Returns nothing for a trial that is not
// correct, or whose objective is zero or infinite.
std::optional<double> log_cost(const db::StoredTrial& trial);

// Returns half the width of the 95 % interval of log_cost, as far as the trial tells; 0: not known.
double log_cost_error(const db::StoredTrial& trial);

// Says how much more than the winner a trial costs: 0.1 is 10 %. For two finalists it is what the finals found, else
// what the search measured of both.
struct Difference {
  double estimate = 0, low = 0, high = 0;  // with 95 % bounds; infinite where there are none
  bool separable() const { return low > 0 || high < 0; }
};
std::optional<Difference> cost_beside_winner(const Evidence& evidence, const db::StoredTrial& trial);

}  // namespace warptune::tuner
