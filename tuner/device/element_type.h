// Declares the types of kernel arguments, with their names and sizes.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace warptune::tuner {

// Lists the types of kernel arguments that manifests can name.
enum class ElementType { f32, f64, f16, bf16, i8, u8, i16, u16, i32, u32, i64, u64 };

// Returns the type that a manifest calls "float", "double", "half", "bfloat16", "int8" … "uint64", also "int" or
// "unsigned". Returns nothing for any other name.
std::optional<ElementType> element_type_from_string(std::string_view name);
std::string_view to_string(ElementType type);
std::size_t size_bytes(ElementType type);
bool is_floating(ElementType type);
// Returns the type in CUDA C++ without any header: "float", "unsigned char", "long long" … It returns the type of their
// bits for half and bfloat16.
std::string_view cuda_type(ElementType type);

}  // namespace warptune::tuner
