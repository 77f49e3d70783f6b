// Reads ELF files in memory: the sections and symbols of objects and libraries of this machine's kind, and of cubins.
// Rejected: libelf and ELFIO, for the little that is read, and because nothing that runs kernels trusts their bytes.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::tuner {

struct ElfSymbol {
  std::string_view name;
  std::uint64_t value = 0;
  std::uint64_t bytes = 0;
  unsigned type = STT_NOTYPE;  // STT_FUNC, STT_OBJECT, STT_TLS …
  unsigned other = 0;          // st_other, of which processors have bits of their own
  std::string_view section;    // the name of the section that it lies in; empty if it lies in none
  bool undefined = false;
  bool exported = false;
};

// Reads a little-endian 64-bit ELF file. What it returns points into the file.
class ElfFile {
 public:
  // Throws std::invalid_argument for anything else, or if the headers lie outside of the file.
  explicit ElfFile(std::span<const std::byte> file);

  unsigned machine() const { return header_.e_machine; }
  // Returns the section of this name; null if there is none.
  const Elf64_Shdr* find(std::string_view name) const;
  // Returns the symbols in their order, of which others tell the numbers. There are none without a symbol table.
  std::vector<ElfSymbol> symbols() const;
  // Returns a section's bytes. It must not be one that takes no place in the file. The functions throw
  // std::invalid_argument for what lies outside of the file.
  std::span<const std::byte> content(const Elf64_Shdr& section) const;

  // Returns the value at an offset. Throws as above.
  template <class T>
  static T value_at(std::span<const std::byte> bytes, std::uint64_t offset) {
    check_range(bytes, offset, sizeof(T));
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
  }

 private:
  static void check_range(std::span<const std::byte> bytes, std::uint64_t offset, std::uint64_t size);
  std::string_view text(const Elf64_Shdr& strings, std::uint64_t offset) const;
  std::string_view name_of(std::size_t section) const;
  ElfSymbol describe(const Elf64_Sym& symbol, const Elf64_Shdr& strings) const;

  std::span<const std::byte> file_;
  Elf64_Ehdr header_;
  std::vector<Elf64_Shdr> sections_;
};

// Returns the symbols of a file; none of anything that is not a well-formed ELF file with a symbol table.
std::vector<ElfSymbol> elf_symbols(std::span<const std::byte> file);

}  // namespace warptune::tuner
