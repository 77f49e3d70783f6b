// What a strategy's decisions cost: mean CPU time of an ask and its tell, over a synthetic kernel whose time
// is a rugged function of its parameters.
//
//   ask_times [STRATEGY]

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <string>

#include "search/strategies/strategy.h"

namespace {

using namespace warptune::search;

Parameter powers(std::string name, std::size_t n) {
  Parameter parameter{std::move(name), {}};
  for (std::size_t i = 0; i < n; ++i) parameter.values.emplace_back(std::int64_t{1} << i);
  return parameter;
}

// 20,000 configurations with these sizes, or 1,000,000.
SearchSpace space_of(const std::vector<std::size_t>& sizes) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < sizes.size(); ++i) parameters.push_back(powers("p" + std::to_string(i), sizes[i]));
  return SearchSpace::build(std::move(parameters), {});
}

double time_ms(const Configuration& configuration) {
  double log_time = 0;
  for (std::size_t p = 0; p < configuration.choices.size(); ++p) {
    const double x = configuration.choices[p];
    log_time += 0.05 * std::pow(x - static_cast<double>(p % 4), 2) + 0.1 * std::cos(2.3 * x + static_cast<double>(p));
  }
  return std::exp(log_time + 1e-4 * static_cast<double>(ConfigurationHash()(configuration) % 997));
}

// Of this process: what else the machine does counts little.
double cpu_ms() {
  return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// Resident memory in MB (Linux).
double resident_mb() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4096 / 1e6;
}

void measure(const std::string& strategy_name, const SearchSpace& space, std::size_t trials) {
  const double start_ms = cpu_ms();
  const auto strategy = make_strategy(strategy_name, {.space = space, .seed = 1});
  double longest_ms = 0;
  for (std::size_t i = 0; i < trials; ++i) {
    const double before_ms = cpu_ms();
    const auto asked = strategy->ask(1);
    if (asked.empty()) break;
    Trial trial{.configuration = asked.front()};
    trial.objectives = {time_ms(asked.front())};
    strategy->tell(trial);
    longest_ms = std::max(longest_ms, cpu_ms() - before_ms);
  }
  const double all_ms = cpu_ms() - start_ms;
  fmt::print(
      "{:>10} configurations, {:>5} trials: {:.3f} ms a trial on average, {:.1f} ms at most, {:.0f} MB resident\n",
      to_text(space.size()), trials, all_ms / static_cast<double>(trials), longest_ms, resident_mb());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string strategy = argc > 1 ? argv[1] : "auto";
  measure(strategy, space_of({5, 5, 4, 4, 5, 5, 2}), 300);      // 20,000
  measure(strategy, space_of({10, 10, 10, 10, 10, 10}), 4000);  // 1,000,000
}
