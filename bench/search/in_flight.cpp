// What evaluations in flight cost a strategy: how many it needs to come within a share of the optimum.
//
//   in_flight STRATEGY REPEATS SEED WITHIN POOL[,POOL...] RECORDING ...
//
// STRATEGY may have options (auto:samples=4), WITHIN is the share (0.05). POOL is a number in flight, evaluated in the
// order in which they were asked for; or 16x5, a pool of 16 compilers and a device, with four more in flight, where
// compiling takes five times as long as measuring. For each pool a line a recording: the median and the geometric mean
// of so many repeats, the standard error of the latter's logarithm, and the geometric mean of the time in measurements;
// last a line for all. A repeat ends as soon as it is within the share, so that it takes a fraction of what
// `warptune compare --in-flight` does.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <exception>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "db/interchange/formats.h"
#include "search/strategies/strategy.h"
#include "tuner/measure/workers/jobs.h"
#include "tuner/session/compare/comparison.h"
#include "tuner/session/first_guess/words.h"
#include "tuner/session/replay/recording.h"

namespace {

using namespace warptune;
using tuner::replay::Recording;

struct Workers {
  explicit Workers(std::string word) : text(std::move(word)) {
    char* rest = nullptr;
    compilers = in_flight = std::max(1UL, std::strtoul(text.c_str(), &rest, 10));
    if (*rest != 'x') return;
    compile_time = std::strtod(rest + 1, &rest);
    in_flight = compilers + 4;
    in_order = false;
  }

  std::string text;
  std::size_t compilers = 1, in_flight = 1;
  double compile_time = 0;
  bool in_order = true;
};

struct Setting {
  tuner::compare::StrategyChoice choice;
  std::size_t repeats = 0;
  std::uint64_t seed = 0;
  double within = 0;
};

// A repeat that takes longer counts as this.
constexpr std::size_t most_evaluations = 1000;

double optimum(const Recording& recording) {
  double best = INFINITY;
  for (std::size_t i = 0; i < recording.size(); ++i)
    if (recording.trial(i).correct()) best = std::min(best, recording.trial(i).objectives.front());
  return best;
}

// A pool of workers with one device, which has its next configuration at hand. The unit of time is a measurement.
class Pool {
 public:
  Pool(const Workers& workers, std::uint64_t seed) : workers_(workers), rng_(seed), board_(workers.in_order) {}

  std::size_t room() const { return workers_.in_flight - in_flight_; }
  bool empty() const { return in_flight_ == 0; }
  double now() const { return now_; }

  void submit(search::Configuration configuration) {
    board_.add({std::move(configuration)}, {});
    ++in_flight_;
  }

  // The next configuration that has been measured.
  search::Configuration next() {
    for (;;) {
      if (auto trial = board_.take_finished()) {
        --in_flight_;
        return trial->configuration;
      }
      hand_out();
      const auto first = std::ranges::min_element(compiling_);
      if (first != compiling_.end() && (on_device_.empty() || first->first <= device_ends_at_)) {
        now_ = first->first;
        board_.compiled(first->second, {});
        compiling_.erase(first);
        continue;
      }
      now_ = device_ends_at_;
      device_ends_at_ = now_ + 1;
      board_.finish(on_device_.front());
      on_device_.pop_front();
    }
  }

 private:
  void hand_out() {
    while (compiling_.size() < workers_.compilers) {
      const auto id = board_.take_for_compiling();
      if (!id) break;
      constexpr double deviation = 0.4;  // of the logarithm of the time of a compilation
      compiling_.emplace_back(now_ + workers_.compile_time * std::exp(deviation * rng_.normal()), *id);
    }
    constexpr std::size_t at_hand = 2;
    while (on_device_.size() < at_hand) {
      const auto id = board_.take_for_measuring(true);
      if (!id) break;
      if (on_device_.empty()) device_ends_at_ = now_ + 1;
      on_device_.push_back(*id);
    }
  }

