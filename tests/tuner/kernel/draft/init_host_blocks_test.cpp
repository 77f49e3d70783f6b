// `warptune init`: a grid follows the block that becomes a parameter, however the host divides by it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/draft/init_fixture.h"

namespace warptune::tuner {
namespace {

constexpr char scale_in_blocks[] = R"(
__global__ void scale(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
)";

// main() with a launch after the host's lines.
std::string scaled_in_blocks(const std::string& configuration, const std::string& host = "",
                             const std::string& before = "") {
  return before + scale_in_blocks + "int main() {\n  int n = 10000;\n  float *in, *out;\n" +
         "  cudaMalloc(&in, n * sizeof(float));\n  cudaMalloc(&out, n * sizeof(float));\n  " + host + "\n  scale<<<" +
         configuration + ">>>(in, out, n);\n}\n";
}

class InitHostBlocks : public Init {
 protected:
  std::string grid_of(const std::string& source) {
    const KernelTemplate kernel = loaded(source);
    EXPECT_THAT(names(kernel.parameters), ElementsAre("BLOCK_SIZE")) << source;
    EXPECT_EQ(block(kernel.launches.at(0), 0), "BLOCK_SIZE") << source;
    return grid(kernel.launches.at(0), 0);
  }
};

TEST_F(InitHostBlocks, FollowTheBlockThroughHelpersThatDivideUpwards) {
  for (const char* call : {"iDivUp(n, 128)", "cdiv(n, 128)", "CEIL_DIV(n, 128)", "divUp(n, 128)"}) {
    const std::string name(call);
    EXPECT_EQ(grid_of(scaled_in_blocks(name + ", 128")), "ceildiv(n, BLOCK_SIZE)") << call;
    EXPECT_EQ(grid_of(scaled_in_blocks("blocks, 128", "int blocks = " + name + ";")), "ceildiv(n, BLOCK_SIZE)") << call;
    EXPECT_EQ(grid_of(scaled_in_blocks("grid, block", "dim3 grid(" + name + "), block(128);")),
              "ceildiv(n, BLOCK_SIZE)")
        << call;
  }
  EXPECT_EQ(grid_of(scaled_in_blocks("grid, block", "dim3 block(128); dim3 grid(iDivUp(n, block.x));")),
            "ceildiv(n, BLOCK_SIZE)");
}

TEST_F(InitHostBlocks, FollowTheBlockWhereTheLengthIsANumber) {
  EXPECT_EQ(grid_of(scaled_in_blocks("grid, block", "dim3 block(128); dim3 grid((10000 + block.x - 1) / block.x);")),
            "ceildiv(10000, BLOCK_SIZE)");
  EXPECT_EQ(grid_of(scaled_in_blocks("(10000 + 127) / 128, 128")), "ceildiv(10000, BLOCK_SIZE)");
  EXPECT_EQ(
      grid_of(scaled_in_blocks("blocks, threads", "int threads = 128, blocks = (10000 + threads - 1) / threads;")),
      "ceildiv(10000, BLOCK_SIZE)");
  const KernelTemplate kernel = loaded(R"(
#define NI 512
__global__ void scale(const float* a, float* b) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < NI && j < NI) b[i * NI + j] = 2 * a[i * NI + j];
}
int main() {
  float *a, *b;
  cudaMalloc((void**)&a, sizeof(float) * NI * NI);
  cudaMalloc((void**)&b, sizeof(float) * NI * NI);
  dim3 block(32, 8);
  dim3 grid((NI + block.x - 1) / block.x, (NI + block.y - 1) / block.y);
  scale<<<grid, block>>>(a, b);
}
)");
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(512, BLOCK_X)");
  EXPECT_EQ(grid(kernel.launches.at(0), 1), "ceildiv(512, BLOCK_Y)");
}

TEST_F(InitHostBlocks, FollowTheBlockThroughShiftsAndRests) {
  EXPECT_EQ(grid_of(scaled_in_blocks("(n >> 7) + 1, 1 << 7")), "n // BLOCK_SIZE + 1");
  EXPECT_EQ(grid_of(scaled_in_blocks("n / 128 + (n % 128 != 0), 128")), "ceildiv(n, BLOCK_SIZE)");
  EXPECT_EQ(grid_of(scaled_in_blocks("blocks, 128", "int blocks = n / 128; if (n % 128) blocks++;")),
            "ceildiv(n, BLOCK_SIZE)");
}

TEST_F(InitHostBlocks, BecomeAParameterWhereTheDeviceChoosesThem) {
  const std::string launch = "(n + threads - 1) / threads, threads";
  for (const char* host : {"int most, threads; cudaOccupancyMaxPotentialBlockSize(&most, &threads, scale, 0, 0);",
                           "int threads = min(properties.maxThreadsPerBlock, 256);",
                           "int threads = std::min<int>(256, properties.maxThreadsPerBlock);"})
    EXPECT_EQ(grid_of(scaled_in_blocks(launch, host)), "ceildiv(n, BLOCK_SIZE)") << host;
}

TEST_F(InitHostBlocks, AreNamedWhereTheGridStaysANumber) {
  EXPECT_THAT(describe(scaled_in_blocks("79, 128")).guesses,
              ElementsAre(HasSubstr("the grid of scale stays 79 along x for every BLOCK_SIZE, as line 12 says it")));
  EXPECT_THAT(describe(scaled_in_blocks("(n + 127) / 128, 128")).guesses, IsEmpty());
}

TEST_F(InitHostBlocks, AreLeftBlankWhereTheHostComputesThemOtherwise) {
  const draft::InitResult result =
      describe(scaled_in_blocks("n / threads, threads", "int threads = 1; while (threads < n) threads *= 2;"));
  EXPECT_THAT(result.blanks, Contains(HasSubstr("launches: the block of scale")));
  EXPECT_THAT(result.text, Not(HasSubstr("\nthreads = ")));
}

TEST_F(InitHostBlocks, ChooseTheLaunchWhoseTemplateHasThem) {
  for (const char* launches : {"if (threads == 16) twice<16><<<grid, block>>>(b, a, w);\n"
                               "  else twice<32><<<grid, block>>>(b, a, w);",
                               "switch (threads) { case 16: twice<16><<<grid, block>>>(b, a, w); break;\n"
                               "  case 32: twice<32><<<grid, block>>>(b, a, w); }"}) {
    const KernelTemplate kernel = loaded(std::string(R"(
template <int BLOCK_SIZE> __global__ void twice(float* out, const float* in, int w) {
  __shared__ float tile[BLOCK_SIZE][BLOCK_SIZE];
  int x = blockIdx.x * BLOCK_SIZE + threadIdx.x, y = blockIdx.y * BLOCK_SIZE + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * w + x];
  __syncthreads();
  out[y * w + x] = 2 * tile[threadIdx.y][threadIdx.x];
}
void run(int threads, int w) {
  float *a, *b;
  cudaMalloc(&a, w * w * sizeof(float));
  cudaMalloc(&b, w * w * sizeof(float));
  dim3 block(threads, threads), grid(w / block.x, w / block.y);
  )") + launches + "\n}\nint main() { int size = 32; run(size, 1024); }\n");
    EXPECT_EQ(search::to_text(kernel.default_values), "BLOCK_SIZE_VALUE=32");
    EXPECT_EQ(block(kernel.launches.at(0), 1), "BLOCK_SIZE_VALUE");
    EXPECT_EQ(grid(kernel.launches.at(0), 1), "w // BLOCK_SIZE_VALUE");
  }
}

}  // namespace
}  // namespace warptune::tuner
