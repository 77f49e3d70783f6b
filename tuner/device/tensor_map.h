// Declares tensor maps. They are how a kernel for compute capability 9.0 sees a tensor in device memory whose boxes it
// copies to shared memory with one instruction (cp.async.bulk.tensor). The kernel takes the map by value, as a
// CUtensorMap.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/device/element_type.h"

namespace warptune::tuner {

// Describes what a map is made of, besides the memory. Dimensions are ordered as in a C array: the innermost is last.
struct TensorView {
  ElementType type = ElementType::f32;
  std::vector<std::int64_t> shape;      // elements
  std::vector<std::int64_t> strides;    // elements from one index to the next, of all dimensions but the innermost
  std::vector<std::int64_t> box;        // elements that one copy moves
  std::int64_t swizzle_bytes = 0;       // span within which 16-byte pieces change places: 0 (none), 32, 64, 128
  std::int64_t l2_promotion_bytes = 0;  // what the L2 cache fetches at least: 0 (no more than asked for), 64, 128, 256

  std::int64_t inner_bytes() const { return box.back() * static_cast<std::int64_t>(size_bytes(type)); }
};

// Holds the map itself. Its content is the device's own business.
struct alignas(64) TensorMap {
  std::array<std::byte, 128> bytes{};
};

// Says which of the driver's rules (CUDA driver API, cuTensorMapEncodeTiled) a view of this memory breaks first, or
// that it leaves the memory. The text is empty if a map can be made.
std::string tensor_view_fault(const TensorView& view, std::uint64_t address, std::size_t bytes);

}  // namespace warptune::tuner
