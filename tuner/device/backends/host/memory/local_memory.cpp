// Copies noise over unused parts of stacks, and asks getrusage for page faults.
#include "tuner/device/backends/host/memory/local_memory.h"

#include <sys/resource.h>

#include <cstring>

namespace warptune::tuner::host {

void litter(std::byte* begin, std::byte* end, std::span<const std::byte> noise, std::uint64_t seed) {
  const auto bytes = static_cast<std::size_t>(end - begin);
  seed = (seed ^ seed >> 29) * 0xbf58476d1ce4e5b9u;
  std::memcpy(begin, noise.data() + (seed >> 16) % ((noise.size() - bytes) / 16 + 1) * 16, bytes);
}

__attribute__((noinline)) void litter_below(std::span<const std::byte> noise, std::uint64_t seed) {
  std::byte frame[1024];
  litter(frame, frame + sizeof frame, noise, seed);
  asm volatile("" : : "r"(frame) : "memory");
}

std::optional<long> page_faults() {
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return std::nullopt;
  const long faults = usage.ru_minflt + usage.ru_majflt;
  return faults == 0 ? std::nullopt : std::optional(faults);
}

}  // namespace warptune::tuner::host
