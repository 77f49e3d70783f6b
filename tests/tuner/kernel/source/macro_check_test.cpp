// Parameters that a source replaces, hides or forgets, told before anything is measured.
#include "tuner/kernel/source/macro_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"
#include "tuner/kernel/manifest/manifest.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class MacroCheck : public testing::Test {
 protected:
  MacroCheck() {
    kernel_.manifest = "template.toml";
    kernel_.source = folder_.path() / "kernel.cu";
    kernel_.include_directories = {folder_.path()};
    kernel_.parameters = {{"TILE", {std::int64_t{1}, std::int64_t{2}}}};
  }

  // What is wrong with TILE in this source; empty: nothing.
  std::string faults(const std::string& source) {
    folder_.write("kernel.cu", source);
    try {
      check_macros(kernel_);
    } catch (const ManifestError& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
  KernelTemplate kernel_;
};

TEST_F(MacroCheck, NamesARedefinitionWithFileAndLine) {
  EXPECT_THAT(faults("// TILE\n\n#define TILE 4\nint x = TILE;"),
              AllOf(HasSubstr("kernel.cu:3: #define TILE"), HasSubstr("#ifndef TILE")));
  EXPECT_THAT(faults("#undef TILE\nint TILE = 3;"), HasSubstr("kernel.cu:1: #undef TILE"));
}

TEST_F(MacroCheck, AllowsToHideAParameterFromHeadersOnceItWasUsed) {
  EXPECT_EQ(faults("constexpr int tile = TILE;\n#undef TILE\n#include <other.h>"), "");
}

TEST_F(MacroCheck, FollowsIncludesAndContinuedLines) {
  folder_.write("tile.h", "/* one\n two */\n#  define \\\n TILE 4\n");
  EXPECT_THAT(faults("#include \"tile.h\"\nint x = TILE;"), HasSubstr("tile.h:4: #define TILE"));
}

TEST_F(MacroCheck, SeesThroughDigraphsTrigraphsAndSplitWords) {
  EXPECT_THAT(faults("%:define TILE 4\nint x = TILE;"), HasSubstr("kernel.cu:1"));
  EXPECT_THAT(faults("int x = TILE;\n?\?=define TILE 4"), HasSubstr("kernel.cu:2"));
  EXPECT_THAT(faults("int x = TILE;\n#def\\\nine TI\\\nLE 4\n"), HasSubstr("#define TILE"));
}

TEST_F(MacroCheck, AllowsDefinitionsThatTheParameterPreempts) {
  for (const char* source :
       {"#ifndef TILE\n#define TILE 4\n#endif\nint x = TILE;",
        "#if !defined(TILE)\n#define TILE 4\n#endif\nint x = TILE;",
        "#ifdef TILE\n#else\n#define TILE 4\n#endif\nint x = TILE;", "#if 0\n#define TILE 4\n#endif\nint x = TILE;",
        "#if defined MAIN && !defined TILE\n#define TILE 4\n#endif\nint x = TILE;",
        "#ifdef MAIN\n#define TILE 4\n#endif\nint x = TILE;", "// #define TILE 4\nint x = TILE;",
        "const char* s = R\"(\n#define TILE 4\n)\"; int x = TILE;"})
    EXPECT_EQ(faults(source), "") << source;
}

// As `export` writes it: what the source gets where nobody tunes.
TEST_F(MacroCheck, KnowsThatParametersAreGivenWhereWarptuneCompiles) {
  EXPECT_EQ(faults("#ifndef WARPTUNE_TUNING\nconstexpr int TILE = 4;\n#endif\nint x = TILE;"), "");
  EXPECT_EQ(faults("#if defined(WARPTUNE_TUNING) && defined(TILE)\n#define MY_TILE TILE\n#else\n#define TILE 4\n"
                   "#endif\nint x = MY_TILE;"),
            "");
  EXPECT_THAT(faults("#ifdef WARPTUNE_TUNING\n#define TILE 4\n#endif\nint x = TILE;"), HasSubstr("kernel.cu:2"));
}

TEST_F(MacroCheck, NamesADefinitionThatAParametersValueTurnsOn) {
  EXPECT_THAT(faults("#if TILE > 1\n#define TILE 4\n#endif\n"), HasSubstr("kernel.cu:2"));
  EXPECT_THAT(faults("#define MAIN\n#ifdef MAIN\n#define TILE 4\n#endif\nint x = TILE;"), HasSubstr("kernel.cu:3"));
}

TEST_F(MacroCheck, AllowsADefinitionOfTheOnlyValue) {
  kernel_.parameters = {{"TILE", {std::int64_t{1}}}};
  EXPECT_EQ(faults("#define TILE 1\nint x = TILE;"), "");
  EXPECT_THAT(faults("#define TILE 2\nint x = TILE;"), HasSubstr("kernel.cu:1"));
}

TEST_F(MacroCheck, NamesDeclarationsOfTheSameName) {
  for (const char* source : {"template <int TILE> __global__ void f() {}", "__global__ void f(float* out, int TILE) {}",
                             "__device__ void f(const float * TILE) {}", "template <typename TILE> void f();",
                             "constexpr int TILE = 4;", "int f(Box b) { return b.TILE; }"})
    EXPECT_THAT(faults(source), HasSubstr("kernel.cu:1: '")) << source;
}

TEST_F(MacroCheck, TakesUsesForUses) {
  for (const char* source :
       {"int f() { return TILE; }", "float a[TILE];", "int x = n * TILE & TILE;", "__launch_bounds__(TILE) void f();",
        "template <int N> void f(); void g() { f<TILE>(); }", "#pragma unroll TILE\n", "#if TILE == 2\n#endif\n",
        "#define SIDE (2 * TILE)\n", "#define MIN\nint x = 3 MIN TILE;", "x = a ? TILE : b::TILE;"})
    EXPECT_EQ(faults(source), "") << source;
}

TEST_F(MacroCheck, AValueThatIsATypeMayFollowWords) {
  kernel_.parameters = {{"TYPE", {std::string("float"), std::string("double")}}};
  EXPECT_EQ(faults("__global__ void f(const TYPE* in) { static TYPE x; }"), "");
  EXPECT_THAT(faults("template <typename TYPE> void f(TYPE x);"), HasSubstr("'typename TYPE'"));
}

TEST_F(MacroCheck, NamesAParameterThatNothingUses) {
  EXPECT_THAT(faults("__global__ void f() {}"), HasSubstr("template.toml: parameters.TILE"));
  EXPECT_THAT(faults("#ifndef TILE\n#define TILE 1\n#endif\n"), HasSubstr("parameters.TILE"));
  EXPECT_THAT(faults("// TILE\nconst char* s = \"TILE\";"), HasSubstr("parameters.TILE"));
  kernel_.constraints = {"TILE < 8"};
  EXPECT_THAT(faults("__global__ void f() {}"), HasSubstr("parameters.TILE"));
}

TEST_F(MacroCheck, LetsTheManifestSayThatAParameterChangesNothing) {
  kernel_.unused = {"TILE"};
  EXPECT_EQ(faults("__global__ void f() {}"), "");
  EXPECT_THAT(faults("#define TILE 4\n"), HasSubstr("kernel.cu:1"));
}

TEST_F(MacroCheck, LaunchesDefinesAndOptionsAreUses) {
  const auto use = search::Expression::parse("2 * TILE");
  Launch grid, name;
  grid.grid[1] = use;
  name.kernel = "f<{TILE}>";
  for (const Launch& launch : {grid, name}) {
    kernel_.launches = {launch};
    EXPECT_EQ(faults(""), "");
  }
  kernel_.launches.clear();
  kernel_.defines = {{"SIDE", use}};
  EXPECT_EQ(faults(""), "");
  EXPECT_THAT(faults("#define SIDE 3\n"), HasSubstr("#define SIDE replaces the define SIDE"));
  kernel_.defines.clear();
  kernel_.options = {"-DSIDE=TILE"};
  EXPECT_EQ(faults(""), "");
}

TEST_F(MacroCheck, CallsNothingUnusedWhereAUseMayHide) {
  EXPECT_EQ(faults("#define NAME(a) T##a\n"), "");
  EXPECT_EQ(faults("#include \"gone.h\"\n"), "");
  kernel_.parameters = {{"TILE", {std::int64_t{1}}}};
  EXPECT_EQ(faults(""), "");  // one value changes nothing
}

// A refusal is for what is certainly wrong: these are products, and the compiler says what it thinks of the rest.
TEST_F(MacroCheck, AVariableWithATypesNameIsMultipliedWithAParameter) {
  for (const char* source :
       {"int f(int half) { return half * TILE; }", "void f() { int uint = 2; int i = uint * TILE + 1; }",
        "void f(int size_t_) { int half = size_t_; g(half & TILE, 1); }",
        "int f(int float4) { return 1 + float4 * TILE; }"})
    EXPECT_EQ(faults(source), "") << source;
  for (const char* source : {"void f(int* TILE);\nint x = TILE;", "void f(const half* TILE) {}", "static half& TILE;",
                             "__shared__ uint* TILE;"})
    EXPECT_THAT(faults(source), HasSubstr("declares what the parameter TILE is called")) << source;
}

TEST_F(MacroCheck, ReadsHeadersThatOptionsNameBeforeTheSource) {
  folder_.write("first.cuh", "int tile() { return TILE; }\n");
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"-include", "first.cuh"}, {"--pre-include=first.cuh"}, {"-include=first.cuh"}}) {
    kernel_.options = options;
    EXPECT_EQ(faults("int x = 1;"), "");
  }
  folder_.write("first.cuh", "#define TILE 4\n");
  EXPECT_THAT(faults("int x = TILE;"), HasSubstr("first.cuh:1: #define TILE"));
  kernel_.options.clear();
  kernel_.first_includes = {"first.cuh"};  // in a session's copy
  EXPECT_THAT(faults("int x = TILE;"), HasSubstr("first.cuh:1: #define TILE"));
}

}  // namespace
}  // namespace warptune::tuner
