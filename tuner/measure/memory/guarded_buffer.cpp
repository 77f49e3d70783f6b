// Places guards of whole pages around the data, gives each buffer its own pattern, and copies between an argument's
// memory on the host and its twin on the device.
#include "tuner/measure/memory/guarded_buffer.h"

#include <fmt/format.h>

#include <stdexcept>

namespace warptune::tuner {

namespace {

constexpr std::uint64_t front_seed = 0x66726f6e74, back_seed = 0x6261636b;

// Returns the seed of a guard's pattern, which differs from buffer to buffer. A kernel that copies an element too many,
// from behind its input to behind its output, must leave a trace.
std::uint64_t seed_at(MemorySpan memory, std::uint64_t side) {
  return side ^ static_cast<std::uint64_t>(memory.address) * 0x9e3779b97f4a7c15u;
}

}  // namespace

// Guards have whole pages, so that the data keep the allocation's alignment, and are wide enough for an overshooting
// block. On the host, memory further away is not accessible at all. A device's allocations lie side by side, so its
// guards are wider.
std::size_t GuardedBuffer::guard_bytes(const Device& device) {
  return device.info().is_host() ? 4096 : 65'536;
}

GuardedBuffer::GuardedBuffer(Device& device, std::size_t bytes, Use use)
    : guard_bytes_(guard_bytes(device)),
      memory_(device.allocate((bytes + 4095) / 4096 * 4096 + 2 * guard_bytes_)),
      bytes_(bytes),
      use_(use) {}

bool GuardedBuffer::resize(std::size_t bytes) {
  if (bytes + 2 * guard_bytes_ > memory_->span().bytes) return false;
  bytes_ = bytes;
  return true;
}

// The second guard reaches to the allocation's end, however much of it the data leave.
std::array<Guard, 2> GuardedBuffer::guards() const {
  const std::uint64_t written = use_ == Use::written;
  const std::uint64_t begin = span().address, end = begin + bytes_;
  const std::uint64_t all_end = memory_->span().address + memory_->span().bytes;
  return {Guard{begin - guard_bytes_, guard_bytes_, seed_at(memory_->span(), front_seed), written},
          Guard{end, all_end - end, seed_at(memory_->span(), back_seed), written}};
}

std::string GuardedBuffer::place(std::size_t guard, std::uint64_t byte, std::size_t element_bytes) const {
  const std::size_t elements = bytes_ / element_bytes;
  if (guard == 0) {
    const std::uint64_t before = guard_bytes_ - byte, element = (before + element_bytes - 1) / element_bytes;
    return fmt::format("{} bytes before its start, where element -{} would be", before, element);
  }
  const std::uint64_t element = byte / element_bytes, first = element * element_bytes + 1;
  const std::string bytes = element_bytes == 1 ? fmt::format("{} byte{}", first, first == 1 ? "" : "s")
                                               : fmt::format("{} to {} bytes", first, first + element_bytes - 1);
  return fmt::format("{} past its end, where element {} would be: it has {}", bytes, elements + element, elements);
}

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
