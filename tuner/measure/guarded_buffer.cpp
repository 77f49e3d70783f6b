#include "tuner/measure/guarded_buffer.h"

#include <fmt/format.h>

namespace warptune::tuner {

namespace {

constexpr std::uint64_t front_seed = 0x66726f6e74, back_seed = 0x6261636b;

// A different pattern around each buffer: a kernel that copies an element too many, from behind its input to behind its
// output, must leave a trace.
std::uint64_t seed_at(MemorySpan memory, std::uint64_t side) {
  return side ^ static_cast<std::uint64_t>(memory.address) * 0x9e3779b97f4a7c15u;
}

}  // namespace

GuardedBuffer::GuardedBuffer(Device& device, std::size_t bytes, Use use)
    : memory_(device.allocate((bytes + 3) / 4 * 4 + 2 * guard_bytes)), bytes_(bytes), use_(use) {}

bool GuardedBuffer::resize(std::size_t bytes) {
  if ((bytes + 3) / 4 * 4 + 2 * guard_bytes > memory_->span().bytes) return false;
  bytes_ = bytes;
  return true;
}

std::array<Guard, 2> GuardedBuffer::guards() const {
  const std::uint64_t written = use_ == Use::written;
  return {Guard{memory_->span().address, guard_bytes / 4, seed_at(memory_->span(), front_seed), written},
          Guard{span().address + rounded(), guard_bytes / 4, seed_at(memory_->span(), back_seed), written}};
}

std::string GuardedBuffer::place(std::size_t guard, std::uint64_t word) const {
  if (guard == 0) return fmt::format("{} bytes before its start", guard_bytes - word * 4);
  return fmt::format("{} bytes past its end", rounded() - bytes_ + word * 4);
}

}  // namespace warptune::tuner
