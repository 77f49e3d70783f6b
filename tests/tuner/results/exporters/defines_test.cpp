#include "tuner/results/exporters/defines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "search/error.h"
#include "tests/support/program.h"
#include "tests/tuner/results/exporters/example_wisdom.h"

namespace warptune::tuner {
namespace {

// Builds as C, which is what OpenCL's preprocessor knows, and runs; the compiler's words if it fails.
std::string failure(const Wisdom& wisdom, const std::string& options, const std::string& expression) {
  const TemporaryFolder folder;
  folder.write("tuned.h", export_defines(wisdom));
  folder.write("main.c",
               "#include \"tuned.h\"\n#include \"tuned.h\"\nint main(void) { return (" + expression + ") ? 0 : 1; }\n");
  const ProgramRun run =
      run_program(folder, "cd " + folder.path().string() + " && gcc -std=c99 -Wall -Werror -pedantic " + options +
                              " -o program main.c && ./program");
  return run.exit_code == 0 ? "" : "failed: " + run.err;
}

Wisdom plain_wisdom() {
  Wisdom wisdom = example_wisdom();
  for (WisdomEntry& entry : wisdom.entries) entry.values[2].second = std::string("17");
  wisdom.defaults[2].second = std::string("18");
  return wisdom;
}

TEST(DefinesExport, TheProgramChoosesAnEntryByItsNumber) {
  EXPECT_EQ(failure(plain_wisdom(), "-DWARPTUNE_MY_KERNEL_ENTRY=1", "BLOCK == 128 && FAST == 1 && MODE == 17"), "");
  EXPECT_EQ(failure(plain_wisdom(), "-DWARPTUNE_MY_KERNEL_ENTRY=3", "BLOCK == 512 && SCALE == 0.5"), "");
  EXPECT_THAT(failure(plain_wisdom(), "-DWARPTUNE_MY_KERNEL_ENTRY=4", "1"),
              testing::HasSubstr("there are the entries 0 to 3"));
}

TEST(DefinesExport, WithoutAChoiceTheArchitectureDecidesElseTheDefault) {
  EXPECT_EQ(failure(plain_wisdom(), "-D__CUDA_ARCH__=900", "BLOCK == 256"), "");
  EXPECT_EQ(failure(plain_wisdom(), "-D__CUDA_ARCH__=750", "BLOCK == 64"), "");
  EXPECT_EQ(failure(plain_wisdom(), "", "BLOCK == 64 && FAST == 0 && WARPTUNE_MY_KERNEL_ENTRIES == 3"), "");
}

TEST(DefinesExport, SaysThatHostCodeMustChooseAmongSeveral) {
  EXPECT_THAT(export_defines(plain_wisdom()),
              testing::HasSubstr("choose an entry by number where it launches the kernel with these macros"));
}

TEST(DefinesExport, ValuesThatCouldBecomeCodeAreRefused) {
  for (const char* text : {"1\n#include \"/etc/passwd\"", "1 \\", "1 /* ", "1 // ", "1 ?\?/", "f(1)", "a = 2", "a; b",
                           "\"", "\x1b", "{", "#x", "\xc2\xb5"}) {
    Wisdom wisdom = plain_wisdom();
    wisdom.entries[1].values[2].second = std::string(text);
    EXPECT_THROW(export_defines(wisdom), search::DataError) << text;
  }
  Wisdom wisdom = plain_wisdom();
  wisdom.entries[1].values[3].second = std::numeric_limits<double>::infinity();
  EXPECT_THROW(export_defines(wisdom), search::DataError);
  wisdom = plain_wisdom();
  for (const char* text : {"float4", "unsigned int", "cub::BLOCK_LOAD_DIRECT", "pair<int, float>", "-1.5e+3"}) {
    wisdom.entries[1].values[2].second = std::string(text);
    EXPECT_NO_THROW(export_defines(wisdom)) << text;
  }
}

TEST(DefinesExport, TheSmallestIntegerAndHostileProvenanceCompile) {
  Wisdom wisdom = plain_wisdom();
  wisdom.entries[0].values[0].second = std::numeric_limits<std::int64_t>::min();
  wisdom.entries[0].device = "GPU */ #error /* ?\?/ \\";
  wisdom.entries[0].provenance.compiler = "*/\n#error\n";
  EXPECT_EQ(failure(wisdom, "-trigraphs -DWARPTUNE_MY_KERNEL_ENTRY=1", "BLOCK < -9223372036854775807"), "");
}

// The architecture does not say which precision is meant.
TEST(DefinesExport, NothingButTheProgramChoosesAmongVariants) {
  Wisdom wisdom = plain_wisdom();
  for (WisdomEntry& entry : wisdom.entries) entry.variants = {{"PRECISION", std::string("float")}};
  EXPECT_EQ(failure(wisdom, "-D__CUDA_ARCH__=900", "BLOCK == 256"), "");
  wisdom.entries[1].variants = {{"PRECISION", std::string("double")}};
  EXPECT_EQ(failure(wisdom, "-D__CUDA_ARCH__=900", "BLOCK == 64"), "");
  EXPECT_EQ(failure(wisdom, "-DWARPTUNE_MY_KERNEL_ENTRY=2", "BLOCK == 256"), "");
}

// Builds these lines, with the exported files "a.h" and "b.h" beside them.
ProgramRun build(const std::string& lines, const std::string& options = "", const std::string& prefix_of_b = "") {
  const TemporaryFolder folder;
  folder.write("a.h", export_defines(plain_wisdom()));
  Wisdom other = plain_wisdom();
  other.kernel = "other";
  folder.write("b.h", export_defines(other, prefix_of_b));
  folder.write("main.c", lines);
  return run_program(folder, "cd " + folder.path().string() + " && gcc -std=c99 -Wall -Werror -pedantic " + options +
                                 " -o program main.c && ./program");
}

constexpr char given[] = "-DWARPTUNE_TUNING=1 -DBLOCK=7 -DFAST=0 -DMODE=3 -DSCALE=2.0";

TEST(DefinesExport, WhatIsTunedKeepsTheValueThatWarptuneGives) {
  const std::string lines = "#include \"a.h\"\nint main(void) { return BLOCK == 7 && MODE == 3 ? 0 : 1; }\n";
  const ProgramRun tuned = build(lines, given);
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_EQ(tuned.err, "");
}

// As in a file with another kernel that is tuned, and has one of the macros.
TEST(DefinesExport, MacrosThatAreNotGivenHaveTheirOwnValues) {
  const ProgramRun other = build("#include \"a.h\"\nint main(void) { return BLOCK == 7 && MODE == 18 ? 0 : 1; }\n",
                                 "-DWARPTUNE_TUNING=1 -DBLOCK=7");
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_EQ(other.err, "");
}

TEST(DefinesExport, AProgramsOwnMacroStaysAndTheCompilerSaysSo) {
  const ProgramRun own = build("#include \"a.h\"\nint main(void) { return BLOCK == 7 ? 0 : 1; }\n", "-DBLOCK=7");
  EXPECT_EQ(own.exit_code, 0) << own.err;
  EXPECT_THAT(own.err, testing::HasSubstr("BLOCK keeps the value that it had before the tuned macros of MY_KERNEL"));
}

TEST(DefinesExport, TwoKernelsWithMacrosOfOneNameNeedAPrefix) {
  const std::string both = "#include \"a.h\"\n#include \"b.h\"\n";
  const ProgramRun clash = build(both + "int main(void) { return 0; }\n");
  EXPECT_NE(clash.exit_code, 0);
  EXPECT_THAT(clash.err, testing::HasSubstr("BLOCK is a macro of another tuned kernel as well: export one of the two "
                                            "again with --prefix OTHER_"));
  const ProgramRun apart = build(both + "int main(void) { return BLOCK == 512 && OTHER_BLOCK == 128 ? 0 : 1; }\n",
                                 "-DWARPTUNE_MY_KERNEL_ENTRY=3 -DWARPTUNE_OTHER_ENTRY=1", "OTHER_");
  EXPECT_EQ(apart.exit_code, 0) << apart.err;
}

TEST(DefinesExport, APrefixedMacroIsWhatWarptuneGives) {
  const std::string lines = "#include \"b.h\"\nint main(void) { return OTHER_BLOCK == 7 ? 0 : 1; }\n";
  const ProgramRun tuned = build(lines, given, "OTHER_");
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  // A macro of the program's with a parameter's name is none of Warptune's.
  EXPECT_EQ(build("#define BLOCK 7\n" + lines, "-DWARPTUNE_OTHER_ENTRY=0", "OTHER_").exit_code, 1);
}

TEST(DefinesExport, ASingleEntryNeedsNoChoice) {
  Wisdom wisdom = plain_wisdom();
  wisdom.entries.resize(1);
  EXPECT_EQ(failure(wisdom, "", "BLOCK == 128"), "");
}

}  // namespace
}  // namespace warptune::tuner
