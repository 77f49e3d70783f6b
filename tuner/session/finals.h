// Holds the finals, the last part of a session: the best candidates are measured again, side by side, until they
// separate or tie.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/trial.h"
#include "tuner/measure/evaluator.h"
#include "tuner/session/result.h"

namespace warptune::tuner {

struct FinalsOptions {
  static constexpr double most_seconds = 30;
  std::size_t candidates = 0;         // at most; 0: no finals
  double max_seconds = most_seconds;  // for all rounds: none is begun that would end later
  bool given = false;                 // the user gave max_seconds: a short search does not lower it
  std::uint64_t seed = 0;             // of the order of measuring
};

// Returns the cost by which finals compare, from a candidate and one measurement of it. It is positive, and less is
// better ("time in milliseconds").
using FinalsCost = std::function<double(const search::Trial& candidate, const search::Measurement& measurement)>;

// Returns the indices of the trials worth comparing again, best first. These are the trials whose cost is within 3 % of
// the best or whose interval reaches the best's, as many as can be told apart in the time. Behind them come the trials
// of `always` that are not among them; all trials of `always` must be correct. A trial that was cut short is chosen
// only if it is among `always`. The result is empty if there are not two trials, or no time for a single round.
std::vector<std::size_t> choose_finalists(const std::vector<search::Trial>& trials,
                                          const std::vector<std::size_t>& always, const FinalsCost& cost,
                                          const FinalsOptions& options);

// Holds what finals found, and which trials they proved right on inputs that no run had seen. The first proof is always
// made, in a round that is drawn at random. It draws new inputs, on which all later visits run. Other proofs are made
// while they take little of the time.
struct FinalsHeld {
  std::optional<FinalsResult> result;
  std::vector<std::size_t> proved;                  // indices of trials
  std::map<std::size_t, search::Trial> wrong = {};  // visits whose results were wrong, by their trial
};

// Runs rounds in which each candidate gets one visit, in a new random order each time, until all is decided or the time
// is up. A round that is not complete by then does not count, and the caller must cancel what of it is still in flight.
// `on_round` is called with the number of rounds done and the number of candidates left. There is no result if `stop`
// was set before the end, or if no round was complete. What the evaluator throws goes through.
FinalsHeld run_finals(Evaluator& evaluator, const std::vector<search::Trial>& trials,
                      const std::vector<std::size_t>& chosen, const FinalsCost& cost, const FinalsOptions& options,
                      const std::atomic<bool>& stop, const std::function<void(std::size_t, std::size_t)>& on_round);

}  // namespace warptune::tuner
