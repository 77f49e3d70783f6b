// Checks that each header, symbol and text lies within the file before it is read.
#include "tuner/system/elf.h"

#include <algorithm>

namespace warptune::tuner {

ElfFile::ElfFile(std::span<const std::byte> file) : file_(file), header_(value_at<Elf64_Ehdr>(file, 0)) {
  const bool known = std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0 && header_.e_ident[EI_CLASS] == ELFCLASS64 &&
                     header_.e_ident[EI_DATA] == ELFDATA2LSB && header_.e_shentsize == sizeof(Elf64_Shdr);
  if (!known) throw std::invalid_argument("these bytes are no 64-bit ELF file");
  check_range(file, header_.e_phoff, std::uint64_t{header_.e_phnum} * header_.e_phentsize);
  for (std::uint64_t i = 0; i < header_.e_shnum; ++i)
    sections_.push_back(value_at<Elf64_Shdr>(file, header_.e_shoff + i * sizeof(Elf64_Shdr)));
}

const Elf64_Shdr* ElfFile::find(std::string_view name) const {
  for (std::size_t i = 0; i < sections_.size(); ++i)
    if (name_of(i) == name) return &sections_[i];
  return nullptr;
}

std::vector<ElfSymbol> ElfFile::symbols() const {
  std::vector<ElfSymbol> symbols;
  const auto table = std::ranges::find(sections_, Elf64_Word{SHT_SYMTAB}, &Elf64_Shdr::sh_type);
  if (table == sections_.end() || table->sh_link >= sections_.size()) return symbols;
  const auto bytes = content(*table);
  for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= bytes.size(); at += sizeof(Elf64_Sym))
    symbols.push_back(describe(value_at<Elf64_Sym>(bytes, at), sections_[table->sh_link]));
  return symbols;
}

std::span<const std::byte> ElfFile::content(const Elf64_Shdr& section) const {
  check_range(file_, section.sh_offset, section.sh_size);
  return file_.subspan(section.sh_offset, section.sh_size);
}

void ElfFile::check_range(std::span<const std::byte> bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset)
    throw std::invalid_argument("this ELF file is cut off or damaged");
}

// Returns the zero-terminated text at an offset of a string table.
std::string_view ElfFile::text(const Elf64_Shdr& strings, std::uint64_t offset) const {
  const auto all = content(strings);
  const auto from = all.subspan(std::min<std::uint64_t>(offset, all.size()));
  const auto end = std::ranges::find(from, std::byte{0});
  return {reinterpret_cast<const char*>(from.data()), static_cast<std::size_t>(end - from.begin())};
}

std::string_view ElfFile::name_of(std::size_t section) const {
  if (section >= sections_.size() || header_.e_shstrndx >= sections_.size()) return {};
  return text(sections_[header_.e_shstrndx], sections_[section].sh_name);
}

ElfSymbol ElfFile::describe(const Elf64_Sym& symbol, const Elf64_Shdr& strings) const {
  const bool undefined = symbol.st_shndx == SHN_UNDEF;
  return {.name = text(strings, symbol.st_name),
          .value = symbol.st_value,
          .bytes = symbol.st_size,
          .type = static_cast<unsigned>(ELF64_ST_TYPE(symbol.st_info)),
          .other = symbol.st_other,
          .section = undefined ? std::string_view() : name_of(symbol.st_shndx),
          .undefined = undefined,
          .exported = !undefined && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL &&
                      ELF64_ST_VISIBILITY(symbol.st_other) == STV_DEFAULT};
}

std::vector<ElfSymbol> elf_symbols(std::span<const std::byte> file) {
  try {
    return ElfFile(file).symbols();
  } catch (const std::invalid_argument&) {
    return {};
  }
}

}  // namespace warptune::tuner
