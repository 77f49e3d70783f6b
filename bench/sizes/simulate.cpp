// What `tune --sizes` loses at each size, told exactly: the same model and plan as its own, on made-up times of
// templates/gemm, compilers and a device that take the time that a machine's would take. Needs no GPU.
//
//   sizes_simulation TEMPLATES [--seconds 24] [--compilers 16] [--seed 0] [--rounds 1] [--thinking 0.7]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <map>
#include <queue>
#include <set>
#include <stdexcept>

#include "bench/sizes/gemm_times.h"
#include "search/strategies/model_based/shared_model.h"
#include "tuner/kernel/files/session_files.h"
#include "tuner/kernel/problem.h"
#include "tuner/session/block_threads.h"
#include "tuner/session/first_guess/first_guess.h"
#include "tuner/session/sizes/size_plan.h"

namespace warptune::bench {
namespace {

// Seconds that things take on an H200 with 16 cores.
constexpr double start_s = 1.6, open_s = 0.06, turn_s = 0.002, trial_s = 0.0045, finals_share = 0.1;

struct Options {
  std::string templates;
  double seconds = 24;
  std::size_t compilers = 16;
  std::uint64_t seed = 0, rounds = 1;
  bool list = false;  // every size
  double worth = 0.002;
  double thinking = 0.7;  // what a thought takes there over what it takes here
};

struct Size {
  GemmSize numbers;
  search::NamedValues constants;
  std::unique_ptr<search::SearchSpace> space;
  double best_us = INFINITY, found_us = INFINITY;  // as measured, and in truth
  std::size_t trials = 0;
};

tuner::DeviceInfo h200() {
  tuner::DeviceInfo device;
  device.id = "cuda:0", device.backend = "cuda", device.name = "NVIDIA H200", device.architecture = "sm_90";
  device.compute_capability = 90;
  device.max_threads_per_block = 1024;
  device.max_block_x = device.max_block_y = 1024, device.max_block_z = 64;
  device.max_grid_x = 2147483647, device.max_grid_y = device.max_grid_z = 65535;
  device.max_registers_per_block = device.max_registers_per_multiprocessor = 65536;
  device.max_shared_memory_per_block = 48 << 10;
  device.max_shared_memory_per_block_optin = 227 << 10;
  device.max_shared_memory_per_multiprocessor = 228 << 10;
  device.max_threads_per_multiprocessor = 2048;
  device.max_blocks_per_multiprocessor = 32;
  device.multiprocessors = 132;
  device.clock_khz = 1'980'000;
  device.memory_clock_khz = 3'201'000;
  device.memory_bus_bits = 6144;
  device.l2_bytes = 60 << 20;
  return device;
}

class Simulation {
 public:
  Simulation(const Options& options, const tuner::KernelTemplate& kernel, const tuner::DeviceInfo& device,
             std::uint64_t seed);
  void run();
  void report(const std::vector<double>& best) const;
  const search::SearchSpace& space() const { return *sizes_.front().space; }
  std::vector<GemmSize> numbers() const;
  void set_times(const GemmTimes& times) { times_ = &times; }

 private:
  struct Compilation {
    double done_s;
    std::size_t size;
    search::Configuration configuration;
    bool operator>(const Compilation& other) const { return done_s > other.done_s; }
  };
  void begin(std::size_t number);
  double compile_s(const search::Configuration& configuration) const;
  double begin_compiling(std::size_t size, const search::Configuration& configuration);
  void keep_compiling();
  void note_compiled();
  void measure(std::size_t size, const search::Configuration& configuration);

