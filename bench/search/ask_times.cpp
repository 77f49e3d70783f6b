// What a strategy's decisions cost: mean CPU time of an ask and its tell, over a synthetic kernel whose time
// is a rugged function of its parameters. The fingerprint is of all decisions in their order: who makes a strategy
// faster looks whether it is the same.
//
//   ask_times [STRATEGY [IN_FLIGHT [TRIALS]]]
//
// With TRIALS, one long session in 10,000,000 configurations: what a trial costs until it has 100, 1,000 … of them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <deque>
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

SearchSpace space_of(const std::vector<std::size_t>& sizes) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < sizes.size(); ++i) parameters.push_back(powers("p" + std::to_string(i), sizes[i]));
  return SearchSpace::build(std::move(parameters), {});
}

// bench/throughput/xgemm at 2048³: 5,788 configurations.
SearchSpace xgemm() {
  std::vector<Parameter> parameters;
  const auto add = [&](const char* name, std::vector<std::int64_t> values) {
    parameters.push_back({name, {values.begin(), values.end()}});
  };
  for (const char* name : {"MWG", "NWG"}) add(name, {16, 32, 64});
  for (const char* name : {"MDIMC", "NDIMC", "MDIMA", "NDIMB"}) add(name, {8, 16, 32});
  for (const char* name : {"VWM", "VWN"}) add(name, {1, 2, 4});
  for (const char* name : {"SA", "SB"}) add(name, {0, 1});
  std::vector<Constraint> constraints;
  for (const char* divides : {"MWG % (MDIMC * VWM)", "NWG % (NDIMC * VWN)", "MWG % (MDIMA * VWM)",
                              "NWG % (NDIMB * VWN)", "32 % (MDIMC * NDIMC / MDIMA)", "32 % (MDIMC * NDIMC / NDIMB)"})
    constraints.push_back({std::string(divides) + " == 0"});
  return SearchSpace::build(std::move(parameters), std::move(constraints));
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

Trial trial_of(const Configuration& configuration) {
  Trial trial{.configuration = configuration};
  trial.objectives = {time_ms(configuration)};
  return trial;
}

// Told in the order of asking, when so many are in flight. What is told now and then begins at `told_at`, 0: never.
void measure(const std::string& strategy_name, const SearchSpace& space, std::size_t trials, std::size_t in_flight,
             std::size_t told_at = 0) {
  const double start_ms = cpu_ms();
  const auto strategy = make_strategy(strategy_name, {.space = space, .seed = 1});
  const double begun_ms = cpu_ms();
  double longest_ms = 0;
  std::size_t fingerprint = 0;
  std::deque<Configuration> out;
  std::size_t next_told = told_at;
  for (std::size_t i = 0; i < trials; ++i) {
    const double before_ms = cpu_ms();
    const auto asked = strategy->ask(1);
    if (asked.empty()) break;
    fingerprint = 31 * fingerprint + ConfigurationHash()(asked.front());
    out.push_back(asked.front());
    if (out.size() >= in_flight) {
      strategy->tell(trial_of(out.front()));
      out.pop_front();
    }
    longest_ms = std::max(longest_ms, cpu_ms() - before_ms);
    if (i + 1 != next_told) continue;
    fmt::print("{:>10} trials: {:.3f} ms a trial so far\n", next_told,
               (cpu_ms() - begun_ms) / static_cast<double>(i + 1));
    next_told *= 10;
  }
  const double all_ms = cpu_ms() - begun_ms;
  fmt::print(
      "{:>10} configurations, {:>4} trials: {:.3f} ms a trial on average, {:.1f} ms at most, {:.1f} ms to begin, "
      "{:.0f} "
      "MB resident, {:016x}\n",
      to_text(space.size()), trials, all_ms / static_cast<double>(trials), longest_ms, begun_ms - start_ms,
      resident_mb(), fingerprint);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string strategy = argc > 1 ? argv[1] : "auto";
  const std::size_t in_flight = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  if (argc > 3)
    return measure(strategy, space_of({10, 10, 10, 10, 10, 10, 10}), std::strtoul(argv[3], nullptr, 10), in_flight,
                   100),
           0;
  measure(strategy, xgemm(), 250, in_flight);
  measure(strategy, space_of({5, 5, 4, 4, 5, 5, 2}), 300, in_flight);         // 20,000
  measure(strategy, space_of({10, 10, 10, 10, 10, 10}), 4000, in_flight);     // 1,000,000
  measure(strategy, space_of({10, 10, 10, 10, 10, 10, 10}), 250, in_flight);  // 10,000,000
}
