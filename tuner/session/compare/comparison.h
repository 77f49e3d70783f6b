// Compares strategies on recorded spaces; this is the engine behind `warptune compare`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "search/compare/score.h"
#include "search/strategies/strategy.h"
#include "tuner/session/replay/recording.h"

namespace warptune::tuner::compare {

struct StrategyChoice {
  std::string text;  // as given, and as reported: "annealing:cooling=0.9"
  std::string name;
  search::NamedValues options;
};

// Parses a list of strategies, each "NAME" or "NAME:KEY=VALUE:KEY=VALUE", separated by commas. "all" stands for every
// name in `all`. Values are integers, numbers, true, false, else texts. Throws std::invalid_argument that quotes what
// cannot be read.
std::vector<StrategyChoice> parse_strategies(std::string_view list, const std::vector<std::string>& all);

using StrategyMaker =
    std::function<std::unique_ptr<search::Strategy>(std::string_view name, const search::StrategyContext& context)>;

struct Request {
  std::vector<const replay::Recording*> spaces;
  // Strategies may learn from these recordings before they begin. The closest to the spaces come first, and a space
  // itself is never taken.
  std::vector<const replay::Recording*> earlier;
  // Strategies learn from each of these what a session of so many trials with `auto` finds; 0 means the whole
  // recording.
  std::size_t earlier_trials = 0;
  std::vector<StrategyChoice> strategies;
  StrategyMaker make;  // make_strategy, or a test's own
  std::size_t repeats = 100;
  std::uint64_t seed = 1;  // a repeat's seed depends on this, its space's name and its number, not on the strategy
  search::compare::Cutoff cutoff;
  search::compare::ScoreOptions
      scoring;  // its seed is taken from above; p_replicates = 0 makes scoring ten times as fast
  // A repeat goes on until its time is over (ScoredSpace::run_length_s), it has passed the last checkpoint of
  // `scoring`, and it has seen so many configurations.
  std::size_t min_evaluations = 400;
  std::size_t in_flight = 1;  // evaluations kept in flight
  std::size_t slots = 1;      // evaluations that the simulated device runs at once
  bool tell_budget = false;   // whether strategies are told how many evaluations the time allows on average
  std::size_t threads = 0;    // 0: as many as cores
  // Returns the CPU seconds of the calling thread, to measure what strategies themselves take. If it is empty, that is
  // not measured.
  std::function<double()> cpu_s;
  bool charge_cpu = false;  // add that time to the simulated clock
  // Is called after each strategy and space with how many of how many are done, by one thread at a time.
  std::function<void(std::size_t done, std::size_t total)> progress;

  std::size_t evaluations_of_a_repeat() const {
    const auto& checkpoints = scoring.checkpoints;
    return checkpoints.empty() ? min_evaluations : std::max(min_evaluations, std::ranges::max(checkpoints));
  }
};

// Holds the result of a strategy on a space.
struct Result {
  search::compare::Score score;
  double evaluations = 0;            // mean of a repeat
  double cpu_ms_per_evaluation = 0;  // of the strategy; 0 if not measured
};

struct SpaceSummary {
  std::string name, kernel, device;
  std::size_t configurations = 0, failed = 0;
  double optimum = 0, median = 0;
  double start_s = 0, end_s = 0;  // bounds of the time over which strategies are compared
  double end_evaluations = 0;     // evaluations that random search does until end_s
};

struct StrategyResults {
  std::string strategy;
  std::vector<Result> spaces;  // as in the request
  Result overall;              // evaluations and CPU time: the mean over spaces
};

struct Comparison {
  std::vector<SpaceSummary> spaces;
  std::vector<StrategyResults> strategies;  // as in the request
  std::vector<std::size_t> checkpoints;     // as in the request: what the scores' ratios are for
  std::size_t repeats = 0;
  std::uint64_t seed = 0;
  search::compare::Cutoff cutoff;
  std::size_t in_flight = 0, slots = 0;
  bool cpu_measured = false, cpu_charged = false;
};

// Runs all repeats, on all threads; the figures depend on the request alone, except measured CPU time. Throws
// std::invalid_argument for a request that cannot be run, std::logic_error if a strategy breaks its contract (proposes
// a configuration twice or one outside the space), and what strategies throw.
Comparison compare(const Request& request);

// Returns the CPU seconds that the calling thread has used, which is what Request::cpu_s wants. Throws
// std::system_error if the system does not say.
double thread_cpu_s();

}  // namespace warptune::tuner::compare
