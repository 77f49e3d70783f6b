// Puts the accesses of a warp's lanes together, and counts sectors and bank conflicts at each barrier.
#include "tuner/device/backends/host/execution/access_counter.h"

#include <algorithm>
#include <bit>

namespace warptune::tuner::host {

namespace {

using warptune_host::Access;

constexpr std::uint64_t kSectorBytes = 32;
constexpr std::uint64_t kBankBytes = 4;
constexpr std::uint64_t kBanks = 32;

bool loads(Access kind) {
  return kind == warptune_host::kRead || kind == warptune_host::kAtomicRead;
}

// Sorts the values and returns how many distinct ones there are. There are at most a few dozen, so a sorted list is all
// it takes.
std::int64_t distinct(std::vector<std::uint64_t>& values) {
  std::ranges::sort(values);
  return std::unique(values.begin(), values.end()) - values.begin();
}

}  // namespace

void AccessCounter::begin_block(unsigned threads) {
  threads_.assign(threads, {});
  warps_.resize((threads + kWarpSize - 1) / kWarpSize);
  counts_[Count::threads] += threads;
  counts_[Count::warps] += static_cast<std::int64_t>(warps_.size());
  ++counts_[Count::blocks];
}

void AccessCounter::end_block() {
  for (Warp& warp : warps_) flush(warp);
}

std::uint64_t AccessCounter::calls_of(unsigned thread) const {
  return threads_[thread].calls.empty() ? 0 : threads_[thread].calls.back();
}

void AccessCounter::access(unsigned thread, Space space, std::size_t buffer, Access kind, std::uint64_t address,
                           std::uint64_t bytes, std::uint64_t from) {
  const bool load = loads(kind), atomic = kind == warptune_host::kAtomic;
  if (space == Space::variable && load) {
    ++counts_[Count::constant_loads];
    return;
  }
  const bool global = space != Space::shared;
  ++counts_[atomic ? (global ? Count::global_atomics : Count::shared_atomics)
            : load ? (global ? Count::global_loads : Count::shared_loads)
                   : (global ? Count::global_stores : Count::shared_stores)];
  if (space == Space::global) {
    if (buffer >= buffers_.size()) buffers_.resize(buffer + 1);
    ++(atomic ? buffers_[buffer].atomics : load ? buffers_[buffer].loads : buffers_[buffer].stores);
  }
  if (atomic) return;
  if (global) counts_[load ? Count::global_load_bytes : Count::global_store_bytes] += static_cast<std::int64_t>(bytes);
  const unsigned lane = thread % kWarpSize;
  Request& request = warps_[thread / kWarpSize].requests[{from, calls_of(thread) * 2 + load}].next(lane);
  request.space = space;
  request.kind = kind;
  request.bytes = std::max(request.bytes, bytes);
  request.lanes |= 1u << lane;
  request.addresses[lane] = address;
}

void AccessCounter::enter_function(unsigned thread, std::uint64_t from) {
  const std::uint64_t hash = (calls_of(thread) ^ from) * 0xbf58476d1ce4e5b9u;
  threads_[thread].calls.push_back(hash ^ hash >> 31);
}

void AccessCounter::leave_function(unsigned thread) {
  if (!threads_[thread].calls.empty()) threads_[thread].calls.pop_back();
}

// A warp goes through a basic block once for all lanes that come to it. The block is divergent if these do not all go
// on to the same one.
void AccessCounter::basic_block(unsigned thread, std::uint64_t from) {
  Thread& now = threads_[thread];
  const unsigned lane = thread % kWarpSize;
  if (now.site != nullptr) {
    Step& before = now.site->times[now.time];
    if (before.next == 0) before.next = from;
    before.divergent |= before.next != from;
  }
  now.site = &warps_[thread / kWarpSize].steps[{from, calls_of(thread)}];
  now.time = now.site->count[lane];
  now.site->next(lane).lanes |= 1u << lane;
}

void AccessCounter::block_barrier() {
  ++counts_[Count::block_barriers];
  for (Warp& warp : warps_) flush(warp);
  for (Thread& thread : threads_) thread.site = nullptr;
}

// If only some of the warp's lanes came to the barrier, the others have still to come to where these have been. So
// nothing is flushed yet.
void AccessCounter::warp_barrier(unsigned warp, unsigned lanes) {
  ++counts_[Count::warp_barriers];
  const std::size_t first = std::size_t{warp} * kWarpSize;
  const std::size_t there = std::min<std::size_t>(kWarpSize, threads_.size() - first);
  if (static_cast<std::size_t>(std::popcount(lanes)) < there) return;
  flush(warps_[warp]);
  for (std::size_t i = 0; i < there; ++i) threads_[first + i].site = nullptr;
}

void AccessCounter::flush(Warp& warp) {
  for (const auto& [place, site] : warp.requests)
    for (const Request& request : site.times) settle(request);
  for (const auto& [place, site] : warp.steps) {
    Steps& steps = steps_[place.from];
    steps.warps += static_cast<std::int64_t>(site.times.size());
    for (const Step& step : site.times) {
      steps.lanes += std::popcount(step.lanes);
      steps.divergent += step.divergent;
    }
  }
  warp.requests.clear();
  warp.steps.clear();
}

// Counts a warp's request. Sectors are counted as in the CUDA C++ Programming Guide, "Device Memory Accesses". In a
// bank, lanes that read the same word share it. Wider accesses go by half a warp (8 bytes) or a quarter (16 bytes) at
// once.
void AccessCounter::settle(const Request& request) {
  const bool load = loads(request.kind);
  std::vector<std::uint64_t> places;
  if (request.space != Space::shared) {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      if ((request.lanes >> lane & 1) == 0) continue;
      const std::uint64_t last = (request.addresses[lane] + request.bytes - 1) / kSectorBytes;
      for (std::uint64_t at = request.addresses[lane] / kSectorBytes; at <= last; ++at) places.push_back(at);
    }
    ++counts_[load ? Count::global_load_requests : Count::global_store_requests];
    counts_[load ? Count::global_load_sectors : Count::global_store_sectors] += distinct(places);
    return;
  }
  ++counts_[load ? Count::shared_load_requests : Count::shared_store_requests];
  const std::uint64_t words = std::clamp<std::uint64_t>((request.bytes + kBankBytes - 1) / kBankBytes, 1, kBanks);
  const unsigned at_once = kWarpSize / static_cast<unsigned>(std::bit_ceil(words));
  for (unsigned first = 0; first < kWarpSize; first += at_once) {
    places.clear();
    for (unsigned lane = first; lane < first + at_once; ++lane) {
      if ((request.lanes >> lane & 1) == 0) continue;
      for (std::uint64_t word = 0; word < words; ++word) places.push_back(request.addresses[lane] / kBankBytes + word);
    }
    places.resize(static_cast<std::size_t>(distinct(places)));
    std::array<std::int64_t, kBanks> of_bank{};
    for (const std::uint64_t place : places) ++of_bank[place % kBanks];
    const std::int64_t most = *std::ranges::max_element(of_bank);
    counts_[load ? Count::shared_load_conflicts : Count::shared_store_conflicts] += std::max<std::int64_t>(0, most - 1);
  }
}

}  // namespace warptune::tuner::host
