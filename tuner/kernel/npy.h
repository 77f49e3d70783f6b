#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "tuner/device/element_type.h"

namespace warptune::tuner {

// The elements of a NumPy .npy file (format versions 1 and 2, C order, little endian; NEP 1). The file's type and
// number of elements must be those given. Throws std::runtime_error naming the file and what was expected.
std::vector<std::byte> read_npy(const std::filesystem::path& file, ElementType type, std::size_t elements);

// The same as a file of format version 1. Throws std::runtime_error naming the file.
void write_npy(const std::filesystem::path& file, ElementType type, const std::vector<std::int64_t>& shape,
               std::span<const std::byte> data);

}  // namespace warptune::tuner
