// Computes how a launch fills a device: how many of its blocks a multiprocessor holds at once and what keeps it from
// holding more, how often the device is filled anew, and how full the last time is. These are pure functions of what
// the store keeps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/trial.h"
#include "search/value.h"

namespace warptune::tuner {

// Says what a multiprocessor runs out of first.
enum class Limiter { threads, registers, shared_memory, blocks };
std::string_view to_string(Limiter limiter);  // "threads", "registers", "shared memory", "blocks"

// Says how many blocks a multiprocessor could hold if only one resource limited it.
struct LimitedBlocks {
  Limiter limiter = Limiter::threads;
  std::int64_t blocks = 0;
};

struct Residency {
  std::int64_t blocks_per_multiprocessor = 0;  // as the device says; 0: not known, or it does not fit
  double occupancy = 0;                        // resident threads over the multiprocessor's maximum
  std::vector<LimitedBlocks> limits;  // fewest blocks first; resources that the device does not limit are left out
  // Lists the resources that bind. It is empty where our arithmetic does not give the device's number of blocks: then
  // they are not known.
  std::vector<Limiter> limiters;
  std::int64_t grid_blocks = 0;  // 0: not known
  double waves = 0;              // the grid over the blocks that the whole device holds at once; 0: not known
  // This is the share of the device's places that the last wave takes; 1 means all of them.
  double last_wave = 0;
  // Counts the multiprocessors that get no block at all, because the grid has fewer blocks than there are
  // multiprocessors.
  std::int64_t idle_multiprocessors = 0;

  // Returns the share of all waves' places that stays empty if all blocks take equally long. It is what the tail costs.
  double tail() const;
};

// `limits` are the device's by name (DeviceInfo::limits(), which sessions keep). Registers and shared memory are given
// out as the CUDA occupancy calculator does for compute capability 7.0 and later.
Residency residency(const search::LaunchUse& launch, const search::NamedValues& limits);

// Returns the launch that has the most threads: what is said of a trial with several kernels is said of this one first.
// A trial from before launches were kept gives its worst figures and no grid. Returns nothing if the trial was never
// compiled.
std::optional<search::LaunchUse> main_launch(const search::Trial& trial);

// Names the limiters: "registers", "registers and shared memory". The text is empty if they are not known.
std::string limiter_text(const Residency& residency);

}  // namespace warptune::tuner
