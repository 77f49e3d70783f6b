#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "tuner/compiler.h"
#include "tuner/device.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune {

// What a comparison found. `first` is the index of the first wrong element.
struct Comparison {
  std::uint64_t mismatches = 0;
  std::uint64_t first = 0;
  double worst_error = 0;  // largest |got − expected| of finite elements
};

// Warptune's own kernels (support.cu) on a device, compiled once for the types that a template uses. Every call queues
// work; those that return something wait for it. Sizes in elements; a span may be longer. Throws DeviceError.
class SupportKernels {
 public:
  // Throws std::runtime_error with the compiler's log if this machine cannot compile them.
  SupportKernels(Device& device, Compiler& compiler, const KernelTemplate& kernel);

  // Fill::npy is the caller's to load.
  void fill(MemorySpan to, ElementType type, std::size_t elements, const Fill& fill);
  void convert(MemorySpan from, ElementType from_type, MemorySpan to, ElementType to_type, std::size_t elements);
  // Whole 4-byte words only.
  void poison(MemorySpan span, std::uint64_t seed);
  void clear(MemorySpan span);
  // Byte offset of the first word that is no longer the poison written with this seed.
  std::optional<std::size_t> first_change(MemorySpan span, std::uint64_t seed);
  Comparison compare(MemorySpan got, ElementType type, MemorySpan expected, ElementType expected_type,
                     std::size_t elements, double absolute, double relative);

 private:
  void launch(const std::string& kernel, std::size_t elements, std::span<void* const> arguments);

  Device& device_;
  std::unique_ptr<Module> module_;
  std::unique_ptr<Memory> scratch_;
};

}  // namespace warptune
