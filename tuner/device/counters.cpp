// Lists the counters, and combines their values over launches.
#include "tuner/device/counters.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace warptune::tuner {

namespace {

constexpr CounterInfo known_counters[] = {
    {"dram_read_bytes", "B", Counted::sum, "", "", "read from the device's memory"},
    {"dram_write_bytes", "B", Counted::sum, "", "", "written to the device's memory"},
    {"dram_bytes", "B", Counted::added, "dram_read_bytes", "dram_write_bytes", "both"},
    {"l2_bytes", "B", Counted::sum, "", "", "that the L2 cache was asked for, by all units"},
    {"l2_hit_rate", "%", Counted::mean, "", "l2_bytes", "of the L2 cache's sectors that were there"},
    {"l1_bytes", "B", Counted::sum, "", "", "that the L1 caches were asked for"},
    {"l1_hit_rate", "%", Counted::mean, "", "l1_bytes", "of the L1 caches' sectors that were there"},
    {"global_load_bytes", "B", Counted::sum, "", "", "that threads loaded from global memory"},
    {"global_store_bytes", "B", Counted::sum, "", "", "that threads stored to global memory"},
    {"global_load_requests", "", Counted::sum, "", "", "loads from global memory, by warps"},
    {"global_store_requests", "", Counted::sum, "", "", "stores to global memory, by warps"},
    {"global_load_sectors", "", Counted::sum, "", "", "32-byte sectors that those loads touched"},
    {"global_store_sectors", "", Counted::sum, "", "", "32-byte sectors that those stores touched"},
    {"global_load_sectors_per_request", "", Counted::ratio, "global_load_sectors", "global_load_requests",
     "4 where a warp's threads load neighbouring 4-byte elements, up to 32 where they are scattered"},
    {"global_store_sectors_per_request", "", Counted::ratio, "global_store_sectors", "global_store_requests",
     "likewise of stores"},
    {"shared_bytes", "B", Counted::sum, "", "", "that threads loaded from and stored to shared memory"},
    {"shared_load_requests", "", Counted::sum, "", "", "loads from shared memory, by warps"},
    {"shared_store_requests", "", Counted::sum, "", "", "stores to shared memory, by warps"},
    {"shared_load_conflicts", "", Counted::sum, "", "", "bank conflicts: further passes that those loads took"},
    {"shared_store_conflicts", "", Counted::sum, "", "", "bank conflicts: further passes that those stores took"},
    {"shared_load_conflicts_per_request", "", Counted::ratio, "shared_load_conflicts", "shared_load_requests",
     "0 without conflicts, 31 where all threads of a warp meet in one bank"},
    {"shared_store_conflicts_per_request", "", Counted::ratio, "shared_store_conflicts", "shared_store_requests",
     "likewise of stores"},
    {"instructions", "", Counted::sum, "", "", "that warps executed"},
    {"threads_per_instruction", "", Counted::mean, "", "instructions",
     "threads that an instruction had active: 32 without divergence"},
    {"elapsed_cycles", "cycles", Counted::sum, "", "", "from the beginning to the end of a launch, of the GPU's clock"},
    {"active_cycles", "cycles", Counted::sum, "", "", "in which a multiprocessor had work, over all multiprocessors"},
    {"issue_cycles", "cycles", Counted::sum, "", "", "in which a scheduler issued an instruction, over all schedulers"},
    {"sm_throughput", "%", Counted::mean, "", "elapsed_cycles",
     "of its peak at which the multiprocessors' busiest part worked"},
    {"l1_throughput", "%", Counted::mean, "", "elapsed_cycles",
     "of its peak at which the L1 caches' busiest part worked"},
    {"l2_throughput", "%", Counted::mean, "", "elapsed_cycles",
     "of its peak at which the L2 cache's busiest part worked"},
    {"dram_throughput", "%", Counted::mean, "", "elapsed_cycles", "of its peak at which the device's memory worked"},
    {"achieved_occupancy", "%", Counted::mean, "", "active_cycles",
     "of the warps that fit, those that were there on average"},
    {"pipe_fma", "%", Counted::mean, "", "active_cycles", "of its peak at which the FP32 pipe worked"},
    {"pipe_fp64", "%", Counted::mean, "", "active_cycles", "of its peak at which the FP64 pipe worked"},
    {"pipe_tensor", "%", Counted::mean, "", "active_cycles", "of their peak at which the tensor cores worked"},
    {"pipe_lsu", "%", Counted::mean, "", "active_cycles", "of its peak at which the load/store pipe took instructions"},
    {"stall_long_scoreboard", "cycles", Counted::mean, "", "issue_cycles",
     "a warp waited, for each instruction issued: for global or local memory"},
    {"stall_short_scoreboard", "cycles", Counted::mean, "", "issue_cycles", "for shared memory or special functions"},
    {"stall_lg_throttle", "cycles", Counted::mean, "", "issue_cycles",
     "for a place in the queue to global and local memory"},
    {"stall_mio_throttle", "cycles", Counted::mean, "", "issue_cycles", "for a place in the queue to shared memory"},
    {"stall_math_pipe_throttle", "cycles", Counted::mean, "", "issue_cycles", "for an arithmetic pipe"},
    {"stall_barrier", "cycles", Counted::mean, "", "issue_cycles", "for its block at __syncthreads"},
    {"stall_membar", "cycles", Counted::mean, "", "issue_cycles", "for a memory fence"},
    {"stall_wait", "cycles", Counted::mean, "", "issue_cycles", "for the fixed time of the instruction before"},
    {"stall_no_instruction", "cycles", Counted::mean, "", "issue_cycles", "for its next instruction to be fetched"},
    {"stall_not_selected", "cycles", Counted::mean, "", "issue_cycles",
     "was ready, and another warp's turn came first"},
    {"threads", "", Counted::sum, "", "", "launched"},
    {"warps", "", Counted::sum, "", "", "launched"},
    {"blocks", "", Counted::sum, "", "", "launched"},
    {"global_loads", "", Counted::sum, "", "", "loads from global memory, by threads"},
    {"global_stores", "", Counted::sum, "", "", "stores to global memory, by threads"},
    {"global_atomics", "", Counted::sum, "", "", "atomic operations on global memory, by threads"},
    {"shared_loads", "", Counted::sum, "", "", "loads from shared memory, by threads"},
    {"shared_stores", "", Counted::sum, "", "", "stores to shared memory, by threads"},
    {"shared_atomics", "", Counted::sum, "", "", "atomic operations on shared memory, by threads"},
    {"constant_loads", "", Counted::sum, "", "", "loads of __constant__ variables, by threads"},
    {"block_barriers", "", Counted::sum, "", "", "__syncthreads and the like, by blocks"},
    {"warp_barriers", "", Counted::sum, "", "", "__syncwarp, shuffles and votes, by warps"},
    {"warp_steps", "", Counted::sum, "", "", "basic blocks, by warps"},
    {"lane_steps", "", Counted::sum, "", "", "basic blocks, by threads"},
    {"divergent_branches", "", Counted::sum, "", "", "branches at which a warp's threads parted"},
};

constexpr std::string_view expression_prefix = "counter.";

std::optional<double> value_of(const CounterValues& values, std::string_view name) {
  const auto found = values.find(std::string(name));
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

// Returns one counter over all launches, or nothing if one of them lacks what that takes.
std::optional<double> over_launches(const CounterInfo& counter, std::span<const search::LaunchCounters> launches) {
  double total = 0, weights = 0;
  for (const search::LaunchCounters& launch : launches) {
    const auto value = value_of(launch.values, counter.name);
    // A launch with a weight of 0 (without a request, for example) is left out of a mean. If all are, there is no mean.
    const auto weight = counter.counted == Counted::mean ? value_of(launch.values, counter.whole) : 1.0;
    if (weight && *weight == 0) continue;
    if (!value || !weight) return std::nullopt;
    total += *value * *weight;
    weights += *weight;
  }
  if (counter.counted == Counted::sum) return total;
  return weights > 0 ? std::optional(total / weights) : std::nullopt;
}

}  // namespace

std::span<const CounterInfo> all_counters() {
  return known_counters;
}

const CounterInfo* find_counter(std::string_view name) {
  const auto* const found = std::ranges::find(known_counters, name, &CounterInfo::name);
  return found == std::end(known_counters) ? nullptr : found;
}

std::string name_in_expressions(std::string_view counter) {
  return std::string(expression_prefix).append(counter);
}

bool is_counter_in_expressions(std::string_view name) {
  return name.starts_with(expression_prefix);
}

void add_derived(CounterValues& values) {
  for (const CounterInfo& counter : known_counters) {
    if (counter.counted != Counted::added && counter.counted != Counted::ratio) continue;
    const auto part = value_of(values, counter.part), whole = value_of(values, counter.whole);
    if (!part || !whole) continue;
    if (counter.counted == Counted::added) values[std::string(counter.name)] = *part + *whole;
    if (counter.counted == Counted::ratio && *whole != 0) values[std::string(counter.name)] = *part / *whole;
  }
}

CounterValues in_all(std::span<const search::LaunchCounters> launches) {
  CounterValues values;
  if (launches.empty()) return values;
  for (const CounterInfo& counter : known_counters) {
    if (counter.counted != Counted::sum && counter.counted != Counted::mean) continue;
    if (const auto value = over_launches(counter, launches)) values[std::string(counter.name)] = *value;
  }
  add_derived(values);
  return values;
}

search::Counters counters_of(std::vector<search::LaunchCounters> launches, std::vector<std::string> lacking) {
  for (search::LaunchCounters& launch : launches) {
    // A rate with a denominator of 0 is not finite, and is left out.
    std::erase_if(launch.values, [](const auto& value) { return !std::isfinite(value.second); });
    add_derived(launch.values);
  }
  search::Counters counters;
  counters.values = in_all(launches);
  counters.launches = std::move(launches);
  counters.lacking = std::move(lacking);
  return counters;
}

CounterValues values_of(const AccessCounts& counts) {
  CounterValues values;
  for (std::size_t i = 0; i < count_kinds; ++i)
    values[std::string(name_of(static_cast<Count>(i)))] = static_cast<double>(counts.values[i]);
  return values;
}

std::vector<std::string> lacking_on_the_host() {
  const CounterValues has = values_of({});
  std::vector<std::string> names;
  for (const CounterInfo& counter : known_counters)
    if (!has.contains(std::string(counter.name)) && counter.counted != Counted::ratio) names.emplace_back(counter.name);
  return names;
}

}  // namespace warptune::tuner
