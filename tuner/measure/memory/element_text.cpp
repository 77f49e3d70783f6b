// Downloads one element and prints it according to its type.
#include "tuner/measure/memory/element_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "tuner/kernel/numbers16.h"

namespace warptune::tuner {

namespace {

template <class T>
T as(const std::array<std::byte, 8>& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// Returns the number as text. A NaN's sign means nothing to a reader and is left out.
template <class T>
std::string real_text(T value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

}  // namespace

std::string element_text(Device& device, MemorySpan buffer, ElementType type, std::size_t index) {
  std::array<std::byte, 8> bytes{};
  const std::size_t size = size_bytes(type);
  device.download(std::span(bytes).first(size), {buffer.address + index * size, size});
  switch (type) {
    case ElementType::f32:
      return real_text(as<float>(bytes));
    case ElementType::f64:
      return real_text(as<double>(bytes));
    case ElementType::f16:
      return real_text(half_value(as<std::uint16_t>(bytes)));
    case ElementType::bf16:
      return real_text(bfloat16_value(as<std::uint16_t>(bytes)));
    case ElementType::i8:
      return fmt::format("{}", int{as<std::int8_t>(bytes)});
    case ElementType::u8:
      return fmt::format("{}", int{as<std::uint8_t>(bytes)});
    case ElementType::i16:
      return fmt::format("{}", as<std::int16_t>(bytes));
    case ElementType::u16:
      return fmt::format("{}", as<std::uint16_t>(bytes));
    case ElementType::i32:
      return fmt::format("{}", as<std::int32_t>(bytes));
    case ElementType::u32:
      return fmt::format("{}", as<std::uint32_t>(bytes));
    case ElementType::i64:
      return fmt::format("{}", as<std::int64_t>(bytes));
    case ElementType::u64:
      return fmt::format("{}", as<std::uint64_t>(bytes));
  }
  throw std::logic_error("unknown element type");
}

}  // namespace warptune::tuner
