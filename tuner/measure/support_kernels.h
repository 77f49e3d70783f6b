#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "tuner/device/compiler.h"
#include "tuner/device/device.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// A stretch of whole 4-byte words beside a buffer that no kernel may touch; as support.cu has it.
struct Guard {
  std::uint64_t address = 0;
  std::uint64_t words = 0;
  std::uint64_t seed = 0;
  std::uint64_t written = 0;  // whether kernels write the buffer itself
};

// What a comparison finds, as support.cu writes it: first() is the index of the first wrong element.
struct ComparisonReport {
  struct Part {
    std::uint64_t mismatches = 0;
    std::uint64_t first = ~std::uint64_t{0};
    std::uint64_t worst_bits = 0;
    std::uint64_t checksum = 0;
  };
  std::array<Part, 64> parts{};

  std::uint64_t mismatches() const;
  std::uint64_t first() const;
  double worst_error() const;      // largest |got − expected| of finite elements
  std::uint64_t checksum() const;  // equal for equal outputs, bit for bit
};

// How far from the reference is still right; see templates/README.md.
struct AllowedError {
  double absolute = 0, relative = 0, ulp = 0;
};

// Warptune's own kernels (support.cu) on a device, compiled once for the types that a template uses. Every call queues
// work and waits for nothing. Sizes in elements; a span may be longer. Throws DeviceError.
class SupportKernels {
 public:
  // Throws std::runtime_error with the compiler's log if this machine cannot compile them.
  SupportKernels(Device& device, Compiler& compiler, const KernelTemplate& kernel);

  Device& device() const { return device_; }

  // Fill::npy is the caller's to load.
  void fill(MemorySpan to, ElementType type, std::size_t elements, const Fill& fill);
  void convert(MemorySpan from, ElementType from_type, MemorySpan to, ElementType to_type, std::size_t elements);
  // Whole 4-byte words only.
  void poison(MemorySpan span, std::uint64_t seed);
  void clear(MemorySpan span);
  // `table` holds `count` Guards on the device. `first`, as many 64-bit numbers, gets the index of each one's first
  // changed word, and keeps its value where there is none.
  void poison_guards(MemorySpan table, std::size_t count);
  void check_guards(MemorySpan table, std::size_t count, std::uint64_t first);
  // Adds to the ComparisonReport at the address `report`.
  void compare(MemorySpan got, ElementType type, MemorySpan expected, ElementType expected_type, std::size_t elements,
               const AllowedError& allowed, std::uint64_t report);
  // Some 20 µs of nothing.
  void delay();

 private:
  void launch(const std::string& kernel, std::int64_t blocks, std::span<void* const> arguments);
  void launch_over(const std::string& kernel, std::size_t elements, std::span<void* const> arguments);

  Device& device_;
  std::unique_ptr<Module> module_;
};

}  // namespace warptune::tuner
