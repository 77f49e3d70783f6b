// Reads and writes NumPy's .npy files (format versions 1 to 3, NEP 1). A file consists of a magic string, the version,
// the header's length, the header, which is a Python dictionary as text, and the elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/device/element_type.h"

namespace warptune::tuner {

// Returns the elements of a file (C order, little endian). Its type and number of elements must be those given. Throws
// search::DataError naming the file and what was expected.
std::vector<std::byte> read_npy(const std::filesystem::path& file, ElementType type, std::size_t elements);

// Does the same for a file's bytes, and returns the part of them that holds the elements. `name` is for messages.
std::span<const std::byte> npy_elements(std::string_view bytes, const std::string& name, ElementType type,
                                        std::size_t elements);

// Writes a file of format version 1. Throws search::DataError naming the file.
void write_npy(const std::filesystem::path& file, ElementType type, const std::vector<std::int64_t>& shape,
               std::span<const std::byte> data);

}  // namespace warptune::tuner
