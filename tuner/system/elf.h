// Reads the symbol table of an object or shared object of this machine's own kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace warptune::tuner {

struct ElfSymbol {
  std::string_view name;
  std::uint64_t value = 0;
  std::uint64_t bytes = 0;
  bool undefined = false;
  bool thread_local_storage = false;
  bool function = false;
  bool exported = false;
};

// Returns the symbols. Their names point into `file`. There are none in anything that is not a well-formed 64-bit ELF
// file with a symbol table.
std::vector<ElfSymbol> elf_symbols(std::span<const std::byte> file);

}  // namespace warptune::tuner
