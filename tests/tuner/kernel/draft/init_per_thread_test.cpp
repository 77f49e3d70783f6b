// `warptune init`: what says how many elements a thread takes is no part of the block.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/draft/init_fixture.h"

namespace warptune::tuner {
namespace {

const auto from_1_to_8 = ElementsAre(search::Value(std::int64_t{1}), search::Value(std::int64_t{2}),
                                     search::Value(std::int64_t{4}), search::Value(std::int64_t{8}));

std::string scale(const std::string& body, const std::string& macros = "#define TILE 4\n") {
  return "#define BLOCK 128\n" + macros + "__global__ void scale(float a, const float* x, float* y, int n) {\n" + body +
         "\n}\n";
}

TEST_F(Init, LeavesElementsPerThreadOutOfTheBlock) {
  const std::string strided =
      "for (int k = 0; k < TILE; k++) if (i + k * BLOCK < n) y[i + k * BLOCK] = a * x[i + k * BLOCK];";
  const std::string dense = "for (int k = 0; k < TILE; k++) if (i + k < n) y[i + k] = a * x[i + k];";
  for (const std::string& source :
       {scale("int i = blockIdx.x * BLOCK * TILE + threadIdx.x; " + strided),
        scale("int bx = blockIdx.x; int i = bx * (TILE * BLOCK) + threadIdx.x; " + strided),
        scale("int i = blockIdx.x * WHOLE + threadIdx.x; " + strided, "#define TILE 4\n#define WHOLE (BLOCK * TILE)\n"),
        scale("int i = (blockIdx.x * BLOCK + threadIdx.x) * TILE; " + dense),
        scale("int i = blockIdx.x * BLOCK * TILE + threadIdx.x * TILE; " + dense)}) {
    const KernelTemplate kernel = loaded(source);
    EXPECT_EQ(block(kernel.launches.at(0), 0), "BLOCK") << source;
    EXPECT_THAT(grid(kernel.launches.at(0), 0), testing::AnyOf("ceildiv(n, BLOCK * TILE)", "ceildiv(n, TILE * BLOCK)"))
        << source;
    EXPECT_THAT(kernel.parameters.at(1).values, from_1_to_8) << source;
  }
}

TEST_F(Init, LeavesElementsPerThreadOutOfTheBlockOfTwoAxes) {
  const KernelTemplate kernel = loaded(R"(
#define WIDTH 512
#define block_size_x 16
#define block_size_y 16
#define tile_size_x 1
#define tile_size_y 1
__global__ void product(float* C, float* A, float* B) {
  __shared__ float sA[block_size_y * tile_size_y][block_size_x];
  __shared__ float sB[block_size_y * tile_size_y][block_size_x * tile_size_x];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * block_size_x * tile_size_x + threadIdx.x;
  int y = blockIdx.y * block_size_y * tile_size_y + threadIdx.y;
  float sum[tile_size_y][tile_size_x] = {};
  for (int k = 0; k < WIDTH; k += block_size_x) {
    __syncthreads();
    for (int i = 0; i < tile_size_y; i++) {
      sA[ty + block_size_y * i][tx] = A[(y + i * block_size_y) * WIDTH + k + tx];
      for (int j = 0; j < tile_size_x; j++)
        sB[ty + block_size_y * i][tx + j * block_size_x] = B[(k + ty + block_size_y * i) * WIDTH + x + j * block_size_x];
    }
    __syncthreads();
    for (int kb = 0; kb < block_size_x; kb++)
      for (int i = 0; i < tile_size_y; i++)
        for (int j = 0; j < tile_size_x; j++) sum[i][j] += sA[ty + block_size_y * i][kb] * sB[kb][tx + j * block_size_x];
  }
  for (int i = 0; i < tile_size_y; i++)
    for (int j = 0; j < tile_size_x; j++)
      C[y * WIDTH + x + block_size_y * i * WIDTH + j * block_size_x] = sum[i][j];
}
)");
  EXPECT_EQ(block(kernel.launches.at(0), 0), "block_size_x");
  EXPECT_EQ(block(kernel.launches.at(0), 1), "block_size_y");
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(WIDTH, block_size_x * tile_size_x)");
  EXPECT_EQ(grid(kernel.launches.at(0), 1), "ceildiv(WIDTH, block_size_y * tile_size_y)");
  EXPECT_THAT(kernel.parameters.at(2).values, from_1_to_8);
}

TEST_F(Init, SaysWhereItCannotTellElementsPerThreadFromThreads) {
  const auto guesses = [&](const std::string& body) {
    const draft::InitResult result = describe(scale("int i = blockIdx.x * BLOCK * TILE + threadIdx.x; " + body));
    EXPECT_THAT(result.text, HasSubstr("block = \"BLOCK * TILE\""));
    return result.guesses;
  };
  EXPECT_THAT(guesses("if (i < n) for (int k = 0; k < TILE; k++) y[i] += a * x[k];"),
              Contains(HasSubstr("If each thread takes TILE of them in a loop, take TILE out of the block")));
  EXPECT_THAT(guesses("if (i < n) y[i] = a * x[i];"), IsEmpty());
}

}  // namespace
}  // namespace warptune::tuner
