// Asks the loader where it has put a library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tuner/device/backends/host/memory/elf_symbols.h"
#include "tuner/device/device.h"

namespace warptune::tuner::host {

struct LoadedImage {
  MemorySpan whole;                  // code and variables
  std::vector<MemorySpan> writable;  // pages that stay writable once the library is loaded
  MemorySpan thread_block;           // the calling thread's thread-local storage; where there is any
};

// Returns the image of the library that holds `address`.
LoadedImage image_of(const void* address);

// Returns all that stays writable, in pieces that belong to one variable each, or to none. What only assembler knows of
// has no name, and what lies between two variables has none either.
std::vector<std::pair<std::string, MemorySpan>> writable_pieces(const LoadedImage& image,
                                                                const std::vector<ElfSymbol>& symbols);

}  // namespace warptune::tuner::host