  const Options& options_;
  search::Rng rng_;
  std::vector<Size> sizes_;
  std::vector<std::size_t> order_;
  std::size_t begun_ = 0;
  const tuner::KernelTemplate& kernel_;
  const tuner::DeviceInfo& device_;
  std::unique_ptr<search::SharedModel> model_;
  const GemmTimes* times_ = nullptr;
  double now_s_ = 0;
  std::vector<double> compiler_free_s_;
  std::priority_queue<Compilation, std::vector<Compilation>, std::greater<>> coming_;
  std::map<search::Configuration, double> compiled_at_s_;
  std::size_t visits_ = 0, trials_ = 0;
  double thought_s_ = 0;
};

Simulation::Simulation(const Options& options, const tuner::KernelTemplate& kernel, const tuner::DeviceInfo& device,
                       std::uint64_t seed)
    : options_(options), rng_(seed), kernel_(kernel), device_(device), compiler_free_s_(options.compilers, 0.2) {
  std::vector<std::vector<double>> numbers;
  for (const double m : {256, 640, 1600, 4096})
    for (const double n : {256, 640, 1600, 4096})
      for (const double k : {256, 640, 1600, 4096}) {
        Size& size = sizes_.emplace_back();
        size.numbers = {m, n, k};
        const auto number = [](double value) { return static_cast<std::int64_t>(value); };
        const tuner::Problem problem =
            tuner::resolve_problem(kernel, "", {{{"M", number(m)}, {"N", number(n)}, {"K", number(k)}}, {}});
        size.constants = tuner::problem_constants(problem.values(), device);
        size.space = std::make_unique<search::SearchSpace>(tuner::build_space(kernel, size.constants));
        numbers.push_back({m, n, k});
      }
  order_ = search::covering_order(numbers);
  model_ = std::make_unique<search::SharedModel>(*sizes_.front().space, numbers, seed,
                                                 tuner::BlockThreads(kernel, sizes_.front().constants, space()));
}

void Simulation::begin(std::size_t number) {
  Size& size = sizes_[number];
  model_->add(number, *size.space, tuner::FirstGuess(kernel_, size.constants, device_, *size.space));
  now_s_ += open_s;
  ++begun_;
}

std::vector<GemmSize> Simulation::numbers() const {
  std::vector<GemmSize> all;
  for (const Size& size : sizes_) all.push_back(size.numbers);
  return all;
}

double Simulation::compile_s(const search::Configuration& configuration) const {
  return 0.25 + 0.4 * static_cast<double>(search::ConfigurationHash()(configuration) % 1000) / 1000;
}

// When it will be there.
double Simulation::begin_compiling(std::size_t size, const search::Configuration& configuration) {
  const auto known = compiled_at_s_.find(configuration);
  if (known != compiled_at_s_.end()) return known->second;
  double& free = *std::ranges::min_element(compiler_free_s_);
  free = std::max(free, now_s_) + compile_s(configuration);
  coming_.push({free, size, configuration});
  return compiled_at_s_[configuration] = free;
}

void Simulation::note_compiled() {
  for (; !coming_.empty() && coming_.top().done_s <= now_s_; coming_.pop())
    model_->compiled(coming_.top().size, coming_.top().configuration);
}

void Simulation::keep_compiling() {
  note_compiled();
  const std::size_t wanted = options_.compilers + 4;
  for (std::size_t passed = 0; coming_.size() < wanted && passed < begun_;) {
    const std::size_t size = model_->turn();
    const auto found = model_->to_compile(size, 2);
    for (const auto& configuration : found) begin_compiling(size, configuration);
    passed = found.empty() ? passed + 1 : 0;
  }
}

void Simulation::measure(std::size_t number, const search::Configuration& configuration) {
  Size& size = sizes_[number];
  now_s_ = std::max(now_s_, begin_compiling(number, configuration)) + trial_s;
  const double us = times_->us(configuration, size.numbers), seen = us * (1 + 0.004 * rng_.normal());
  now_s_ += 8e-6 * us;
  if (seen < size.best_us) size.best_us = seen, size.found_us = us;
  ++size.trials;
  search::Trial trial;
  trial.configuration = configuration;
  trial.objectives = {seen};
  model_->tell(number, trial);
}

void Simulation::run() {
  tuner::SizePlan plan(order_, {.seconds = options_.seconds});
  now_s_ = 0.3;
  const double end_s = options_.seconds * (1 - finals_share);
  std::size_t passed = 0;
  bool first = true;
  // Of this program; thinking ahead hides behind what is measured meanwhile.
  const auto cpu_s = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  double measured_s = 0;
  while (now_s_ < end_s) {
    const auto visit = plan.next();
    if (!plan.reached(visit->size)) begin(visit->size);
    const double begin = cpu_s();
    note_compiled();
    auto chosen = model_->to_measure(visit->size, visit->most, visit->least, options_.worth);
    if (chosen.size() < visit->least && !plan.reached(visit->size))
      for (auto& one : model_->to_compile(visit->size, visit->most - chosen.size())) chosen.push_back(std::move(one));
    for (const auto& one : chosen) begin_compiling(visit->size, one);
    keep_compiling();
    const double thought_s = options_.thinking * (cpu_s() - begin);
    thought_s_ += thought_s;
    now_s_ += std::max(0.0, thought_s - measured_s);
    const double visit_s = now_s_;
    if (first) now_s_ = std::max(now_s_, start_s), first = false;
    if (!chosen.empty()) now_s_ += turn_s, ++visits_;
    for (const auto& one : chosen) measure(visit->size, one);
    measured_s = now_s_ - visit_s;
    trials_ += chosen.size();
    plan.done(*visit, chosen.size());
    passed = chosen.empty() ? passed + 1 : 0;
    if (passed < sizes_.size()) continue;
    passed = 0, now_s_ += 0.05;
  }
}

void Simulation::report(const std::vector<double>& best) const {
  std::vector<double> regrets;
  for (std::size_t s = 0; s < sizes_.size(); ++s) {
    const Size& size = sizes_[s];
    if (size.trials == 0) continue;
    regrets.push_back(size.found_us / best[s] - 1);
    if (options_.list)
      fmt::print("{:>5} x {:>4} x {:>4} {:>7.1f} µs {:>3} trials {:>5.1f} %\n", size.numbers.m, size.numbers.n,
                 size.numbers.k, size.found_us, size.trials, 100 * regrets.back());
  }
  std::ranges::sort(regrets);
  double sum = 0;
  for (const double regret : regrets) sum += regret / static_cast<double>(regrets.size());
  fmt::print(
      "{} of {} sizes reached: mean regret {:.2f} %, worst {:.1f} %; {} trials in {} turns, {} compiled; {:.1f} s of "
      "thinking\n",
      regrets.size(), sizes_.size(), 100 * sum, regrets.empty() ? 0 : 100 * regrets.back(), trials_, visits_,
      compiled_at_s_.size(), thought_s_);
  std::fflush(stdout);
}

int run(const Options& options) {
  tuner::DeviceInfo device = h200();
  const tuner::SessionFiles texts({options.templates + "/gemm/template.toml", {}, {}, {}, {}, {}, {}, {}, {}});
  const auto kernel = tuner::load_template(texts.place());
  for (std::uint64_t round = 0; round < options.rounds; ++round) {
    Simulation simulation(options, kernel, device, options.seed + round);
    const GemmTimes times(simulation.space(), options.seed + round);
    simulation.set_times(times);
    simulation.run();
    simulation.report(times.best_us(simulation.numbers()));
  }
  return 0;
}

constexpr char usage[] =
    "usage: sizes_simulation TEMPLATES [--seconds 24] [--compilers 16] [--seed 0] [--rounds 1] [--thinking 0.7] "
    "[--worth 0.002] [--list 1]";

double number_of(const std::string& option, const char* text) {
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(value >= 0))
    throw std::invalid_argument(fmt::format("{} wants a number, not '{}'", option, text));
  return value;
}

// Throws std::invalid_argument for what it does not know.
Options parse(int count, char** words) {
  Options options;
  if (count % 2 != 0) throw std::invalid_argument(usage);
  options.templates = words[1];
  for (int i = 2; i < count; i += 2) {
    const std::string name = words[i];
    const double value = number_of(name, words[i + 1]);
    if (name == "--list")
      options.list = value > 0;
    else if (name == "--worth")
      options.worth = value;
    else if (name == "--thinking")
      options.thinking = value;
    else if (name == "--seconds")
      options.seconds = value;
    else if (name == "--compilers")
      options.compilers = static_cast<std::size_t>(value);
    else if (name == "--seed")
      options.seed = static_cast<std::uint64_t>(value);
    else if (name == "--rounds")
      options.rounds = static_cast<std::uint64_t>(value);
    else
      throw std::invalid_argument(fmt::format("there is no option {}\n{}", name, usage));
  }
  return options;
}

}  // namespace
}  // namespace warptune::bench

int main(int count, char** words) {
  try {
    return warptune::bench::run(warptune::bench::parse(count, words));
  } catch (const std::exception& error) {
    fmt::print(stderr, "sizes_simulation: {}\n", error.what());
    return 2;
  }
}
