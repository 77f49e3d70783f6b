// Adds up the times of memory traffic and arithmetic in the largest launch, and losses for spills, conflicts and the
// like.
#include "tuner/session/first_guess/first_guess.h"

#include <algorithm>
#include <cmath>

#include "tuner/kernel/problem.h"
#include "tuner/measure/metrics/metrics.h"
#include "tuner/session/first_guess/product_time.h"

namespace warptune::tuner {

namespace {

constexpr std::size_t no_choice = static_cast<std::size_t>(-1);
// This is the guess where nothing can be said, and for what cannot be launched.
constexpr double hopeless = 30;

// Returns about x while that is small, and at most 1.
double saturating(double x) {
  return x / std::cbrt(1 + x * x * x);
}

// Returns the time of two parts that overlap: that of the slower one, with some of the other.
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

double known_or(double value, double otherwise) {
  return value > 0 ? value : otherwise;
}

}  // namespace

// Describes how a launch fills the device.
struct FirstGuess::Fit {
  double per_thread = 1;  // outputs
  double held = 1;        // elements that a thread has in registers at once
  double tile = 1;        // outputs of a block at a time
  double tiles = 1;       // of the whole problem; with persistent blocks more than there are blocks
  double warps = 1;       // of a block
  double resident = 1;    // blocks on a multiprocessor at once
  double balance = 1;     // the share of its time that the average multiprocessor has work
  double spilled = 0;     // log2 of the registers needed over those there are

