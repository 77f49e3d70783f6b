#include "tuner/measure/guarded_buffer.h"

#include <fmt/format.h>

namespace warptune {

namespace {

constexpr std::uint64_t front_seed = 0x66726f6e74, back_seed = 0x6261636b;

}  // namespace

GuardedBuffer::GuardedBuffer(Device& device, std::size_t bytes)
    : memory_(device.allocate((bytes + 3) / 4 * 4 + 2 * guard_bytes)), bytes_(bytes) {}

bool GuardedBuffer::resize(std::size_t bytes) {
  if ((bytes + 3) / 4 * 4 + 2 * guard_bytes > memory_->span().bytes) return false;
  bytes_ = bytes;
  return true;
}

std::array<Guard, 2> GuardedBuffer::guards() const {
  return {Guard{memory_->span().address, guard_bytes / 4, front_seed},
          Guard{span().address + rounded(), guard_bytes / 4, back_seed}};
}

std::string GuardedBuffer::place(std::size_t guard, std::uint64_t word) const {
  if (guard == 0) return fmt::format("{} bytes before its start", guard_bytes - word * 4);
  return fmt::format("{} bytes past its end", rounded() - bytes_ + word * 4);
}

}  // namespace warptune
