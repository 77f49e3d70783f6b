// Checks the rules of cuTensorMapEncodeTiled one after another, and describes the first that is broken.
#include "tuner/device/tensor_map.h"

#include <fmt/format.h>

namespace warptune::tuner {

namespace {

constexpr std::size_t max_dimensions = 5;
constexpr std::int64_t max_box = 256;
constexpr std::int64_t max_extent = std::int64_t{1} << 32;
constexpr std::int64_t max_stride_bytes = std::int64_t{1} << 40;
constexpr std::int64_t granule_bytes = 16;  // of addresses, strides and the box's innermost extent

std::string rank_fault(const TensorView& view) {
  const std::size_t rank = view.shape.size();
  if (rank < 1 || rank > max_dimensions) return fmt::format("it has {} dimensions, a map has 1 to 5", rank);
  if (view.box.size() != rank || view.strides.size() + 1 != rank)
    return fmt::format(
        "its shape, its box and its strides have {}, {} and {} dimensions; a box has as many as the "
        "shape, strides are of all but the innermost",
        rank, view.box.size(), view.strides.size());
  return {};
}

std::string extent_fault(const TensorView& view) {
  for (const std::int64_t extent : view.shape)
    if (extent < 1 || extent > max_extent) return fmt::format("an extent is {}, expected 1 to 2^32", extent);
  for (const std::int64_t extent : view.box)
    if (extent < 1 || extent > max_box) return fmt::format("an extent of the box is {}, expected 1 to 256", extent);
  if (view.inner_bytes() % granule_bytes != 0)
    return fmt::format("the box's innermost extent is {} bytes, expected a multiple of 16", view.inner_bytes());
  return {};
}

std::string stride_fault(const TensorView& view) {
  const auto element = static_cast<std::int64_t>(size_bytes(view.type));
  for (const std::int64_t stride : view.strides)
    if (stride < 1 || stride >= max_stride_bytes / element || stride * element % granule_bytes != 0)
      return fmt::format("a stride is {} elements of {} bytes, expected a multiple of 16 bytes below 2^40", stride,
                         element);
  return {};
}

std::string layout_fault(const TensorView& view) {
  const std::int64_t swizzle = view.swizzle_bytes, promotion = view.l2_promotion_bytes;
  if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return fmt::format("the swizzle's span is {} bytes, expected 0, 32, 64 or 128", swizzle);
  if (swizzle != 0 && view.inner_bytes() > swizzle)
    return fmt::format("the box's innermost extent is {} bytes, more than the swizzle's span of {}", view.inner_bytes(),
                       swizzle);
  if (promotion != 0 && promotion != 64 && promotion != 128 && promotion != 256)
    return fmt::format("the L2 promotion is {} bytes, expected 0, 64, 128 or 256", promotion);
  return {};
}

std::string memory_fault(const TensorView& view, std::uint64_t address, std::size_t bytes) {
  if (address % granule_bytes != 0) return fmt::format("its address {:#x} is no multiple of 16", address);
  double last = static_cast<double>(view.shape.back());
  for (std::size_t i = 0; i < view.strides.size(); ++i)
    last += static_cast<double>(view.shape[i] - 1) * static_cast<double>(view.strides[i]);
  const double needed = last * static_cast<double>(size_bytes(view.type));
  if (needed > static_cast<double>(bytes)) return fmt::format("it spans {:.0f} bytes of a buffer of {}", needed, bytes);
  return {};
}

}  // namespace

std::string tensor_view_fault(const TensorView& view, std::uint64_t address, std::size_t bytes) {
  for (const auto rule : {rank_fault, extent_fault, stride_fault, layout_fault})
    if (std::string fault = rule(view); !fault.empty()) return fault;
  return memory_fault(view, address, bytes);
}

}  // namespace warptune::tuner
