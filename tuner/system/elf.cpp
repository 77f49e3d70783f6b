// Reads section headers and symbols, and checks that each lies within the file.
#include "tuner/system/elf.h"

#include <elf.h>

#include <cstring>
#include <optional>

namespace warptune::tuner {

namespace {

template <class T>
std::optional<T> read(std::span<const std::byte> file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

std::string_view text_at(std::span<const std::byte> file, const Elf64_Shdr& strings, std::uint64_t offset) {
  const std::uint64_t begin = strings.sh_offset + offset;
  if (offset >= strings.sh_size || begin >= file.size()) return {};
  const char* text = reinterpret_cast<const char*>(file.data() + begin);
  return {text, strnlen(text, file.size() - begin)};
}

ElfSymbol describe(const Elf64_Sym& symbol, std::string_view name) {
  const auto type = ELF64_ST_TYPE(symbol.st_info);
  const bool undefined = symbol.st_shndx == SHN_UNDEF;
  const bool exported =
      !undefined && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL && ELF64_ST_VISIBILITY(symbol.st_other) == STV_DEFAULT;
  return {name, symbol.st_value, symbol.st_size, undefined, type == STT_TLS, type == STT_FUNC, exported};
}

}  // namespace

std::vector<ElfSymbol> elf_symbols(std::span<const std::byte> file) {
  std::vector<ElfSymbol> symbols;
  const auto header = read<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return symbols;
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto section = read<Elf64_Shdr>(file, header->e_shoff + i * header->e_shentsize);
    if (!section || section->sh_type != SHT_SYMTAB) continue;
    const auto strings =
        read<Elf64_Shdr>(file, header->e_shoff + std::uint64_t{section->sh_link} * header->e_shentsize);
    for (std::uint64_t at = 0; strings && at < section->sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = read<Elf64_Sym>(file, section->sh_offset + at);
      if (symbol) symbols.push_back(describe(*symbol, text_at(file, *strings, symbol->st_name)));
    }
  }
  return symbols;
}

}  // namespace warptune::tuner
