// Runs the repeats of all strategies and spaces on several threads, and scores them.
#include "tuner/session/compare/comparison.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "tuner/measure/compilation/compile_pool.h"
#include "tuner/session/compare/repeat.h"

namespace warptune::tuner::compare {

namespace {

// Hashes the name by FNV-1a and mixes it with the numbers by SplitMix64 (Steele et al. 2014), so that neighbouring
// seeds become unrelated.
std::uint64_t repeat_seed(std::uint64_t seed, const std::string& space, std::size_t repeat) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : space) hash = (hash ^ c) * 0x100000001b3;
  std::uint64_t z = hash ^ (seed + 0x9e3779b97f4a7c15 * (repeat + 1));
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

void check(const Request& request) {
  if (request.spaces.empty() || request.strategies.empty())
    throw std::invalid_argument("a comparison needs at least one space and one strategy");
  if (request.repeats == 0 || request.in_flight == 0 || request.slots == 0)
    throw std::invalid_argument("a comparison needs at least one repeat, one evaluation in flight and one slot");
  if (request.charge_cpu && !request.cpu_s)
    throw std::invalid_argument("CPU time can only be charged if it is measured");
}

SpaceSummary summary(const replay::Recording& recording, const search::compare::ScoredSpace& scored) {
  return {.name = recording.name(),
          .kernel = recording.kernel(),
          .device = recording.device().name,
          .configurations = scored.size(),
          .failed = scored.size() - scored.objectives().size(),
          .optimum = scored.optimum(),
          .median = scored.median_objective(),
          .start_s = scored.start_s(),
          .end_s = scored.end_s(),
          .end_evaluations = scored.end_s() / scored.mean_cost_s()};
}

// A cell is a strategy on a space while its repeats run. The thread that finishes the last repeat scores them all, so
// that only the runs of a few cells are held at any time.
struct Cell {
  std::vector<Repeat> repeats;
  std::atomic<std::size_t> remaining;
  Result result;
};

Result score_cell(const Request& request, const search::compare::ScoredSpace& scored, std::vector<Repeat> repeats) {
  Result result;
  std::vector<search::compare::Run> runs;
  double evaluations = 0, cpu_s = 0;
  for (Repeat& repeat : repeats) {
    evaluations += static_cast<double>(repeat.run.size());
    cpu_s += repeat.cpu_s;
    runs.push_back(std::move(repeat.run));
  }
  search::compare::ScoreOptions options = request.scoring;
  options.seed = request.seed;
  result.score = score_runs(scored, runs, options);
  result.evaluations = evaluations / static_cast<double>(repeats.size());
  result.cpu_ms_per_evaluation = evaluations > 0 ? cpu_s * 1e3 / evaluations : 0;
  return result;
}

class Engine {
 public:
  explicit Engine(const Request& request) : request_(request) {
    for (const replay::Recording* recording : request.spaces)
      scored_.push_back(replay::scored_space(*recording, request.cutoff));
    cells_ = std::vector<Cell>(request.strategies.size() * request.spaces.size());
    for (Cell& cell : cells_) cell.remaining = request.repeats;
  }

  Comparison run() {
    std::vector<std::thread> threads;
    const std::size_t n =
        std::min(request_.threads > 0 ? request_.threads : default_jobs(), cells_.size() * request_.repeats);
    for (std::size_t i = 1; i < n; ++i) threads.emplace_back([this] { work(); });
    work();
    for (std::thread& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
    return collect();
  }

 private:
  void work() {
    try {
      for (std::size_t task = next_task_++; task < cells_.size() * request_.repeats; task = next_task_++)
        run_task(task / request_.repeats, task % request_.repeats);
    } catch (...) {
      next_task_ = cells_.size() * request_.repeats;  // the others stop too
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void run_task(std::size_t index, std::size_t repeat) {
    const std::size_t strategy = index / request_.spaces.size(), space = index % request_.spaces.size();
    const replay::Recording& recording = *request_.spaces[space];
    Cell& cell = cells_[index];
    Repeat finished = run_repeat(request_, recording, scored_[space], request_.strategies[strategy],
                                 repeat_seed(request_.seed, recording.name(), repeat));
    {
      const std::lock_guard lock(mutex_);
      cell.repeats.resize(request_.repeats);
      cell.repeats[repeat] = std::move(finished);
    }
    if (--cell.remaining > 0) return;
    cell.result = score_cell(request_, scored_[space], std::exchange(cell.repeats, {}));
    const std::lock_guard lock(mutex_);
    if (request_.progress) request_.progress(++cells_done_, cells_.size());
  }

  StrategyResults strategy_results(std::size_t strategy) const {
    StrategyResults results{.strategy = request_.strategies[strategy].text};
    std::vector<search::compare::Score> scores;
    const auto n = static_cast<double>(request_.spaces.size());
    for (std::size_t space = 0; space < request_.spaces.size(); ++space) {
      const Result& result = cells_[strategy * request_.spaces.size() + space].result;
      results.spaces.push_back(result);
      scores.push_back(result.score);
      results.overall.evaluations += result.evaluations / n;
      results.overall.cpu_ms_per_evaluation += result.cpu_ms_per_evaluation / n;
    }
    results.overall.score = overall(scores);
    return results;
  }

  Comparison collect() const {
    Comparison comparison{.checkpoints = request_.scoring.checkpoints,
                          .repeats = request_.repeats,
                          .seed = request_.seed,
                          .cutoff = request_.cutoff,
                          .in_flight = request_.in_flight,
                          .slots = request_.slots,
                          .cpu_measured = static_cast<bool>(request_.cpu_s),
                          .cpu_charged = request_.charge_cpu};
    for (std::size_t i = 0; i < scored_.size(); ++i)
      comparison.spaces.push_back(summary(*request_.spaces[i], scored_[i]));
    for (std::size_t i = 0; i < request_.strategies.size(); ++i) comparison.strategies.push_back(strategy_results(i));
    return comparison;
  }

  const Request& request_;
  std::vector<search::compare::ScoredSpace> scored_;  // by space
  std::vector<Cell> cells_;                           // by strategy, then space
  std::atomic<std::size_t> next_task_{0};
  std::mutex mutex_;
  std::size_t cells_done_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

Comparison compare(const Request& request) {
  check(request);
  return Engine(request).run();
}

double thread_cpu_s() {
  timespec time{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0)
    throw std::system_error(errno, std::generic_category(), "reading the thread's CPU clock");
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace warptune::tuner::compare
