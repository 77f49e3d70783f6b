// Copies between an argument's memory on the host and its twin on the device.
#include "tuner/measure/memory/host_side.h"

#include <stdexcept>

namespace warptune::tuner {

namespace {

MemorySpan part(MemorySpan memory, std::size_t begin, std::size_t bytes) {
  return {memory.address + begin, bytes};
}

}  // namespace

// Pageable and pinned memory needs no guard bands: kernels get no address of it, and copies are checked before they are
// queued.
void HostSide::use(HostMemoryKind kind, Device& device, const GuardedBuffer& twin) {
  const MemorySpan guarded = kernels_reach(kind) ? twin.with_guards() : twin.span();
  Kept& kept = kept_.at(static_cast<std::size_t>(kind));
  if (!kept.memory) kept.memory = device.transfers().allocate(guarded.bytes, kind);
  kind_ = kind;
  before_ = twin.span().address - guarded.address;
  bytes_ = twin.span().bytes;
}

std::span<std::byte> HostSide::span() const {
  return now().memory->span().subspan(before_, bytes_);
}

MemorySpan HostSide::on_device() const {
  if (!kernels_reach(kind_)) throw std::logic_error("kernels do not reach this memory");
  return part(now().memory->on_device(), before_, bytes_);
}

HostSide::Ranges HostSide::all(const GuardedBuffer& twin) const {
  return {now().memory->span(), now().memory->on_device(), kernels_reach(kind_) ? twin.with_guards() : twin.span()};
}

HostSide::Ranges HostSide::data(const GuardedBuffer& twin) const {
  return {span(), kernels_reach(kind_) ? on_device() : MemorySpan{}, twin.span()};
}

// Managed memory has an address on the device, so the copy stays within the device and is queued like a launch. A copy
// from or to the host may make the program wait behind a kernel that never ends.
void HostSide::put(Device& device, const Ranges& ranges) const {
  if (kind_ == HostMemoryKind::managed) return device.copy(ranges.reached, ranges.twin);
  device.transfers().copy_out(ranges.host, ranges.twin);
}

void HostSide::bring(Device& device, const Ranges& ranges) const {
  if (kind_ == HostMemoryKind::managed) return device.copy(ranges.twin, ranges.reached);
  device.transfers().copy_in(ranges.twin, ranges.host);
}

void HostSide::stage(Device& device, const GuardedBuffer& twin, bool changed) {
  if (!now().staged)
    put(device, all(twin));
  else if (changed)
    put(device, data(twin));
  now().staged = true;
  if (kind_ == HostMemoryKind::managed) device.transfers().prefetch(now().memory->on_device(), true);
}

void HostSide::collect(Device& device, const GuardedBuffer& twin) {
  bring(device, data(twin));
}

void HostSide::collect_all(Device& device, const GuardedBuffer& twin) {
  if (kernels_reach(kind_) && now().staged) bring(device, all(twin));
  for (const auto& [kind, name] : host_memory_kinds)
    if (kernels_reach(kind)) kept_.at(static_cast<std::size_t>(kind)).staged = false;
}

}  // namespace warptune::tuner
