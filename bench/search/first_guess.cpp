// How good the first trials are: the best time after so many trials over the best recorded, by number of trials.
//
//   first_guess STRATEGY REPEATS MODE TEMPLATES RECORDING ...
//
// STRATEGY may have options (auto:samples=4). One trial in flight; geometric means over the repeats, whose seeds are 1,
// 2, … TEMPLATES is a folder with the manifests of what was recorded on an H200. Of these the strategy knows nothing,
// the default configuration or, beside that, the first guess (MODE: nothing, default, guess). Behind that, whatever the
// mode: the rank correlation of guesses and times, and the best of the sixteen that are guessed to be the best.

#include "tuner/session/first_guess/first_guess.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "db/interchange/formats.h"
#include "search/strategies/strategy.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/problem.h"
#include "tuner/session/compare/comparison.h"
#include "tuner/session/replay/recording.h"

namespace {

using namespace warptune;
using tuner::compare::StrategyChoice;
using tuner::replay::Recording;

// What the manifest says of a recording. Parameters that came later have their defaults.
struct Known {
  Known(const std::string& templates, const Recording& recording)
      : kernel(tuner::load_manifest(std::filesystem::path(templates) / recording.kernel())) {
    search::NamedValues sizes = kernel.sizes;
    std::ranges::sort(sizes, {}, &search::NamedValues::value_type::first);  // as recordings have them
    for (std::size_t i = 0; i < std::min(sizes.size(), recording.problem_size().size()); ++i)
      sizes[i].second = recording.problem_size()[i];
    const tuner::DeviceInfo device = h200();
    auto constants = tuner::problem_constants(tuner::resolve_problem(kernel, "", {sizes, {}}).values(), device);
    for (const auto& [name, value] : kernel.default_values)
      if (std::ranges::find(recording.space().parameters(), name, &search::Parameter::name) ==
          recording.space().parameters().end())
        constants.emplace_back(name, value);
    search::NamedValues defaults = kernel.default_values;
    std::erase_if(defaults, [&](const auto& value) { return search::find_value(constants, value.first); });
    default_configuration = recording.space().find(defaults);
    if (default_configuration && !recording.space().contains(*default_configuration)) default_configuration.reset();
    guess = tuner::FirstGuess(kernel, constants, device, recording.space());
  }

  static tuner::DeviceInfo h200() {
    tuner::DeviceInfo device;
    device.compute_capability = 90;
    device.max_threads_per_multiprocessor = 2048;
    device.max_blocks_per_multiprocessor = 32;
    device.max_registers_per_multiprocessor = 65536;
    device.max_shared_memory_per_multiprocessor = 228 << 10;
    device.multiprocessors = 132;
    device.clock_khz = 1'980'000;
    device.memory_clock_khz = 3'201'000;
    device.memory_bus_bits = 6144;
    device.l2_bytes = 60 << 20;
    return device;
  }

  tuner::KernelTemplate kernel;
  std::optional<search::Configuration> default_configuration;
  std::function<double(const search::Configuration&)> guess;
};

struct Setting {
  StrategyChoice choice;
  std::size_t repeats = 0;
  std::string mode, templates;
};

constexpr std::size_t checkpoints[] = {1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64};
constexpr std::size_t checks = std::size(checkpoints);

double optimum(const Recording& recording) {
  double best = INFINITY;
  for (std::size_t i = 0; i < recording.size(); ++i)
    if (recording.trial(i).correct()) best = std::min(best, recording.trial(i).objectives.front());
  return best;
}

// Logarithms of the best so far over the optimum, added to `sums`; before the first correct trial, that of three.
void add_run(const Recording& recording, const Known& known, const Setting& setting, std::uint64_t seed,
             std::vector<double>& sums) {
  search::StrategyContext context{.space = recording.space(), .seed = seed};
  if (setting.mode != "nothing") context.default_configuration = known.default_configuration;
  if (setting.mode == "guess") context.first_guess = known.guess;
  context.options = setting.choice.options;
  const auto strategy = search::make_strategy(setting.choice.name, context);
  const double opt = optimum(recording);
  double best = 3 * opt;
  for (std::size_t trial = 1, check = 0; check < checks; ++trial) {
    const auto asked = strategy->ask(1);
    if (!asked.empty()) {
      const search::Trial& recorded = *recording.find(asked.front());
      strategy->tell(recorded);
      if (recorded.correct()) best = std::min(best, recorded.objectives.front());
    }
    if (trial == checkpoints[check]) sums[check++] += std::log(best / opt);
  }
}

// Spearman's, of guesses and recorded times, and the best of the sixteen that are guessed to be the best.
void print_guess(const Recording& recording, const Known& known) {
  struct One {
    double guess, time, guess_rank = 0, time_rank = 0;
  };
  std::vector<One> all;
  for (std::size_t i = 0; i < recording.size(); ++i)
    if (recording.trial(i).correct())
      all.push_back({known.guess(recording.trial(i).configuration), recording.trial(i).objectives.front()});
  const auto n = static_cast<double>(all.size());
  std::ranges::sort(all, {}, &One::time);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].time_rank = static_cast<double>(i);
  const double opt = all.front().time;
  std::ranges::stable_sort(all, {}, &One::guess);
  double sum = 0, best = INFINITY;
  for (std::size_t i = 0; i < all.size(); ++i) {
    sum += std::pow(static_cast<double>(i) - all[i].time_rank, 2);
    if (i < 16) best = std::min(best, all[i].time);
  }
  fmt::print("{:7.2f}{:7.3f}", 1 - 6 * sum / (n * (n * n - 1)), best / opt);
}

void measure(const Setting& setting, const char* file) {
  const Recording recording(db::read_recorded_space(file), file, tuner::replay::Detail::lean);
  const Known known(setting.templates, recording);
  std::vector<double> sums(checks);
  for (std::size_t i = 1; i <= setting.repeats; ++i) add_run(recording, known, setting, i, sums);
  for (double sum : sums) fmt::print("{:7.3f}", std::exp(sum / static_cast<double>(setting.repeats)));
  print_guess(recording, known);
  fmt::print("  {}\n", file);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string_view modes[] = {"nothing", "default", "guess"};
  if (argc < 6 || std::ranges::find(modes, argv[3]) == std::end(modes)) {
    fmt::print(stderr, "usage: first_guess STRATEGY REPEATS nothing|default|guess TEMPLATES RECORDING ...\n");
    return 2;
  }
  const Setting setting{tuner::compare::parse_strategies(argv[1], {}).front(), std::strtoul(argv[2], nullptr, 10),
                        argv[3], argv[4]};
  for (std::size_t n : checkpoints) fmt::print("{:7}", n);
  fmt::print("   rank top 16  recording\n");
  for (int i = 5; i < argc; ++i) measure(setting, argv[i]);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
