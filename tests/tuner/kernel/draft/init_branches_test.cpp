// `warptune init`: of the branches of #if, the one that is compiled counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/draft/init_fixture.h"

namespace warptune::tuner {
namespace {

const std::string copy_kernel =
    "__global__ void copy(const float* x, float* y, int n) {\n"
    "  int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) y[i] = x[i];\n}\n";

TEST_F(Init, TakesTheBranchThatIsCompiled) {
  const auto block_of = [&](const std::string& macros) {
    const draft::InitResult result = describe(macros + copy_kernel);
    EXPECT_THAT(result.guesses, IsEmpty()) << macros;
    return search::to_text(parse_manifest(result.text, folder_.path() / "template.toml").default_values);
  };
  const std::string two = "#define BLOCK 512\n#else\n#define BLOCK 64\n#endif\n";
  EXPECT_EQ(block_of("#define BIG 0\n#if BIG\n" + two), "BLOCK=64");
  EXPECT_EQ(block_of("#define BIG 1\n#if BIG\n" + two), "BLOCK=512");
  EXPECT_EQ(block_of("#define BIG\n#ifdef BIG\n" + two), "BLOCK=512");
  EXPECT_EQ(block_of("#define LEVEL 2\n#define WANTED (LEVEL + 1)\n#if WANTED >= 3 && defined(LEVEL)\n" + two),
            "BLOCK=512");
  EXPECT_EQ(block_of("#if 0\n#if 1\n#define BLOCK 16\n#else\nint x;\n#endif\n#elif 1\n" + two), "BLOCK=512");
  EXPECT_EQ(block_of("#ifdef _WIN32\n" + two), "BLOCK=64");
  EXPECT_EQ(block_of("#ifdef __CUDACC__\n" + two), "BLOCK=512");
  EXPECT_EQ(block_of("#if 0\n#define BLOCK 32 /* of\nold */\n#endif\n#define BLOCK 256\n"), "BLOCK=256");
  EXPECT_EQ(block_of("#ifndef BLOCK\n#define BLOCK 128\n#endif\n"), "BLOCK=128");
  EXPECT_EQ(block_of("#ifndef BIG\n#define BIG 1\n#endif\n#if !BIG\nconst int BLOCK = 32;\n#else\n#define BLOCK 96\n"
                     "#endif\n"),
            "BLOCK=96");
}

TEST_F(Init, NamesBothLinesWhereTheSourceDoesNotSayWhichIsCompiled) {
  EXPECT_THAT(describe("#ifdef BIG\n#define BLOCK 512\n#else\n#define BLOCK 64\n#endif\n" + copy_kernel).guesses,
              ElementsAre(HasSubstr("BLOCK is what line 4 says, and not line 2: line 1 asks for BIG, which the source "
                                    "does not define")));
  const draft::InitResult by_compiler =
      describe("#if __CUDA_ARCH__ >= 800\n#define BLOCK 512\n#else\n#define BLOCK 64\n#endif\n" + copy_kernel);
  EXPECT_THAT(
      by_compiler.guesses,
      ElementsAre(HasSubstr(
          "BLOCK is what line 2 says, and not line 4: line 1 asks for __CUDA_ARCH__, which only the compiler knows")));
  EXPECT_THAT(by_compiler.text, HasSubstr("default = 512  # 512 in line 2"));
}

TEST_F(Init, ReadsTheBranchesOfItsOwnHeadersByTheMacrosOfTheSource) {
  folder_.write("sizes.h", "#pragma once\n#ifdef BIG\n#define WIDTH 512\n#else\n#define WIDTH 64\n#endif\n");
  const KernelTemplate kernel = loaded(
      "#define BIG\n#define BLOCK 128\n#include \"sizes.h\"\n__global__ void k(const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) y[i] = x[i % WIDTH];\n}\n");
  EXPECT_EQ(kernel.find_argument("x")->shape.at(0).text(), "512");
}

TEST_F(Init, KeepsTheCodeOfAllBranchesWithinFunctions) {
  const KernelTemplate kernel = loaded(R"(
#define BLOCK 128
#ifndef CACHED
#define CACHED 0
#endif
namespace img {
__global__ void k(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
#if CACHED
  if (i < n) z[i] = x[i];
#else
  if (i < n) z[i] = y[i];
#endif
#if 0
  z[2 * i] = 0;
#endif
}
}
)");
  EXPECT_EQ(kernel.find_argument("x")->shape.at(0).text(), "n");
  EXPECT_EQ(kernel.find_argument("y")->shape.at(0).text(), "n");
  EXPECT_EQ(kernel.find_argument("z")->shape.at(0).text(), "n");
}

}  // namespace
}  // namespace warptune::tuner