  double resident_warps() const { return resident * warps; }
};

FirstGuess::FirstGuess(const KernelTemplate& kernel, const search::NamedValues& constants, const DeviceInfo& device,
                       const search::SearchSpace& space)
    : space_(&space), shapes_(kernel, constants, space), words_(space), machine_(machine_of(device)) {
  learn_of_task(kernel, constants);
  task_.cached = task_.bytes < static_cast<double>(device.l2_bytes) / 2;
  const auto work = evaluate_work(kernel, scope_of(constants, kernel.default_values));
  task_.operations_per_clock = operations_per_clock(device.compute_capability, work.arithmetic);
  // Data that passes through the L2 cache once may be evicted first, though the default is made for data that stays. So
  // no cache hint counts as the default then.
  const bool passes = device.l2_bytes > 0 && task_.bytes > static_cast<double>(device.l2_bytes);
  for (const search::Parameter& parameter : space.parameters()) {
    const bool open = passes && parameter.name.starts_with("CACHE_HINT");
    const search::Value* value = open ? nullptr : search::find_value(kernel.default_values, parameter.name);
    const auto found = std::ranges::find_if(parameter.values,
                                            [&](const auto& one) { return value && search::same_value(one, *value); });
    default_choices_.push_back(
        found == parameter.values.end() ? no_choice : static_cast<std::size_t>(found - parameter.values.begin()));
  }
}

void FirstGuess::learn_of_task(const KernelTemplate& kernel, const search::NamedValues& constants) {
  constexpr double reuse = 8;  // operations a byte, from which on operands are used again and again
  const search::NamedValues scope = scope_of(constants, kernel.default_values);
  const search::Work work = evaluate_work(kernel, scope);
  task_.flops = work.flops.value_or(0);
  task_.bytes = std::max(1.0, work.bytes.value_or(bytes_of(kernel, scope)));
  task_.tensor = work.arithmetic.starts_with("tensor");
  task_.product = task_.flops >= reuse * task_.bytes;
  task_.element_bytes = task_.tensor ? 2 : work.arithmetic == "fp64" ? 8 : 4;
  for (const Argument& argument : kernel.arguments) {
    if (!argument.is_output()) continue;
    const double count = elements(argument, scope);
    task_.outputs = std::max(task_.outputs, count);
    task_.bytes_out = std::max(task_.bytes_out, count * static_cast<double>(size_bytes(argument.type)));
  }
}

// Returns the registers that the accumulators and operands of a thread take; with fewer it spills.
double FirstGuess::registers_needed(const Fit& fit) const {
  return 24 + fit.held + 2 * std::sqrt(fit.held);
}

// Returns the registers that a thread takes if there is room: also those for addresses and for what is on its way to
// the next tile in shared memory.
double FirstGuess::registers_wanted(const LaunchShape& shape, const Said& said, const Fit& fit) const {
  constexpr double addresses = 32;
  if (!said.depth || task_.tensor) return registers_needed(fit);
  const double edges = said.edges.value_or(2 * std::sqrt(fit.tile));
  return registers_needed(fit) + addresses + edges * *said.depth / shape.threads;
}

FirstGuess::Fit FirstGuess::fit(const LaunchShape& shape, const Said& said) const {
  Fit fit;
  const double spread = std::max(1.0, task_.outputs / (shape.blocks * shape.threads));
  fit.per_thread = said.warp_tile ? std::max(1.0, *said.warp_tile / 32) : said.per_thread ? *said.per_thread : spread;
  // A thread's outputs may be elements or whole vectors. What the launch leaves to a thread decides which, where the
  // thread does not loop over it.
  const bool vectors =
      !task_.product && spread > fit.per_thread && spread <= fit.per_thread * said.vector_load.value_or(1);
  fit.held = vectors ? spread : fit.per_thread;
  fit.tile = std::max(1.0, said.tile.value_or(fit.per_thread * shape.threads));
  fit.tiles = said.tile ? std::max(shape.blocks, task_.outputs / fit.tile) : shape.blocks;
  fit.warps = std::ceil(shape.threads / 32);
  const double most = std::min(255.0, machine_.registers / (32 * fit.warps * said.least_resident.value_or(1)));
  fit.spilled = std::max(0.0, std::log2(registers_needed(fit) / most));
  const double registers = std::min(registers_wanted(shape, said, fit), most);
  const double room = std::floor(
      std::min({machine_.blocks, machine_.threads / (32 * fit.warps), machine_.registers / (registers * 32 * fit.warps),
                shape.shared_bytes > 0 ? machine_.shared_bytes / (shape.shared_bytes + 1024) : machine_.blocks}));
  fit.resident = std::clamp(room, 1.0, std::ceil(shape.blocks / machine_.multiprocessors));
  const double share = fit.tiles / machine_.multiprocessors;
  fit.balance = share / std::ceil(share);
  return fit;
}

// Returns the time of the memory traffic in microseconds. By Little's law, as many bytes must be on their way as come
// within the memory's latency. Writes wait for nothing.
double FirstGuess::memory_us(const LaunchShape& shape, const Said& said, const Fit& fit) const {
  constexpr double latency_us = 0.7, cache_latency_us = 0.35, most_loads = 16;
  const double read = std::max(task_.bytes - task_.bytes_out, task_.bytes / 4);
  const double a_thread = std::max(4.0, read / (shape.blocks * shape.threads));
  const double load = task_.element_bytes * said.vector_load.value_or(1);
  const double in_flight =
      std::clamp(load * std::min(most_loads, said.per_thread.value_or(a_thread / load)), 1.0, a_thread);
  const double needed = (task_.cached ? machine_.cache_bytes * cache_latency_us : machine_.bytes * latency_us) /
                        machine_.multiprocessors * read / task_.bytes;
  const double filled = saturating(fit.resident_warps() * 32 * in_flight / needed);
  return task_.bytes / memory_rate() / filled;
}

// Returns the time in microseconds of the multiply-adds alone, for a kernel whose operands are not used again.
double FirstGuess::arithmetic_us(const Fit& fit) const {
  const double clocks = task_.flops / (task_.operations_per_clock * machine_.multiprocessors);
  return clocks / machine_.clocks / saturating(fit.resident_warps() * std::clamp(fit.per_thread, 1.0, 4.0) / 24);
}

double FirstGuess::memory_rate() const {
  return task_.cached ? machine_.cache_bytes : machine_.bytes;
}

// Returns the time of a product in microseconds. It counts what operands cost on their way: a thread's from shared
// memory, a block's from the L2 cache.
double FirstGuess::product_us(const LaunchShape& shape, const Said& said, const Fit& fit) const {
  // A warp's own mma.sync reaches this share of what wgmma does (Luo et al. 2024, "Benchmarking and Dissecting the
  // Nvidia Hopper GPU Architecture").
  constexpr double single_warps = 0.62;
  // So many clocks pass between two tiles in shared memory: for a barrier, the latency of the reads before it and that
  // of the stores behind it.
  constexpr double step_clocks = 350;
  const double per_clock = task_.operations_per_clock * (said.warpgroups.value_or(true) ? 1 : single_warps);
  const double edges = said.edges.value_or(2 * std::sqrt(fit.tile));
  const double together = task_.tensor ? 32 * fit.per_thread : fit.per_thread;  // outputs that share operands
  const double reads = 1 + 1 / (2 * std::sqrt(together));  // a read of four operands is an instruction, too
  // An operand on its way to shared memory takes a load, an address and a store. Copy engines do without them.
  const double brought = said.depth && !task_.tensor ? 3 * edges / 128 : 0;
  // Blocks may share the depth of a tile.
  const double sharers = std::max(1.0, std::floor(shape.blocks * fit.tile / task_.outputs));
  ProductSteps steps;
  steps.depth = task_.flops / 2 / task_.outputs / sharers;
  steps.clocks_issued = 2 * fit.tile / per_clock * reads + brought;
  steps.clocks_shared = fit.tile / std::sqrt(together) * task_.element_bytes / 128;
  steps.clocks_cache = edges * task_.element_bytes * machine_.multiprocessors * machine_.clocks / machine_.cache_bytes;
  steps.clocks_waited = said.depth && !task_.tensor ? step_clocks / *said.depth : 0;
  steps.warps = fit.warps;
  steps.independent = std::sqrt(fit.per_thread);
  steps.tiles = std::ceil(fit.tiles / machine_.multiprocessors);
  steps.resident = fit.resident;
  return clocks_of(steps) / machine_.clocks + ends_us(said, fit);
}

// Returns the time in microseconds at the ends of tiles, when sums go to memory and tensor cores rest. They do not rest
// while another tile is at work, of another block or of consumers that take turns. The next tile's copies make use of
// half of the time.
double FirstGuess::ends_us(const Said& said, const Fit& fit) const {
  constexpr double exposed = 0.5;
  if (!task_.tensor || said.alternating.value_or(false)) return 0;
  return exposed * task_.bytes_out / memory_rate() / fit.resident;
}

// Returns the loss for being unlike the default in what the model does not know: there the default is its author's
// choice.
double FirstGuess::unlike_default(const search::Configuration& configuration) const {
  constexpr double choice = 0.08, step = 0.03, most_steps = 3;
  // The effects of several choices are as likely to cancel as to add up, so their squares are added.
  double sum = 0;
  const auto& parameters = space_->parameters();
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    if (default_choices_[p] == no_choice || words_.knows(p)) continue;
    const double apart =
        std::abs(static_cast<double>(configuration.choices[p]) - static_cast<double>(default_choices_[p]));
    const bool ordered = std::holds_alternative<std::int64_t>(parameters[p].values.front());
    const double loss = ordered ? step * std::min(apart, most_steps) : apart > 0 ? choice : 0;
    sum += loss * loss;
  }
  return std::sqrt(sum);
}

