// Looks types up in a table of names, sizes and CUDA C++ types.
#include "tuner/device/element_type.h"

#include <array>

namespace warptune::tuner {

namespace {

struct Row {
  ElementType type;
  std::string_view name;
  std::size_t bytes;
  bool floating;
  std::string_view cuda;
};

constexpr std::array<Row, 12> rows{{
    {ElementType::f32, "float", 4, true, "float"},
    {ElementType::f64, "double", 8, true, "double"},
    {ElementType::f16, "half", 2, true, "unsigned short"},
    {ElementType::bf16, "bfloat16", 2, true, "unsigned short"},
    {ElementType::i8, "int8", 1, false, "signed char"},
    {ElementType::u8, "uint8", 1, false, "unsigned char"},
    {ElementType::i16, "int16", 2, false, "short"},
    {ElementType::u16, "uint16", 2, false, "unsigned short"},
    {ElementType::i32, "int32", 4, false, "int"},
    {ElementType::u32, "uint32", 4, false, "unsigned int"},
    {ElementType::i64, "int64", 8, false, "long long"},
    {ElementType::u64, "uint64", 8, false, "unsigned long long"},
}};

const Row& row(ElementType type) {
  return rows.at(static_cast<std::size_t>(type));
}

}  // namespace

std::optional<ElementType> element_type_from_string(std::string_view name) {
  if (name == "int") return ElementType::i32;
  if (name == "unsigned") return ElementType::u32;
  for (const Row& candidate : rows)
    if (candidate.name == name) return candidate.type;
  return std::nullopt;
}

std::string_view to_string(ElementType type) {
  return row(type).name;
}
std::size_t size_bytes(ElementType type) {
  return row(type).bytes;
}
bool is_floating(ElementType type) {
  return row(type).floating;
}
std::string_view cuda_type(ElementType type) {
  return row(type).cuda;
}

}  // namespace warptune::tuner
