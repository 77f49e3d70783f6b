// One session with many evaluations in flight: how long until it is near the optimum. On a simulated clock, for what is
// asked is what the strategy does that does not know of its trials in flight, and not how fast anything runs.
#include <cmath>
#include <iostream>
#include <mutex>
#include <thread>

#include "bench/scale/latencies.h"
#include "bench/scale/problems.h"
#include "bench/scale/verbs.h"
#include "bench/scale/watched_strategy.h"
#include "tuner/session/replay/recording.h"

namespace warptune::tuner::bench {

namespace {

struct Run {
  const std::string* space;
  const PreparedProblem* problem;
  double target;  // of the objective
  std::uint64_t seed;
};

// Within `nearness` of the best objective, which is negative where more is better.
double target_of(const replay::Recording& recording, double nearness) {
  const double optimum = replay::scored_space(recording).optimum();
  return optimum < 0 ? optimum / (1 + nearness) : optimum * (1 + nearness);
}

nlohmann::json run_one(const Run& run, const std::string& strategy_name, const Machine& machine, std::size_t most) {
  SimulatedEvaluator evaluator(*run.problem->recording, machine);
  WatchedStrategy strategy(search::make_strategy(strategy_name, {run.problem->recording->space(), run.seed}), [] {});
  db::Store store = db::Store::open(":memory:", db::OpenMode::read_write);
  const std::atomic<bool> stop{false};
  const search::BudgetLimits limits{.trials = most, .target = run.target};
  const SessionResult result =
      run_session({*run.problem, strategy, evaluator, store, limits, stop},
                  store.create_session(session_row(*run.problem, strategy_name, static_cast<std::int64_t>(run.seed))));
  const bool reached = result.best && result.trials[*result.best].objectives.front() <= run.target;
  return {{"space", *run.space},         {"seed", run.seed},
          {"reached", reached},          {"evaluations", result.trials.size()},
          {"seconds", result.elapsed_s}, {"strategy_cpu_s", strategy.cpu_s()}};
}

std::vector<Run> runs_of(const Problems& problems, std::size_t seeds, double nearness) {
  std::vector<Run> runs;
  for (const auto& [name, problem] : problems) {
    const double target = target_of(*problem.recording, nearness);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) runs.push_back({&name, &problem, target, seed});
  }
  return runs;
}

}  // namespace

void search_alone(const Options& options) {
  const Problems problems = read_problems(options.list("recordings"));
  const std::string strategy = options.text("strategy", "auto");
  const std::size_t devices = options.count("devices", 1);
  const Machine machine{.devices = devices, .compilers = devices * options.count("compilers", 0)};
  const std::size_t most = options.count("most", 5000);
  const std::vector<Run> runs = runs_of(problems, options.count("seeds", 20), options.number("nearness", 0.05));
  nlohmann::json results = nlohmann::json::array();
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> threads;
  for (std::size_t job = 0; job < options.count("jobs", 1); ++job)
    threads.emplace_back([&] {
      for (std::size_t i; (i = next++) < runs.size();) {
        const nlohmann::json result = run_one(runs[i], strategy, machine, most);
        const std::lock_guard lock(mutex);
        results.push_back(result);
      }
    });
  threads.clear();  // joins
  std::cout << results << std::endl;
}

}  // namespace warptune::tuner::bench
