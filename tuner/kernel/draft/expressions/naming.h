// Guesses for `init` what names and types in sources usually mean; all such guesses are in this place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/device/element_type.h"

namespace warptune::tuner::draft {

// Element is what one value of "unsigned char", "float4" or "__half" holds: an element type, and how many of them.
struct Element {
  ElementType type = ElementType::f32;
  std::int64_t count = 1;
};
std::optional<Element> element_of(const std::string& type);

// Returns whether the type is an integer that a kernel takes by value.
bool is_integer_type(const std::string& type);
// Returns whether the type is such an integer and wide enough for a size: one of 8 bits is a flag, a level of grey or a
// character.
bool may_be_size(const std::string& type);

// Returns whether the function divides upwards: cdiv, div_up, ceilDiv, iDivUp, DIVUP …
bool is_division_upwards(const std::string& function);
// Returns whether the function rounds up to a multiple of its second argument: roundUp, round_up, alignUp.
bool is_rounding_up(const std::string& function);

// Use says what a macro or constant of a name is for.
enum class Use { block, warps, tile, coarsening, unroll, padding, min_blocks, flag, size, radius, unknown };
Use use_of(const std::string& name, std::int64_t value);
bool is_tunable(Use use);
// Returns the axis that a name speaks of, 0 to 2: BLOCK_DIM_Y, TILE_X, blockx; nothing if it speaks of none.
std::optional<int> axis_of(const std::string& name);

// Returns whether the name is that of a size that is small however much there is to do: NUM_BINS, buckets.
bool counts_bins(const std::string& name);
// Returns whether the name is that of a stride, as BLAS has it: how far apart elements lie that are neighbours for the
// kernel.
bool is_stride(const std::string& name);

// Returns the values to try in ascending order, the given one among them.
std::vector<std::int64_t> domain_of(Use use, std::int64_t value);
std::string about(Use use);

// Returns the kernel's name without namespaces and template arguments: "img::brighten<float, std::less>" -> "brighten".
std::string name_without_scope(const std::string& kernel);
// Returns the name as a macro would have it: "blockSize" -> "BLOCK_SIZE".
std::string macro_name(const std::string& name);
// Returns the name without what marks it as the device's: "d_in", "in_d", "dev_in" -> "in".
std::string without_device_marks(const std::string& name);

}  // namespace warptune::tuner::draft
