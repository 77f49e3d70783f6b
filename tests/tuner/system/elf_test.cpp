// Reads this test's own file, which is an ELF file with a symbol table.
#include "tuner/system/elf.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tuner/system/files.h"

extern "C" int warptune_elf_test_function() {
  return 1;
}
extern "C" {
int warptune_elf_test_variable = 3;
thread_local int warptune_elf_test_local = 4;
}

namespace warptune::tuner {
namespace {

class Elf : public testing::Test {
 protected:
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(text_)); }

  std::string text_ = read_bytes("/proc/self/exe").value();
};

TEST_F(Elf, SymbolsHaveTheirKindsAndSections) {
  const auto symbols = elf_symbols(bytes());
  const auto symbol = [&](std::string_view name) {
    const auto found = std::ranges::find(symbols, name, &ElfSymbol::name);
    return found == symbols.end() ? ElfSymbol() : *found;
  };
  const ElfSymbol function = symbol("warptune_elf_test_function"), variable = symbol("warptune_elf_test_variable");
  EXPECT_EQ(function.type, unsigned{STT_FUNC});
  EXPECT_TRUE(function.section.starts_with(".text")) << function.section;
  EXPECT_TRUE(function.exported);
  EXPECT_GT(function.value, 0u);
  EXPECT_EQ(warptune_elf_test_function(), 1);
  EXPECT_EQ(variable.type, unsigned{STT_OBJECT});
  EXPECT_EQ(variable.section, ".data");
  EXPECT_GE(variable.bytes, sizeof warptune_elf_test_variable);  // the address sanitizer adds room behind it
  EXPECT_LE(variable.bytes, 32u);
  EXPECT_EQ(symbol("warptune_elf_test_local").type, unsigned{STT_TLS});
  EXPECT_TRUE(std::ranges::any_of(symbols, &ElfSymbol::undefined)) << "functions of the C library";
}

TEST_F(Elf, SectionsAreFoundByName) {
  const ElfFile file(bytes());
  ASSERT_NE(file.find(".symtab"), nullptr);
  EXPECT_EQ(file.content(*file.find(".symtab")).size(), file.symbols().size() * sizeof(Elf64_Sym));
  EXPECT_EQ(file.find(".no_such_section"), nullptr);
}

TEST_F(Elf, WhatIsCutOffIsRefused) {
  for (std::size_t share = 0; share < 16; ++share) {
    const auto part = bytes().first(bytes().size() / 16 * share);
    EXPECT_THROW(static_cast<void>(ElfFile(part)), std::invalid_argument) << share;
    EXPECT_TRUE(elf_symbols(part).empty()) << share;
  }
}

TEST_F(Elf, OtherFilesAreRefused) {
  text_[0] = 'e';
  EXPECT_THROW(static_cast<void>(ElfFile(bytes())), std::invalid_argument);
  EXPECT_TRUE(elf_symbols(bytes()).empty());
}

}  // namespace
}  // namespace warptune::tuner
