// Counts blocks as CUDA's occupancy calculator does.
#include "tuner/device/roofline/occupancy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace warptune::tuner {

namespace {

std::int64_t limit(const search::NamedValues& limits, std::string_view name) {
  const search::Value* value = search::find_value(limits, name);
  const auto* number = value ? std::get_if<std::int64_t>(value) : nullptr;
  return number ? *number : 0;
}

std::int64_t rounded_up(std::int64_t number, std::int64_t unit) {
  return (number + unit - 1) / unit * unit;
}

// Returns how many blocks the registers are enough for. As in CUDA's cuda_occupancy.h, a warp takes registers in units
// of 256, from one of four parts of the multiprocessor.
std::int64_t blocks_by_registers(std::int64_t per_thread, std::int64_t warps, std::int64_t warp_size,
                                 std::int64_t registers) {
  constexpr std::int64_t unit = 256, parts = 4;
  const std::int64_t per_warp = rounded_up(per_thread * warp_size, unit);
  return registers / parts / per_warp * parts / warps;
}

// Returns likewise how many blocks the shared memory is enough for. It is given out in units of 128 bytes (256 before
// 8.0), and from 8.0 on the system takes 1 KiB of each block's.
std::int64_t blocks_by_shared_memory(std::int64_t bytes, std::int64_t capability, std::int64_t available) {
  const bool ampere = capability >= 80;
  const std::int64_t taken = rounded_up(bytes + (ampere ? 1024 : 0), ampere ? 128 : 256);
  return taken > 0 ? available / taken : 0;
}

std::vector<LimitedBlocks> limited_blocks(const search::ResourceUse& use, const search::NamedValues& limits) {
  std::vector<LimitedBlocks> result;
  const std::int64_t warp_size = std::max<std::int64_t>(1, limit(limits, "warp_size"));
  const std::int64_t warps = rounded_up(use.threads_per_block, warp_size) / warp_size;
  if (const auto threads = limit(limits, "max_threads_per_multiprocessor"); threads > 0)
    result.push_back({Limiter::threads, threads / (warps * warp_size)});
  if (const auto registers = limit(limits, "max_registers_per_multiprocessor");
      registers > 0 && use.registers_per_thread > 0)
    result.push_back({Limiter::registers, blocks_by_registers(use.registers_per_thread, warps, warp_size, registers)});
  const std::int64_t shared = use.static_shared_bytes + use.dynamic_shared_bytes;
  if (const auto available = limit(limits, "max_shared_memory_per_multiprocessor"); available > 0 && shared > 0)
    result.push_back(
        {Limiter::shared_memory, blocks_by_shared_memory(shared, limit(limits, "compute_capability"), available)});
  if (const auto blocks = limit(limits, "max_blocks_per_multiprocessor"); blocks > 0)
    result.push_back({Limiter::blocks, blocks});
  std::ranges::stable_sort(result, {}, &LimitedBlocks::blocks);
  return result;
}

void add_waves(const search::LaunchUse& launch, std::int64_t multiprocessors, Residency& result) {
  result.grid_blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  if (result.grid_blocks <= 0 || multiprocessors <= 0 || result.blocks_per_multiprocessor <= 0) return;
  const auto blocks = static_cast<double>(result.grid_blocks);
  const auto places = static_cast<double>(multiprocessors * result.blocks_per_multiprocessor);
  result.waves = blocks / places;
  result.last_wave = result.waves - std::ceil(result.waves) + 1;
  result.idle_multiprocessors = std::max<std::int64_t>(0, multiprocessors - result.grid_blocks);
}

}  // namespace

std::string_view to_string(Limiter limiter) {
  switch (limiter) {
    case Limiter::threads:
      return "threads";
    case Limiter::registers:
      return "registers";
    case Limiter::shared_memory:
      return "shared memory";
    case Limiter::blocks:
      break;
  }
  return "blocks";
}

double Residency::tail() const {
  return waves > 0 ? 1 - waves / std::ceil(waves) : 0;
}

Residency residency(const search::LaunchUse& launch, const search::NamedValues& limits) {
  Residency result;
  const search::ResourceUse& use = launch.use;
  result.occupancy = use.occupancy;
  if (use.threads_per_block <= 0) return result;
  const auto threads = static_cast<double>(limit(limits, "max_threads_per_multiprocessor"));
  result.blocks_per_multiprocessor = std::llround(use.occupancy * threads / static_cast<double>(use.threads_per_block));
  result.limits = limited_blocks(use, limits);
  if (!result.limits.empty() && result.limits.front().blocks == result.blocks_per_multiprocessor)
    for (const LimitedBlocks& one : result.limits)
      if (one.blocks == result.blocks_per_multiprocessor) result.limiters.push_back(one.limiter);
  add_waves(launch, limit(limits, "multiprocessors"), result);
  return result;
}

std::optional<search::LaunchUse> main_launch(const search::Trial& trial) {
  if (!trial.launches.empty()) return trial.launches.front();
  if (!trial.resources) return std::nullopt;
  search::LaunchUse launch;
  launch.grid = launch.block = {0, 0, 0};
  launch.use = *trial.resources;
  return launch;
}

std::string limiter_text(const Residency& residency) {
  std::vector<std::string_view> names;
  for (const Limiter limiter : residency.limiters) names.push_back(to_string(limiter));
  return fmt::format("{}", fmt::join(names, " and "));
}

}  // namespace warptune::tuner
