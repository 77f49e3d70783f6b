// Allocates the lanes within a limit of memory, and keeps a table of staging jobs for each set of data.
#include "tuner/measure/memory/writable_memory.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace warptune::tuner {

namespace {

constexpr std::size_t most_lanes = 32;

// Returns the most bytes for all lanes beyond the first.
std::size_t most_bytes(const Device& device) {
  const auto total = static_cast<std::size_t>(std::max<std::int64_t>(0, device.info().total_memory_bytes));
  const std::size_t wanted = device.info().is_host() ? std::size_t{32} << 20 : std::size_t{512} << 20;
  return total > 0 ? std::min(wanted, total / 16) : wanted;
}

}  // namespace

bool WritableMemory::fit(Slot& slot, std::size_t lane) {
  if (slot.buffers.size() <= lane) slot.buffers.resize(lane + 1);
  auto& buffer = slot.buffers[lane];
  if (buffer && buffer->span().bytes == slot.bytes) return false;
  if (buffer && buffer->resize(slot.bytes)) return true;
  buffer.reset();  // freed before the larger one is made, for both may not fit
  buffer = std::make_unique<GuardedBuffer>(device_, slot.bytes, GuardedBuffer::Use::written);
  return true;
}

bool WritableMemory::put(const std::string& name, std::size_t bytes, Before before) {
  Slot& slot = slots_[name];
  if (slot.key == 0) slot.key = secret_ + 0x632be59bd9b4e019u * slots_.size();
  slot.bytes = bytes;
  slot.before = std::move(before);
  bool moved = false;
  for (std::size_t lane = 0; lane < count_; ++lane) {
    // The larger size leaves room for fewer lanes. The others are dropped, and made again when they are needed.
    if (lane > 0 && lane >= most()) {
      for (auto& [other, shrunk] : slots_) shrunk.buffers.resize(std::min(shrunk.buffers.size(), lane));
      count_ = lane;
      return true;
    }
    moved |= fit(slot, lane);
  }
  return moved;
}

std::size_t WritableMemory::most() const {
  std::size_t bytes = 1;
  for (const auto& [name, slot] : slots_) bytes += slot.bytes + 2 * GuardedBuffer::guard_bytes(device_);
  return std::min(most_lanes, 1 + most_bytes(device_) / bytes);
}

bool WritableMemory::grow(std::size_t wanted) {
  const std::size_t possible = std::min(wanted, most());
  if (possible <= count_) return false;
  for (std::size_t lane = count_; lane < possible; ++lane)
    for (auto& [name, slot] : slots_) fit(slot, lane);
  count_ = possible;
  return true;
}

std::vector<WritableMemory::Guarded> WritableMemory::guarded() const {
  std::vector<Guarded> all;
  for (const auto& [name, slot] : slots_)
    for (const auto& buffer : slot.buffers) all.push_back({name, buffer.get()});
  return all;
}

StageJob WritableMemory::job(const Slot& slot, std::size_t lane, std::size_t set) const {
  StageJob job{slot.buffers.at(lane)->span().address, StageJob::poison, slot.bytes, slot.key, lane};
  if (slot.before.zero) job.from = StageJob::zero;
  if (!slot.before.copy_from.empty()) job.from = slot.before.copy_from.at(set);
  return job;
}

void WritableMemory::prepare(std::size_t sets) {
  tables_.clear();
  most_bytes_ = 0;
  for (std::size_t set = 0; set < sets; ++set) {
    std::vector<StageJob> jobs;
    for (std::size_t lane = 0; lane < count_; ++lane)
      for (const auto& [name, slot] : slots_) jobs.push_back(job(slot, lane, set));
    for (const StageJob& each : jobs) most_bytes_ = std::max<std::size_t>(most_bytes_, each.bytes);
    const auto bytes = std::as_bytes(std::span(jobs));
    tables_.push_back(device_.allocate(bytes.size()));
    device_.upload(tables_.back()->span(), bytes);
  }
}

std::uint64_t WritableMemory::listed_at(const std::string& name, std::size_t lane) const {
  const auto slot = static_cast<std::size_t>(std::distance(slots_.begin(), slots_.find(name)));
  return tables_.front()->span().address + lane * list_stride() + slot * sizeof(StageJob) + offsetof(StageJob, to);
}

void WritableMemory::stage(std::size_t lanes, std::size_t set, std::uint64_t round, std::uint64_t noise) {
  kernels_.stage(tables_.at(set)->span().address, lanes * slots_.size(), most_bytes_, round, noise);
}

}  // namespace warptune::tuner
