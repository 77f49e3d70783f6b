// The last part of a session: the best candidates measured again, side by side, until they separate or tie.
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
  double max_seconds = most_seconds;  // of all of it: no round is begun that would end later
  bool given = false;                 // the user said so: not less because the search was short
  std::uint64_t seed = 0;             // of the order of measuring
};

// What is compared: positive, less is better ("time in milliseconds"), of a candidate and one measurement of it.
using FinalsCost = std::function<double(const search::Trial& candidate, const search::Measurement& measurement)>;

// Indices of the trials worth comparing again, best first: those whose cost is within 3 % of the best or whose interval
// reaches the best's, as many as can be told apart in the time, and behind them those of `always` that are not among
// them. Trials that were cut short are none, unless they are among `always`, which are correct. Empty if there are not
// two, or no time for a single round.
std::vector<std::size_t> choose_finalists(const std::vector<search::Trial>& trials,
                                          const std::vector<std::size_t>& always, const FinalsCost& cost,
                                          const FinalsOptions& options);

// What finals found, and which trials they proved. The first proof is always made, in a round that is drawn. It draws
// new inputs, on which all later visits run. Other proofs are made while they take little of the time.
struct FinalsHeld {
  std::optional<FinalsResult> result;
  std::vector<std::size_t> proved;                  // trials
  std::map<std::size_t, search::Trial> wrong = {};  // visits whose results were wrong, by their trial
};

// Rounds of one visit each, in a new random order each time, until all is decided or the time is up: a round that is
// not complete by then does not count, and what of it is in flight is the caller's to cancel. `on_round` hears of the
// rounds done and the candidates left. Without a result if `stop` was set before the end, or without a complete round.
// What the evaluator throws goes through.
FinalsHeld run_finals(Evaluator& evaluator, const std::vector<search::Trial>& trials,
                      const std::vector<std::size_t>& chosen, const FinalsCost& cost, const FinalsOptions& options,
                      const std::atomic<bool>& stop, const std::function<void(std::size_t, std::size_t)>& on_round);

}  // namespace warptune::tuner
