#include "tuner/measure/guarded_buffer.h"

#include <fmt/format.h>

namespace warptune {

namespace {

constexpr std::uint64_t front_seed = 0x66726f6e74, back_seed = 0x6261636b;

}  // namespace

GuardedBuffer::GuardedBuffer(Device& device, SupportKernels& kernels, std::size_t bytes)
    : memory_(device.allocate((bytes + 3) / 4 * 4 + 2 * guard_bytes)), bytes_(bytes) {
  kernels.poison(front(), front_seed);
  kernels.poison(back(), back_seed);
}

std::optional<std::string> GuardedBuffer::damage(SupportKernels& kernels) {
  std::optional<std::string> found;
  if (const auto offset = kernels.first_change(back(), back_seed)) {
    found = fmt::format("{} bytes past its end", rounded() - bytes_ + *offset);
    kernels.poison(back(), back_seed);
  }
  if (const auto offset = kernels.first_change(front(), front_seed)) {
    found = fmt::format("{} bytes before its start", guard_bytes - *offset);
    kernels.poison(front(), front_seed);
  }
  return found;
}

}  // namespace warptune
