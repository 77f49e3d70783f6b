// Fills local memory with noise, which a kernel finds where it has not written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace warptune::tuner::host {

// Fills what lies between the two with a part of the noise that `seed` chooses.
void litter(std::byte* begin, std::byte* end, std::span<const std::byte> noise, std::uint64_t seed);
// Does so with 1 KiB of the running stack below the frame of the caller, where a kernel's own frames will lie.
void litter_below(std::span<const std::byte> noise, std::uint64_t seed);

// Returns how many page faults the calling thread has had: whoever touches a page for the first time has one. Returns
// nothing where the system does not count them.
std::optional<long> page_faults();

}  // namespace warptune::tuner::host
