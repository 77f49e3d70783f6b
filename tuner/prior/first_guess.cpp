#include "tuner/prior/first_guess.h"

#include <algorithm>
#include <cmath>

#include "tuner/kernel/problem.h"
#include "tuner/metrics/metrics.h"

namespace warptune::tuner {

namespace {

constexpr std::size_t no_choice = static_cast<std::size_t>(-1);
// Where nothing can be said, and for what cannot be launched.
constexpr double hopeless = 30;

double known_or(double value, double otherwise) {
  return value > 0 ? value : otherwise;
}

// Multiply-adds of one multiprocessor and clock count twice (CUDA C++ Programming Guide, "Arithmetic Instructions";
// for tensor cores the whitepapers of the A100 and the H100, dense).
double operations_per_clock(std::int64_t capability, const std::string& arithmetic) {
  const bool ampere = capability == 80, hopper = capability >= 90;
  if (arithmetic == "tensor_bf16") return hopper ? 4096 : ampere ? 2048 : 1024;
  if (arithmetic == "tensor_tf32") return hopper ? 2048 : ampere ? 1024 : 512;
  if (arithmetic == "fp64") return capability == 90 ? 128 : ampere ? 64 : 4;
  return ampere || capability == 75 ? 128 : 256;
}

// Near to x while that is small, and at most 1.
double saturating(double x) {
  return x / std::sqrt(1 + x * x);
}

// As the slowest of what overlaps, with some of the others.
double overlapped(double a, double b) {
  return std::cbrt(a * a * a + b * b * b);
}

double elements(const Argument& argument, const search::NamedValues& scope) {
  double product = 1;
  for (const auto& dimension : argument.shape) product *= search::to_double(dimension.evaluate(scope));
  return product;
}

double bytes_of(const KernelTemplate& kernel, const search::NamedValues& scope) {
  double sum = 0;
  for (const Argument& argument : kernel.arguments)
    if (!argument.shape.empty() && !argument.on_host)
      sum += elements(argument, scope) * static_cast<double>(size_bytes(argument.type));
  return sum;
}

}  // namespace

// How a launch fills the device.
struct FirstGuess::Fit {
  double per_thread = 1;  // outputs
  double tile = 1;        // outputs of a block at a time
  double warps = 1;       // on a multiprocessor at once
  double balance = 1;     // the share of its time that the average multiprocessor has work
  double spilled = 0;     // powers of two that registers are over what there is
};

FirstGuess::FirstGuess(const KernelTemplate& kernel, const search::NamedValues& constants, const DeviceInfo& device,
                       const search::SearchSpace& space)
    : space_(&space), shapes_(kernel, constants, space), words_(space) {
  learn_of_task(kernel, constants);
  learn_of_device(device);
  const auto work = evaluate_work(kernel, scope_of(constants, kernel.default_values));
  machine_.operations = operations_per_clock(device.compute_capability, work.arithmetic) * machine_.multiprocessors *
                        known_or(static_cast<double>(device.clock_khz), 1.5e6) / 1e3;
  for (const search::Parameter& parameter : space.parameters()) {
    const search::Value* value = search::find_value(kernel.default_values, parameter.name);
    const auto found = std::ranges::find_if(parameter.values,
                                            [&](const auto& one) { return value && search::same_value(one, *value); });
    default_choices_.push_back(
        found == parameter.values.end() ? no_choice : static_cast<std::size_t>(found - parameter.values.begin()));
  }
}

void FirstGuess::learn_of_device(const DeviceInfo& device) {
  const auto limit = [](std::int64_t value, double otherwise) {
    return known_or(static_cast<double>(value), otherwise);
  };
  machine_.multiprocessors = limit(device.multiprocessors, 64);
  machine_.threads = limit(device.max_threads_per_multiprocessor, 2048);
  machine_.blocks = limit(device.max_blocks_per_multiprocessor, 32);
  machine_.shared_bytes = limit(device.max_shared_memory_per_multiprocessor, 100 << 10);
  machine_.registers = limit(device.max_registers_per_multiprocessor, 65536);
  const double clocks_a_us = limit(device.clock_khz, 1.5e6) / 1e3;
  // A multiprocessor's shared memory delivers 128 bytes a clock, and the L2 cache about half of that to each.
  machine_.shared_bytes_moved = 128 * clocks_a_us * machine_.multiprocessors;
  machine_.cache_bytes = 64 * clocks_a_us * machine_.multiprocessors / 2;
  machine_.bytes = known_or(device.memory_bandwidth_gbs() * 1e3, machine_.cache_bytes / 2);
  if (task_.bytes < static_cast<double>(device.l2_bytes) / 2) machine_.bytes = machine_.cache_bytes;
}

void FirstGuess::learn_of_task(const KernelTemplate& kernel, const search::NamedValues& constants) {
  const search::NamedValues scope = scope_of(constants, kernel.default_values);
  const search::Work work = evaluate_work(kernel, scope);
  task_.flops = work.flops.value_or(0);
  task_.bytes = std::max(1.0, work.bytes.value_or(bytes_of(kernel, scope)));
  task_.tensor = work.arithmetic.starts_with("tensor");
  task_.element_bytes = task_.tensor ? 2 : work.arithmetic == "fp64" ? 8 : 4;
  task_.outputs = 1;
  for (const Argument& argument : kernel.arguments)
    if (argument.is_output()) task_.outputs = std::max(task_.outputs, elements(argument, scope));
}

FirstGuess::Fit FirstGuess::fit(const LaunchShape& shape, const Said& said) const {
  Fit fit;
  const double spread = std::max(1.0, task_.outputs / (shape.blocks * shape.threads));
  fit.per_thread = said.warp_tile ? std::max(1.0, *said.warp_tile / 32) : said.per_thread ? *said.per_thread : spread;
  fit.tile = std::max(1.0, said.tile.value_or(fit.per_thread * shape.threads));
  const double warps = std::ceil(shape.threads / 32);
  // What sums, addresses and operands take, roughly.
  const double wanted = 24 + fit.per_thread + 2 * std::sqrt(fit.per_thread);
  const double most = std::min(255.0, machine_.registers / (32 * warps * said.least_resident.value_or(1)));
  fit.spilled = std::max(0.0, std::log2(wanted / most));
  const double resident = std::max(
      1.0, std::floor(std::min({machine_.blocks, machine_.threads / (32 * warps),
                                machine_.registers / (std::min(wanted, most) * 32 * warps),
                                shape.shared_bytes > 0 ? machine_.shared_bytes / (shape.shared_bytes + 1024) : 1e9})));
  const double a_multiprocessor = std::ceil(shape.blocks / machine_.multiprocessors);
  fit.warps = std::min(resident, a_multiprocessor) * warps;
  // Persistent blocks have more tiles than there are blocks; what is uneven is the tiles.
  const double tiles = said.tile ? std::max(shape.blocks, task_.outputs / fit.tile) : shape.blocks;
  const double share = tiles / machine_.multiprocessors;
  fit.balance = share / std::ceil(share);
  return fit;
}

// Little's law: as many bytes must be on their way as come within the memory's latency.
double FirstGuess::memory_us(const LaunchShape& shape, const Said& said, const Fit& fit) const {
  constexpr double latency_us = 0.8, most_loads = 16;
  const double a_thread = task_.bytes / (shape.blocks * shape.threads);
  const double vector = said.vector.value_or(1);
  double in_flight = task_.element_bytes * vector * std::min(most_loads, said.per_thread.value_or(a_thread / 4));
  in_flight = std::clamp(in_flight, 1.0, std::max(4.0, a_thread));
  const double needed = machine_.bytes * latency_us / machine_.multiprocessors;
  const double filled = saturating(fit.warps * 32 * in_flight / needed);
  return task_.bytes / machine_.bytes / filled;
}

// What a product's operands cost on their way: a thread's from shared memory, a block's from the L2 cache. Both fall
// with the root of what is computed from them.
double FirstGuess::arithmetic_us(const Said& said, const Fit& fit) const {
  // A warp's own mma.sync reaches so much of what wgmma does (Luo et al. 2024, "Benchmarking and Dissecting the Nvidia
  // Hopper GPU Architecture").
  constexpr double single_warps = 0.62;
  constexpr double reuse = 8;  // operations a byte, from which on operands are used again and again
  const double steps = task_.flops / 2;
  const double ilp = std::clamp(fit.per_thread, 1.0, 4.0);
  const double rate = machine_.operations * (said.warpgroups.value_or(true) ? 1 : single_warps);
  const double issued = task_.flops / rate / saturating(fit.warps * ilp / 24);
  if (task_.flops < reuse * task_.bytes) return issued;
  const double together = task_.tensor ? 32 * fit.per_thread : fit.per_thread;
  const double shared = steps * 2 / std::sqrt(together) * task_.element_bytes / machine_.shared_bytes_moved;
  const double cache = steps * 2 / std::sqrt(fit.tile) * task_.element_bytes / machine_.cache_bytes;
  return issued + overlapped(shared / 2, cache);
}

// Of what the model does not know, the default is its author's choice.
double FirstGuess::unlike_default(const search::Configuration& configuration) const {
  constexpr double choice = 0.08, step = 0.02, most_steps = 3;
  double sum = 0;
  const auto& parameters = space_->parameters();
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    if (default_choices_[p] == no_choice || words_.knows(p)) continue;
    const double apart =
        std::abs(static_cast<double>(configuration.choices[p]) - static_cast<double>(default_choices_[p]));
    const bool ordered = std::holds_alternative<std::int64_t>(parameters[p].values.front());
    sum += ordered ? step * std::min(apart, most_steps) : apart > 0 ? choice : 0;
  }
  return sum;
}

