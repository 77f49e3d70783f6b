// Converts a view to the arguments of cuTensorMapEncodeTiled.
#include "tuner/device/backends/cuda/driver/tensor_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

namespace warptune::tuner::cuda {
namespace {

// Returns a CUtensorMapDataType. Signed and unsigned bytes are alike to a copy; so are 16-bit integers.
int data_type(ElementType type) {
  switch (type) {
    case ElementType::i8:
    case ElementType::u8:
      return 0;
    case ElementType::i16:
    case ElementType::u16:
      return 1;
    case ElementType::u32:
      return 2;
    case ElementType::i32:
      return 3;
    case ElementType::u64:
      return 4;
    case ElementType::i64:
      return 5;
    case ElementType::f16:
      return 6;
    case ElementType::f32:
      return 7;
    case ElementType::f64:
      return 8;
    case ElementType::bf16:
      return 9;
  }
  throw std::logic_error("unknown element type");
}

// Returns a CUtensorMapSwizzle for none (0), 32, 64 or 128 bytes.
int swizzle(std::int64_t bytes) {
  return bytes == 0 ? 0 : std::countr_zero(static_cast<std::uint64_t>(bytes)) - 4;
}

// Returns a CUtensorMapL2promotion for none (0), 64, 128 or 256 bytes.
int l2_promotion(std::int64_t bytes) {
  return bytes == 0 ? 0 : std::countr_zero(static_cast<std::uint64_t>(bytes)) - 5;
}

// Returns the values, each times `factor`, as the driver wants dimensions: the innermost first.
template <class T>
std::array<T, 5> reversed(const std::vector<std::int64_t>& values, std::size_t factor = 1) {
  std::array<T, 5> result{};
  std::transform(values.rbegin(), values.rend(), result.begin(),
                 [&](std::int64_t value) { return static_cast<T>(static_cast<std::size_t>(value) * factor); });
  return result;
}

[[noreturn]] void refuse(const DeviceInfo& device, const char* code, const std::string& why) {
  throw DeviceError(search::Outcome::resource_limit, code,
                    fmt::format("making a tensor map on {} ({}) failed: {}", device.id, device.name, why));
}

}  // namespace

TensorMap encode_tensor_map(const Driver& driver, const DeviceInfo& device, const TensorView& view, MemorySpan memory) {
  if (device.compute_capability < 90)
    refuse(
        device, "UNSUPPORTED",
        fmt::format("the device has compute capability {}.{}, bulk copies of tensors need 9.0; choose a configuration "
                    "that uses none",
                    device.compute_capability / 10, device.compute_capability % 10));
  if (!driver.tensor_map_encode_tiled)
    refuse(
        device, "UNSUPPORTED",
        fmt::format("the driver library {} (CUDA {}) lacks the symbol cuTensorMapEncodeTiled; install a newer NVIDIA "
                    "driver (CUDA 12.0, driver 525, or later)",
                    driver.library.file().string(), driver.version_text()));
  if (const std::string fault = tensor_view_fault(view, memory.address, memory.bytes); !fault.empty())
    refuse(device, "TENSOR_MAP", fault);
  const auto shape = reversed<cuuint64_t>(view.shape);
  const auto strides = reversed<cuuint64_t>(view.strides, size_bytes(view.type));
  const auto box = reversed<cuuint32_t>(view.box);
  constexpr std::array<cuuint32_t, 5> steps = {1, 1, 1, 1, 1};
  TensorMap map;
  const CUresult result =
      driver.tensor_map_encode_tiled(map.bytes.data(), data_type(view.type), static_cast<cuuint32_t>(view.shape.size()),
                                     reinterpret_cast<void*>(memory.address),  // NOLINT: the driver's declaration
                                     shape.data(), strides.data(), box.data(), steps.data(), 0,
                                     swizzle(view.swizzle_bytes), l2_promotion(view.l2_promotion_bytes), 0);
  if (result != CUDA_SUCCESS)
    refuse(device, driver.error_name(result).c_str(),
           fmt::format("cuTensorMapEncodeTiled answers {}", driver.error_text(result)));
  return map;
}

}  // namespace warptune::tuner::cuda