  const Workers& workers_;
  search::Rng rng_;
  tuner::workers::JobBoard board_;
  std::vector<std::pair<double, tuner::workers::JobId>> compiling_;  // when it ends, which
  std::deque<tuner::workers::JobId> on_device_;
  std::size_t in_flight_ = 0;
  double now_ = 0, device_ends_at_ = 0;
};

struct Needed {
  double evaluations = most_evaluations, time = most_evaluations;
};

Needed needed(const Recording& recording, double enough, const Setting& setting, const Workers& workers,
              std::size_t repeat) {
  search::StrategyContext context{.space = recording.space(), .seed = setting.seed * 1'000'003 + repeat};
  context.options = setting.choice.options;
  context.first_guess = tuner::word_guess(recording.space());
  const auto strategy = search::make_strategy(setting.choice.name, context);
  Pool pool(workers, context.seed);
  for (std::size_t done = 1; done <= std::min(most_evaluations, recording.size()); ++done) {
    for (search::Configuration& asked : strategy->ask(pool.room())) pool.submit(std::move(asked));
    if (pool.empty()) break;
    const search::Trial& trial = *recording.find(pool.next());
    if (trial.correct() && trial.objectives.front() <= enough) return {static_cast<double>(done), pool.now()};
    strategy->tell(trial);
  }
  return {};
}

struct Figures {
  double median = 0, mean_log = 0, error = 0;  // the error of the mean
};

Figures figures(std::vector<double> counts) {
  const auto n = static_cast<double>(counts.size());
  std::ranges::sort(counts);
  Figures result;
  result.median = (counts[(counts.size() - 1) / 2] + counts[counts.size() / 2]) / 2;
  for (double count : counts) result.mean_log += std::log(count) / n;
  double squares = 0;
  for (double count : counts) squares += std::pow(std::log(count) - result.mean_log, 2);
  result.error = std::sqrt(squares / std::max(n - 1, 1.0) / n);
  return result;
}

void measure(const Setting& setting, const std::vector<Recording>& recordings, const Workers& workers) {
  double log_medians = 0, mean_log = 0, mean_log_time = 0, variance = 0;
  const auto n = static_cast<double>(recordings.size());
  for (const Recording& recording : recordings) {
    const double best = optimum(recording), enough = best + setting.within * std::abs(best);
    std::vector<double> counts, times;
    for (std::size_t i = 0; i < setting.repeats; ++i) {
      const Needed one = needed(recording, enough, setting, workers, i);
      counts.push_back(one.evaluations);
      times.push_back(one.time);
    }
    const Figures of = figures(std::move(counts)), in_time = figures(std::move(times));
    fmt::print("{:8} {:7.1f} {:7.2f} {:6.3f} {:8.2f}  {}\n", workers.text, of.median, std::exp(of.mean_log), of.error,
               std::exp(in_time.mean_log), recording.name());
    log_medians += std::log(of.median) / n;
    mean_log += of.mean_log / n;
    mean_log_time += in_time.mean_log / n;
    variance += of.error * of.error / (n * n);
  }
  fmt::print("{:8} {:7.2f} {:7.2f} {:6.3f} {:8.2f}  all\n", workers.text, std::exp(log_medians), std::exp(mean_log),
             std::sqrt(variance), std::exp(mean_log_time));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 7) {
    fmt::print(stderr, "usage: in_flight STRATEGY REPEATS SEED WITHIN POOL[,POOL...] RECORDING ...\n");
    return 2;
  }
  const Setting setting{tuner::compare::parse_strategies(argv[1], {}).front(), std::strtoul(argv[2], nullptr, 10),
                        std::strtoul(argv[3], nullptr, 10), std::strtod(argv[4], nullptr)};
  std::vector<Recording> recordings;
  for (int i = 6; i < argc; ++i)
    recordings.emplace_back(db::read_recorded_space(argv[i]), argv[i], tuner::replay::Detail::lean);
  std::istringstream pools(argv[5]);
  for (std::string pool; std::getline(pools, pool, ',');) measure(setting, recordings, Workers(pool));
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
