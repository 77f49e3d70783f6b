// `warptune init`: members of types, template arguments, macros and helper functions in the host's expressions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/draft/init_fixture.h"

namespace warptune::tuner {
namespace {

// A kernel that asks blockDim, launched as LAUNCH<<<…>>> says, behind BEFORE.
std::string launched_with_code(const std::string& configuration, const std::string& before = "",
                               const std::string& host = "") {
  return before + R"(
__global__ void scale(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
int main() {
  int n = 10000;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  )" + host +
         "\n  scale<<<" + configuration + ">>>(in, out, n);\n}\n";
}

class InitHostCode : public Init {
 protected:
  std::string grid_of(const std::string& configuration, const std::string& before = "", const std::string& host = "") {
    const KernelTemplate kernel = loaded(launched_with_code(configuration, before, host));
    EXPECT_EQ(block(kernel.launches.at(0), 0), "BLOCK_SIZE") << configuration;
    EXPECT_EQ(search::to_text(kernel.sizes), "n=10000") << configuration;
    return grid(kernel.launches.at(0), 0);
  }
};

std::string packed(const std::string& pack, const std::string& member = "Pack::size") {
  return pack + R"(
__global__ void twice(float* out, const float* in, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * )" +
         member + R"(;
  for (int j = 0; j < )" +
         member + R"(; ++j) if (i + j < n) out[i + j] = 2 * in[i + j];
}
int main() {
  int n = 100000, threads = 256;
  float *in, *out;
  int blocks = (n + threads * )" +
         member + R"( - 1) / (threads * )" + member + R"();
  twice<<<blocks, threads>>>(out, in, n);
}
)";
}

TEST_F(InitHostCode, TakesAConstantMemberOfATypeForItsValue) {
  for (const char* pack :
       {"struct Pack { static constexpr int size = 4; float v[size]; };", "struct Pack { enum { size = 4 }; };",
        "class Pack { public: static const int half = 2; static const int size = 2 * half; };"}) {
    const KernelTemplate kernel = loaded(packed(pack));
    EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(n, BLOCK_SIZE * 4)") << pack;
    EXPECT_EQ(search::to_text(kernel.sizes), "n=100000") << pack;
  }
}

TEST_F(InitHostCode, LeavesAMemberBlankWhoseTypeItCannotResolve) {
  const std::string pack = "template <typename T> struct Pack { static constexpr int size = 16 / sizeof(T); };\n";
  for (const auto& [type, member] : {std::pair("using P = Pack<float>;", "P::size"), {"", "Pack<float>::size"}}) {
    const draft::InitResult result = describe(packed(pack + type, member));
    EXPECT_THAT(result.blanks, Contains(HasSubstr("launches: the grid of twice"))) << member;
    EXPECT_THAT(result.text, Not(HasSubstr("\nsize = "))) << member;
  }
}

TEST_F(InitHostCode, KnowsAConstantOfANamespaceWithAndWithoutItsScope) {
  const KernelTemplate kernel = loaded(R"(
namespace img { constexpr int TILE = 16; }
__global__ void copy(const float* in, float* out, int n) {
  int i = blockIdx.x * img::TILE + threadIdx.x;
  if (i < n) out[i] = in[i];
}
int main() { int n = 1000; float *in, *out; copy<<<(n + img::TILE - 1) / img::TILE, img::TILE>>>(in, out, n); }
)");
  EXPECT_THAT(names(kernel.parameters), ElementsAre("TILE"));
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(n, TILE)");
}

TEST_F(InitHostCode, ReadsCallsWithTemplateArguments) {
  const std::string threads = "int threads = 128;";
  const std::string helper = "template <typename T> T ceil_div(T a, T b) { return (a + b - 1) / b; }\n";
  EXPECT_EQ(grid_of("ceil_div<int>(n, threads), threads", helper, threads), "ceildiv(n, BLOCK_SIZE)");
  EXPECT_EQ(grid_of("ceil_div<int, int>(n, threads), threads", "", threads), "ceildiv(n, BLOCK_SIZE)");
  EXPECT_EQ(grid_of("std::max<int>(1, n / threads), threads", "", threads), "max(1, n // BLOCK_SIZE)");
  EXPECT_EQ(grid_of("blocks_for<int>(n, threads), threads",
                    "template <typename T> T blocks_for(T a, T b) { return (a + b - 1) / b; }\n", threads),
            "ceildiv(n, BLOCK_SIZE)");
}

TEST_F(InitHostCode, ExpandsTheSourcesOwnMacrosAndFunctionsThatReturnAnExpression) {
  const std::string threads = "int threads = 128;";
  for (const char* before :
       {"#define DIV(a, b) (((a) + (b) - 1) / (b))\n", "#define DIV(a, b) ((a - 1) / (b) + 1)\n",
        "#define DIV(a, b) ((a) / (b) + ((a) % (b) ? 1 : 0))\n", "#define DIV(a, b) ((a) / (b) + ((a) % (b) != 0))\n",
        "#define DIV(a, b) ((a) % (b) == 0 ? (a) / (b) : (a) / (b) + 1)\n",
        "int DIV(int a, int b) { return (a % b != 0) ? (a / b + 1) : (a / b); }\n"})
    EXPECT_EQ(grid_of("DIV(n, threads), threads", before, threads), "ceildiv(n, BLOCK_SIZE)") << before;
  EXPECT_EQ(grid_of("NBLK(n), 128", "#define NBLK(n) (((n) + 127) / 128)\n"), "ceildiv(n, BLOCK_SIZE)");
  EXPECT_EQ(grid_of("GET_BLOCKS(n), 128", "inline int GET_BLOCKS(const int N) { return (N + 128 - 1) / 128; }\n"),
            "ceildiv(n, BLOCK_SIZE)");
}

TEST_F(InitHostCode, TakesAQuotientOfWhatIsRoundedUpForADivisionUpwards) {
  EXPECT_EQ(
      grid_of("roundUp(n, threads) / threads, threads",
              "int roundUp(int a, int b) { int r = a % b; return r == 0 ? a : a + b - r; }\n", "int threads = 128;"),
      "ceildiv(n, BLOCK_SIZE)");
}

TEST_F(InitHostCode, CutsOffWhatACastToAnIntegerCutsOff) {
  const draft::InitResult result = describe(R"(
__global__ void rows(const float* in, float* out, int n) { out[blockIdx.x * 32 + threadIdx.x] = in[blockIdx.x]; }
int main() {
  int n = 10000;
  float *in, *out;
  dim3 grid((size_t)(ceil((float)n) / ((float)100)), 1);
  rows<<<grid, 32>>>(in, out, n);
}
)");
  EXPECT_THAT(result.text, HasSubstr("grid = [\"n // 100\", 1]"));
  EXPECT_THAT(describe(launched_with_code("(int)(n * 0.7), 128")).blanks,
              Contains(HasSubstr("launches: the grid of scale")));
}

}  // namespace
}  // namespace warptune::tuner
