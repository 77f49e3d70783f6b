// Lists the kinds of the host's memory that a device works with, with the names that manifests use, and touches such
// memory page by page.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace warptune::tuner {

enum class HostMemoryKind {
  pageable,  // what the C library gives: the driver copies it through a buffer of its own
  pinned,    // page-locked: the device copies it by itself
  mapped,    // page-locked, and kernels reach it where it is (zero-copy)
  managed    // one address for host and device (unified memory); its pages move to whoever accesses them
};

inline constexpr std::array host_memory_kinds{
    std::pair{HostMemoryKind::pageable, std::string_view("pageable")},
    std::pair{HostMemoryKind::pinned, std::string_view("pinned")},
    std::pair{HostMemoryKind::mapped, std::string_view("mapped")},
    std::pair{HostMemoryKind::managed, std::string_view("managed")},
};

constexpr std::string_view to_string(HostMemoryKind kind) {
  return host_memory_kinds[static_cast<std::size_t>(kind)].second;
}

constexpr std::optional<HostMemoryKind> host_memory_kind(std::string_view name) {
  for (const auto& [kind, its_name] : host_memory_kinds)
    if (its_name == name) return kind;
  return std::nullopt;
}

// Returns whether a kernel may be given the address of this kind of memory.
constexpr bool kernels_reach(HostMemoryKind kind) {
  return kind == HostMemoryKind::mapped || kind == HostMemoryKind::managed;
}

// This is the smallest page of the machines that CUDA runs on.
inline constexpr std::size_t page_bytes = 4096;

// Reads a byte of every page, which the compiler cannot leave out.
inline void read_every_page(std::span<const std::byte> memory) {
  const volatile std::byte* const bytes = memory.data();
  for (std::size_t at = 0; at < memory.size(); at += page_bytes) static_cast<void>(bytes[at]);
  if (!memory.empty()) static_cast<void>(bytes[memory.size() - 1]);
}

}  // namespace warptune::tuner
