// Collects what was measured around the winner: configurations that differ from it in one parameter, and in two.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/results/explain/evidence.h"

namespace warptune::tuner {

// Says what became of one other value of one parameter, with everything else as in the winner.
struct Change {
  enum class State { measured, failed, excluded, untried };
  search::Value value;
  State state = State::untried;  // excluded: by a constraint; told from untried only where the space is known
  db::TrialId trial = 0;         // measured or failed
  search::Outcome outcome = search::Outcome::correct;
  std::optional<Difference> difference;  // measured: what it costs beside the winner
  bool rough = false;                    // measurement was ended early, because it was hopeless
};

struct ParameterChanges {
  std::string parameter;
  search::Value value;          // the winner's
  std::vector<Change> changes;  // in the domain's order

  std::size_t count(Change::State state) const;
  // Return the cheapest and the dearest change that was measured; null if none was.
  const Change* least() const;
  const Change* most() const;
};

// Returns the changes in the order of the parameters; those with one value are left out. It is empty without a winner.
std::vector<ParameterChanges> single_changes(const Evidence& evidence);

// Describes two changes whose costs together are not what they are one by one.
struct Interaction {
  struct Side {
    std::string parameter;
    search::Value value;
    double cost = 0;  // beside the winner, alone: 0.1 is 10 %
  };
  Side a, b;
  double together = 0;  // what both cost, as measured
  double expected = 0;  // if the factors multiplied
  db::TrialId trial = 0;
};

struct Interactions {
  std::size_t pairs = 0;            // of changes that were measured alone and together, none of them ended early
  std::vector<Interaction> strong;  // beyond 2 % and beyond what the measurements' errors explain; strongest first
};
Interactions interactions(const Evidence& evidence);

}  // namespace warptune::tuner
