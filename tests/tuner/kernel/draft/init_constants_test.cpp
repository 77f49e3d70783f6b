// `warptune init`: integers that are no #define, names that are defined nowhere, and macros in signatures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/draft/init_fixture.h"

namespace warptune::tuner {
namespace {

const std::string scale_by_blocks =
    "__global__ void scale(float a, const float* x, float* y, int n) {\n"
    "  int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) y[i] = a * x[i];\n}\n";

TEST_F(Init, TakesAConstantForAParameterHoweverItIsInitialised) {
  for (const char* constant :
       {"constexpr int BLOCK = 128;\n", "constexpr int BLOCK{128};\n", "static const unsigned BLOCK = {128};\n"}) {
    const KernelTemplate kernel = loaded(constant + scale_by_blocks);
    EXPECT_EQ(search::to_text(kernel.default_values), "BLOCK=128") << constant;
    EXPECT_EQ(block(kernel.launches.at(0), 0), "BLOCK") << constant;
  }
}

// A macro of the name would break them.
TEST_F(Init, SaysHowAnEnumeratorOrOneOfSeveralConstantsBecomesAParameter) {
  for (const char* constant : {"enum { BLOCK = 128 };\n", "enum Sizes : int { HALF = 64, BLOCK = HALF * 2 };\n",
                               "const int BLOCK = 128, UNUSED = 1;\n", "enum { BEFORE = 127, BLOCK };\n"}) {
    const draft::InitResult result = describe(constant + scale_by_blocks);
    EXPECT_THAT(result.text, HasSubstr("grid = \"ceildiv(n, 128)\"\nblock = 128\n")) << constant;
    EXPECT_THAT(result.text, Not(HasSubstr("BLOCK = 4194304"))) << constant;
  }
  EXPECT_THAT(
      describe("enum { BLOCK = 128 };\n" + scale_by_blocks).guesses,
      Contains(HasSubstr("BLOCK stays 128, as line 1 has it. To tune it, write `#ifndef BLOCK` / `#define BLOCK "
                         "128` / `#endif` in its place")));
  EXPECT_THAT(names(loaded("enum { WIDTH = 8 };\n#define BLOCK 64\n" + scale_by_blocks).parameters),
              ElementsAre("BLOCK"));
}

TEST_F(Init, LeavesConstantElementsPerThreadOutOfTheBlock) {
  const draft::InitResult result = describe(R"(
const int BLOCK = 128, ITEMS = 2;
__global__ void scale(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * BLOCK * ITEMS + threadIdx.x;
  for (int k = 0; k < ITEMS; k++) if (i + k * BLOCK < n) y[i + k * BLOCK] = a * x[i + k * BLOCK];
}
)");
  EXPECT_THAT(result.text, HasSubstr("grid = \"ceildiv(n, 256)\"\nblock = 128\n"));
}

TEST_F(Init, MakesParametersOfWhatBlocksCoverAndNothingDefines) {
  const draft::InitResult result = describe(R"(
__global__ void scale(float a, const float* x, float* y, int n) {
  __shared__ float s[block_size_x * tile_size_x];
  int i = blockIdx.x * block_size_x * tile_size_x + threadIdx.x;
  for (int k = 0; k < tile_size_x; k++) s[threadIdx.x + k * block_size_x] = a;
  for (int k = 0; k < tile_size_x; k++)
    if (i + k * block_size_x < n) y[i + k * block_size_x] = s[threadIdx.x] * x[i + k * block_size_x];
}
)");
  EXPECT_THAT(result.guesses, Contains(HasSubstr("[parameters] block_size_x, tile_size_x: the source defines them "
                                                 "nowhere")));
  const KernelTemplate kernel = parse_manifest(result.text, folder_.path() / "template.toml");
  EXPECT_EQ(search::to_text(kernel.default_values), "block_size_x=256,tile_size_x=1");
  EXPECT_EQ(search::to_text(kernel.sizes), "n=4194304");
  EXPECT_EQ(block(kernel.launches.at(0), 0), "block_size_x");
}

TEST_F(Init, TakesNoVariableOrBuiltInForAnUndefinedName) {
  const draft::InitResult result = describe(R"(
__device__ int offset;
enum class Way { one, other };
constexpr int span = Way::CHOSEN == Way::one ? 4 : 8;
template <int WIDTH>
__global__ void k(const float* x, float* y, int n) {
  __shared__ float s[WIDTH];
  const int rows(4);
  int w = blockIdx.x * warpSize + threadIdx.x, r = blockIdx.x * rows + threadIdx.y, o = blockIdx.x * offset;
  s[threadIdx.x] = r + o + blockIdx.x * span;
  if (w < n) y[w] = x[w] + s[0];
}
)");
  EXPECT_THAT(result.guesses, Not(Contains(HasSubstr("nowhere"))));
}

TEST_F(Init, ReadsSignaturesWithMacrosForPartsOfTypes) {
  const KernelTemplate kernel = loaded(R"(
#define RESTRICT __restrict__
#define REAL double
#define INPUT const REAL* RESTRICT
#define OUT
#define THREADS 128
#define MIN_BLOCKS 2
__global__ void __launch_bounds__(THREADS, MIN_BLOCKS) scale(REAL a, INPUT x, OUT REAL* RESTRICT y, int n) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
)");
  EXPECT_EQ(kernel.find_argument("x")->type, ElementType::f64);
  EXPECT_EQ(kernel.find_argument("x")->role, Role::input);
  EXPECT_EQ(kernel.find_argument("y")->type, ElementType::f64);
  EXPECT_EQ(kernel.find_argument("a")->type, ElementType::f64);
  EXPECT_THAT(names(kernel.parameters), ElementsAre("THREADS", "MIN_BLOCKS"));
  EXPECT_EQ(search::to_text(kernel.parameters.at(1).values.back()), "8");
  EXPECT_EQ(block(kernel.launches.at(0), 0), "THREADS");
}

}  // namespace
}  // namespace warptune::tuner
