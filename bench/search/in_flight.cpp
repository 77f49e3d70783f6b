// What evaluations in flight cost a strategy: how many it needs to come within a share of the optimum.
//
//   in_flight STRATEGY REPEATS SEED WITHIN N[,N...] RECORDING ...
//
// STRATEGY may have options (auto:samples=4), WITHIN is the share (0.05). For each N in flight a line a recording: the
// median and the geometric mean of so many repeats, behind that the standard error of the latter's logarithm; last a
// line for all. Evaluations end in the order in which they were asked for. The clock plays no part, so that a repeat
// ends as soon as it is within the share: `warptune compare --in-flight` gives the same figures in many times the time.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "db/interchange/formats.h"
#include "search/strategies/strategy.h"
#include "tuner/compare/comparison.h"
#include "tuner/prior/word_guess.h"
#include "tuner/session/replay/recording.h"

namespace {

using namespace warptune;
using tuner::replay::Recording;

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

std::size_t evaluations(const Recording& recording, double enough, const Setting& setting, std::size_t in_flight,
                        std::size_t repeat) {
  search::StrategyContext context{.space = recording.space(), .seed = setting.seed * 1'000'003 + repeat};
  context.options = setting.choice.options;
  context.first_guess = tuner::word_guess(recording.space());
  const auto strategy = search::make_strategy(setting.choice.name, context);
  std::deque<search::Configuration> flying;
  for (std::size_t done = 1; done <= most_evaluations; ++done) {
    for (search::Configuration& asked : strategy->ask(in_flight - flying.size())) flying.push_back(std::move(asked));
    if (flying.empty()) break;
    const search::Trial& trial = *recording.find(flying.front());
    flying.pop_front();
    if (trial.correct() && trial.objectives.front() <= enough) return done;
    strategy->tell(trial);
  }
  return most_evaluations;
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

void measure(const Setting& setting, const std::vector<Recording>& recordings, std::size_t in_flight) {
  double log_medians = 0, mean_log = 0, variance = 0;
  const auto n = static_cast<double>(recordings.size());
  for (const Recording& recording : recordings) {
    const double best = optimum(recording), enough = best + setting.within * std::abs(best);
    std::vector<double> counts;
    for (std::size_t i = 0; i < setting.repeats; ++i)
      counts.push_back(static_cast<double>(evaluations(recording, enough, setting, in_flight, i)));
    const Figures of = figures(std::move(counts));
    fmt::print("{:4} {:7.1f} {:7.2f} {:6.3f}  {}\n", in_flight, of.median, std::exp(of.mean_log), of.error,
               recording.name());
    log_medians += std::log(of.median) / n;
    mean_log += of.mean_log / n;
    variance += of.error * of.error / (n * n);
  }
  fmt::print("{:4} {:7.2f} {:7.2f} {:6.3f}  all\n", in_flight, std::exp(log_medians), std::exp(mean_log),
             std::sqrt(variance));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 7) {
    fmt::print(stderr, "usage: in_flight STRATEGY REPEATS SEED WITHIN N[,N...] RECORDING ...\n");
    return 2;
  }
  const Setting setting{tuner::compare::parse_strategies(argv[1], {}).front(), std::strtoul(argv[2], nullptr, 10),
                        std::strtoul(argv[3], nullptr, 10), std::strtod(argv[4], nullptr)};
  std::vector<Recording> recordings;
  for (int i = 6; i < argc; ++i)
    recordings.emplace_back(db::read_recorded_space(argv[i]), argv[i], tuner::replay::Detail::lean);
  for (char* rest = argv[5]; *rest != '\0'; rest += *rest == ',')
    measure(setting, recordings, std::max(1UL, std::strtoul(rest, &rest, 10)));
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
