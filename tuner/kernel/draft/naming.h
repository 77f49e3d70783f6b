// What names and types in sources usually mean: the guesses of `init`, in one place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/device/element_type.h"

namespace warptune::tuner::draft {

// "unsigned char", "float4", "__half": an element type, and how many of them lie in one value.
struct Element {
  ElementType type = ElementType::f32;
  std::int64_t count = 1;
};
std::optional<Element> element_of(const std::string& type);

// An integer that a kernel takes by value.
bool is_integer_type(const std::string& type);
// The same, and wide enough for a size: one of 8 bits is a flag, a level of grey or a character.
bool may_be_size(const std::string& type);

// cdiv, div_up, ceilDiv, iDivUp, DIVUP …
bool is_division_upwards(const std::string& function);
// roundUp, round_up, alignUp: to a multiple of the second argument.
bool is_rounding_up(const std::string& function);

// What a macro or constant of this name is for.
enum class Use { block, warps, tile, coarsening, unroll, padding, min_blocks, flag, size, radius, unknown };
Use use_of(const std::string& name, std::int64_t value);
bool is_tunable(Use use);
// The axis that a name speaks of, 0 to 2: BLOCK_DIM_Y, TILE_X, blockx; nothing if it speaks of none.
std::optional<int> axis_of(const std::string& name);

// NUM_BINS, buckets: a size that is small however much there is to do.
bool counts_bins(const std::string& name);
// How far apart elements lie that are neighbours for the kernel, as BLAS has it.
bool is_stride(const std::string& name);

// Values to try, the given one among them, ascending.
std::vector<std::int64_t> domain_of(Use use, std::int64_t value);
std::string about(Use use);

// "img::brighten<float, std::less>" -> "brighten".
std::string name_without_scope(const std::string& kernel);
// "blockSize" -> "BLOCK_SIZE".
std::string macro_name(const std::string& name);
// "d_in", "in_d", "dev_in" -> "in".
std::string without_device_marks(const std::string& name);

}  // namespace warptune::tuner::draft
