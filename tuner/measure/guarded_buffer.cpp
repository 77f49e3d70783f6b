#include "tuner/measure/guarded_buffer.h"

#include <fmt/format.h>

namespace warptune {

namespace {

constexpr std::uint64_t front_seed = 0x66726f6e74, back_seed = 0x6261636b;

// A different pattern around each buffer: a kernel that copies an element too many, from behind its input to behind its
// output, must leave a trace.
std::uint64_t seed_at(MemorySpan memory, std::uint64_t side) {
  return side ^ static_cast<std::uint64_t>(memory.address) * 0x9e3779b97f4a7c15u;
}

}  // namespace

GuardedBuffer::GuardedBuffer(Device& device, SupportKernels& kernels, std::size_t bytes)
    : memory_(device.allocate((bytes + 3) / 4 * 4 + 2 * guard_bytes)), bytes_(bytes) {
  kernels.poison(front(), seed_at(memory_->span(), front_seed));
  kernels.poison(back(), seed_at(memory_->span(), back_seed));
}

std::optional<std::string> GuardedBuffer::damage(SupportKernels& kernels) {
  std::optional<std::string> found;
  if (const auto offset = kernels.first_change(back(), seed_at(memory_->span(), back_seed))) {
    found = fmt::format("{} bytes past its end", rounded() - bytes_ + *offset);
    kernels.poison(back(), seed_at(memory_->span(), back_seed));
  }
  if (const auto offset = kernels.first_change(front(), seed_at(memory_->span(), front_seed))) {
    found = fmt::format("{} bytes before its start", guard_bytes - *offset);
    kernels.poison(front(), seed_at(memory_->span(), front_seed));
  }
  return found;
}

}  // namespace warptune
