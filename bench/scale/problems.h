// Recorded spaces by the name of their file, as workers take them up and searches are compared on them.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/scale/simulated_evaluator.h"
#include "db/store.h"
#include "search/strategies/strategy.h"
#include "tuner/session/preparation.h"
#include "tuner/session/session.h"

namespace warptune::tuner::bench {

// By "FOLDER/FILE", the last two parts of a path without endings.
using Problems = std::map<std::string, PreparedProblem>;
Problems read_problems(const std::vector<std::string>& files);

// Recorded seconds in one of the wall's with which `machine` makes so many trials of this problem a second.
double speed_for(const PreparedProblem& problem, const Machine& machine, double trials_per_second);

// One session as a worker runs it: the program's own loop, with the store that it records in.
struct SimulatedSession {
  const PreparedProblem& problem;
  search::Strategy& strategy;
  SimulatedEvaluator& evaluator;
  db::Store& store;
  search::BudgetLimits limits;
  const std::atomic<bool>& stop;
};
SessionResult run_session(const SimulatedSession& parts, db::SessionId id);

// The row of a session; `number` makes its key its own.
db::SessionRecord session_row(const PreparedProblem& problem, const std::string& strategy, std::int64_t number);

}  // namespace warptune::tuner::bench
