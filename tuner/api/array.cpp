#include "tuner/api/array.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <stdexcept>

namespace warptune {

namespace {

template <class T>
std::string difference(const ArraySpec& spec, std::span<const std::byte> expected, std::span<const std::byte> got) {
  std::size_t wrong = 0, first = 0;
  T wanted{}, found{};
  for (std::size_t i = 0; i < spec.elements(); ++i) {
    T a, b;
    std::memcpy(&a, expected.data() + i * sizeof(T), sizeof a);
    std::memcpy(&b, got.data() + i * sizeof(T), sizeof b);
    if (a == b) continue;
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    if (std::isnan(x) && std::isnan(y)) continue;
    // Written so that a NaN on one side is a difference.
    if (std::abs(x - y) <= spec.accuracy.absolute + spec.accuracy.relative * std::abs(x)) continue;
    if (wrong++ == 0) first = i, wanted = a, found = b;
  }
  if (wrong == 0) return {};
  return fmt::format("{}[{}]: expected {}, got {}; {} of {} elements differ", spec.name, first, wanted, found, wrong,
                     spec.elements());
}

}  // namespace

HostArrays::HostArrays(const std::vector<ArraySpec>& specs) {
  for (const ArraySpec& spec : specs)
    if (spec.role != tuner::Role::temporary) arrays_[spec.name] = spec;
}

ArraySpec& HostArrays::find(const std::string& name, tuner::ElementType type) {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) throw std::invalid_argument(fmt::format("there is no array '{}'", name));
  if (found->second.type != type)
    throw std::invalid_argument(fmt::format("the array '{}' holds {}, not {}", name,
                                            tuner::to_string(found->second.type), tuner::to_string(type)));
  return found->second;
}

std::string first_difference(const ArraySpec& spec, std::span<const std::byte> expected,
                             std::span<const std::byte> got) {
  switch (spec.type) {
    case tuner::ElementType::f32:
      return difference<float>(spec, expected, got);
    case tuner::ElementType::f64:
      return difference<double>(spec, expected, got);
    case tuner::ElementType::i8:
      return difference<std::int8_t>(spec, expected, got);
    case tuner::ElementType::u8:
      return difference<std::uint8_t>(spec, expected, got);
    case tuner::ElementType::i16:
      return difference<std::int16_t>(spec, expected, got);
    case tuner::ElementType::u16:
      return difference<std::uint16_t>(spec, expected, got);
    case tuner::ElementType::i32:
      return difference<std::int32_t>(spec, expected, got);
    case tuner::ElementType::u32:
      return difference<std::uint32_t>(spec, expected, got);
    case tuner::ElementType::i64:
      return difference<std::int64_t>(spec, expected, got);
    case tuner::ElementType::u64:
      return difference<std::uint64_t>(spec, expected, got);
    case tuner::ElementType::f16:
    case tuner::ElementType::bf16:
      break;  // element_type_of() gives neither
  }
  throw std::logic_error("no such array can be made");
}

}  // namespace warptune
