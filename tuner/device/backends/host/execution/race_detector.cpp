// Keeps the latest accesses to each word of shared memory, and compares a new access with them.
#include "tuner/device/backends/host/execution/race_detector.h"

#include <algorithm>

namespace warptune::tuner::host {

namespace {

using warptune_host::Access;

constexpr std::uint64_t kWordBytes = 4;

// A word keeps as many readers as a warp has, and two of other warps. Whoever writes later races with one of these if
// it races with any.
constexpr std::size_t kMostRecords = kWarpSize + 2;

bool conflict(const SharedAccess& a, const SharedAccess& b) {
  return a.thread != b.thread && (a.writes() || b.writes()) && !(a.is_atomic() && b.is_atomic()) &&
         (a.bytes_of_word & b.bytes_of_word) != 0;
}

void raise(std::vector<std::uint32_t>& clocks, const std::vector<std::uint32_t>& to) {
  clocks.resize(std::max(clocks.size(), to.size()));
  for (std::size_t i = 0; i < to.size(); ++i) clocks[i] = std::max(clocks[i], to[i]);
}

}  // namespace

void RaceDetector::begin_block(unsigned threads, std::uint64_t shared_bytes) {
  ++phase_;
  threads_.assign(threads, {});
  released_.clear();
  words_.resize(std::max<std::size_t>(words_.size(), (shared_bytes + kWordBytes - 1) / kWordBytes));
}

bool RaceDetector::ordered(const SharedAccess& before, unsigned thread) const {
  const Thread& now = threads_[thread];
  if (before.thread == thread) return true;
  if (before.thread / kWarpSize == thread / kWarpSize) return now.warp[before.thread % kWarpSize] >= before.clock;
  return !now.others.empty() && now.others[before.thread] >= before.clock;
}

std::optional<Race> RaceDetector::access(unsigned thread, Access kind, std::uint64_t offset, std::uint64_t bytes,
                                         std::uint64_t from) {
  std::optional<Race> race;
  for (std::uint64_t at = offset; at < offset + bytes;) {
    Word& word = words_[at / kWordBytes];
    const std::uint64_t end = std::min(offset + bytes, (at / kWordBytes + 1) * kWordBytes);
    const auto touched = static_cast<std::uint8_t>(((1u << (end - at)) - 1) << at % kWordBytes);
    const SharedAccess access{thread, threads_[thread].clock, from, kind, touched};
    if (word.phase != phase_) word.records.clear();
    word.phase = phase_;
    for (const SharedAccess& before : word.records)
      if (!race && conflict(before, access) && !ordered(before, thread)) race = Race{before, access, at};
    keep(word, access);
    at = end;
  }
  return race;
}

// Records the access. It drops earlier ones that this one makes superfluous: a later access that races with such a one
// also races with this one.
void RaceDetector::keep(Word& word, const SharedAccess& access) {
  std::erase_if(word.records, [&](const SharedAccess& before) {
    const bool covered = (before.bytes_of_word & ~access.bytes_of_word) == 0;
    const bool stronger = access.writes() || !before.writes();
    return covered && stronger && access.is_atomic() <= before.is_atomic() && ordered(before, access.thread);
  });
  if (word.records.size() < kMostRecords || access.writes()) word.records.push_back(access);
}

void RaceDetector::block_barrier() {
  ++phase_;
  released_.clear();
  for (Thread& thread : threads_) {
    thread.warp.fill(0);
    thread.others.clear();
    thread.clock = 1;
  }
}

void RaceDetector::warp_barrier(unsigned warp, unsigned lanes) {
  std::array<std::uint32_t, kWarpSize> seen{};
  Clocks others;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    Thread& thread = threads_[warp * kWarpSize + lane];
    for (unsigned i = 0; i < kWarpSize; ++i) seen[i] = std::max(seen[i], thread.warp[i]);
    seen[lane] = std::max(seen[lane], thread.clock++);
    raise(others, thread.others);
  }
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    threads_[warp * kWarpSize + lane].warp = seen;
    threads_[warp * kWarpSize + lane].others = others;
  }
}

RaceDetector::Clocks RaceDetector::seen_by(unsigned thread) const {
  Clocks seen = threads_[thread].others;
  seen.resize(threads_.size());
  const unsigned first = thread / kWarpSize * kWarpSize;
  for (unsigned lane = 0; lane < kWarpSize && first + lane < seen.size(); ++lane)
    seen[first + lane] = threads_[thread].warp[lane];
  seen[thread] = threads_[thread].clock;
  return seen;
}

void RaceDetector::release(unsigned thread, const void* object) {
  raise(released_[object], seen_by(thread));
  ++threads_[thread].clock;
}

void RaceDetector::acquire(unsigned thread, const void* object) {
  const auto found = released_.find(object);
  if (found == released_.end()) return;
  Thread& now = threads_[thread];
  raise(now.others, found->second);
  const unsigned first = thread / kWarpSize * kWarpSize;
  for (unsigned lane = 0; lane < kWarpSize && first + lane < threads_.size(); ++lane)
    now.warp[lane] = std::max(now.warp[lane], found->second[first + lane]);
}

}  // namespace warptune::tuner::host
