// Touches memory page by page.
#pragma once

#include <cstddef>
#include <span>

namespace warptune::tuner {

// This is the smallest page of the machines that CUDA runs on.
inline constexpr std::size_t page_bytes = 4096;

// Reads a byte of every page, which the compiler cannot leave out.
inline void read_every_page(std::span<const std::byte> memory) {
  const volatile std::byte* const bytes = memory.data();
  for (std::size_t at = 0; at < memory.size(); at += page_bytes) static_cast<void>(bytes[at]);
  if (!memory.empty()) static_cast<void>(bytes[memory.size() - 1]);
}

}  // namespace warptune::tuner