// What tensor cores wait for: the next tile where few are read ahead, and each block's first and last steps, which
// persistent blocks overlap.
double FirstGuess::waiting(const Said& said) const {
  constexpr double of_one_stage = 0.5, first_and_last = 0.05;
  if (!task_.tensor) return 0;
  const double stages = said.stages.value_or(HUGE_VAL);
  return of_one_stage / (stages * stages) + (said.persistent.value_or(true) ? 0 : first_and_last);
}

double FirstGuess::operator()(const search::Configuration& configuration) const {
  constexpr double launch_us = 1.0, clear_us = 1.2, block_us = 2e-4, conflict_loss = 0.15, spill_loss = 0.4,
                   narrow_loss = 0.06;
  try {
    const LaunchShape shape = shapes_.of(configuration);
    const Said said = words_.of(configuration);
    const Fit fit = this->fit(shape, said);
    const double work_us =
        overlapped(memory_us(shape, said, fit), arithmetic_us(said, fit)) / fit.balance + block_us * shape.blocks;
    const double time_us = work_us + launch_us * shape.launches + clear_us * shape.clears;
    const double narrow = std::max(0.0, 2 - std::log2(said.vector.value_or(4)));
    // A long body takes long to compile and to fetch.
    const double body = fit.per_thread * said.unroll.value_or(1);
    return std::log(time_us) + (said.conflicts.value_or(false) ? conflict_loss : 0) + spill_loss * fit.spilled +
           waiting(said) + 0.05 * std::max(0.0, std::log2(body / 512)) + narrow_loss * narrow +
           unlike_default(configuration);
  } catch (const search::ExpressionError&) {
    return hopeless;
  } catch (const std::invalid_argument&) {
    return hopeless;
  }
}

}  // namespace warptune::tuner