// Returns the loss from waiting tensor cores. They wait for the next tile where few are read ahead, and in each block's
// first and last steps, which persistent blocks overlap.
double FirstGuess::waiting(const Said& said) const {
  constexpr double of_one_stage = 0.5, first_and_last = 0.05;
  if (!task_.tensor) return 0;
  const double stages = said.stages.value_or(HUGE_VAL);
  return of_one_stage / (stages * stages) + (said.persistent.value_or(true) ? 0 : first_and_last);
}

double FirstGuess::operator()(const search::Configuration& configuration) const {
  constexpr double launch_us = 1.0, clear_us = 1.2, block_us = 2e-4, spill_loss = 0.4, narrow_loss = 0.06,
                   ragged_loss = 0.05;
  const double conflict_loss = task_.product ? 0.1 : 0.3;
  try {
    const LaunchShape shape = shapes_.of(configuration);
    const Said said = words_.of(configuration);
    const Fit fit = this->fit(shape, said);
    const double memory = memory_us(shape, said, fit);
    const double work_us =
        block_us * shape.blocks + (task_.product ? overlapped(memory, product_us(shape, said, fit))
                                                 : overlapped(memory, arithmetic_us(fit)) / fit.balance);
    const double time_us = work_us + launch_us * shape.launches + clear_us * shape.clears;
    const double narrow = std::max(0.0, 2 - std::log2(said.vector_load.value_or(4)));
    const double ragged = std::max(0.0, 5 - std::log2(said.narrowest.value_or(32)));
    // A long body takes long to compile and to fetch.
    const double body = fit.per_thread * said.unroll.value_or(1);
    return std::log(time_us) + (said.conflicts.value_or(false) ? conflict_loss : 0) + spill_loss * fit.spilled +
           waiting(said) + 0.05 * std::max(0.0, std::log2(body / 512)) + narrow_loss * narrow +
           ragged_loss * ragged * (task_.product ? 0 : 1) + unlike_default(configuration);
  } catch (const search::ExpressionError&) {
    return hopeless;
  } catch (const std::invalid_argument&) {
    return hopeless;
  }
}

Machine machine_of(const DeviceInfo& device) {
  const auto limit = [](std::int64_t value, double otherwise) {
    return known_or(static_cast<double>(value), otherwise);
  };
  Machine machine;
  machine.multiprocessors = limit(device.multiprocessors, 64);
  machine.threads = limit(device.max_threads_per_multiprocessor, 2048);
  machine.blocks = limit(device.max_blocks_per_multiprocessor, 32);
  machine.shared_bytes = limit(device.max_shared_memory_per_multiprocessor, 100 << 10);
  machine.registers = limit(device.max_registers_per_multiprocessor, 65536);
  machine.clocks = limit(device.clock_khz, 1.5e6) / 1e3;
  // A multiprocessor's shared memory delivers 128 bytes a clock, and the L2 cache about a third of that to each.
  machine.cache_bytes = 40 * machine.clocks * machine.multiprocessors;
  machine.bytes = known_or(device.memory_bandwidth_gbs() * 1e3, machine.cache_bytes / 2);
  return machine;
}

double operations_per_clock(std::int64_t capability, const std::string& arithmetic) {
  const bool ampere = capability == 80, hopper = capability >= 90;
  if (arithmetic == "tensor_bf16") return hopper ? 4096 : ampere ? 2048 : 1024;
  if (arithmetic == "tensor_tf32") return hopper ? 2048 : ampere ? 1024 : 512;
  if (arithmetic == "fp64") return capability == 90 ? 128 : ampere ? 64 : 4;
  return ampere || capability == 75 ? 128 : 256;
}

}  // namespace warptune::tuner
