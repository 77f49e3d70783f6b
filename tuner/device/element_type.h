#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace warptune::tuner {

// Types of kernel arguments, by the names manifests use.
enum class ElementType { f32, f64, f16, bf16, i8, u8, i16, u16, i32, u32, i64, u64 };

// "float", "double", "half", "bfloat16", "int8" … "uint64"; also "int" and "unsigned".
std::optional<ElementType> element_type_from_string(std::string_view name);
std::string_view to_string(ElementType type);
std::size_t size_bytes(ElementType type);
bool is_floating(ElementType type);
// The type in CUDA C++ without any header: "float", "unsigned char", "long long" …; half and bfloat16 as their bits.
std::string_view cuda_type(ElementType type);

}  // namespace warptune::tuner
