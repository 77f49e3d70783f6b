// `warptune init`: kernels whose sizes are macros, and that take no integer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/draft/init_fixture.h"

namespace warptune::tuner {
namespace {

// In the style of Kernel Tuner's examples.
const std::string convolution_by_macros = R"(
#define image_height 4096
#define image_width 2048
#define filter_height 17
#define filter_width 9
#define border_height ((filter_height / 2) * 2)
#define border_width ((filter_width / 2) * 2)
#define input_width (image_width + border_width)
__constant__ float d_filter[filter_height * filter_width];
__global__ void convolve(float* output, float* input, float* filter) {
  int ty = threadIdx.y, tx = threadIdx.x;
  int by = blockIdx.y * block_size_y * tile_size_y, bx = blockIdx.x * block_size_x * tile_size_x;
  __shared__ float part[block_size_y * tile_size_y + border_height][block_size_x * tile_size_x + border_width];
  for (int i = ty; i < block_size_y * tile_size_y + border_height; i += block_size_y)
    for (int j = tx; j < block_size_x * tile_size_x + border_width; j += block_size_x)
      part[i][j] = input[(by + i) * input_width + (bx + j)];
  __syncthreads();
  float sum[tile_size_y][tile_size_x] = {};
  for (int i = 0; i < filter_height; i++)
    for (int j = 0; j < filter_width; j++)
      for (int yi = 0; yi < tile_size_y; yi++)
        for (int xi = 0; xi < tile_size_x; xi++)
          sum[yi][xi] += part[ty + yi * block_size_y + i][tx + xi * block_size_x + j] * d_filter[i * filter_width + j];
  for (int yi = 0; yi < tile_size_y; yi++)
    for (int xi = 0; xi < tile_size_x; xi++)
      output[(by + ty + yi * block_size_y) * image_width + bx + tx + xi * block_size_x] = sum[yi][xi];
}
)";

TEST_F(Init, TellsRowsFromColumnsByWhatRowsAreMultipliedWith) {
  const KernelTemplate kernel = loaded(convolution_by_macros);
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(image_width, block_size_x * tile_size_x)");
  EXPECT_EQ(grid(kernel.launches.at(0), 1), "ceildiv(image_height, block_size_y * tile_size_y)");
  EXPECT_EQ(block(kernel.launches.at(0), 0), "block_size_x");
  EXPECT_EQ(block(kernel.launches.at(0), 1), "block_size_y");
  EXPECT_EQ(kernel.find_argument("output")->shape.at(0).text(), "image_height * image_width");
}

TEST_F(Init, GivesAnInputTheBorderBehindTheLastBlock) {
  EXPECT_EQ(loaded(convolution_by_macros).find_argument("input")->shape.at(0).text(),
            "(image_height + filter_height // 2 * 2) * (image_width + filter_width // 2 * 2)");
  const KernelTemplate line = loaded(R"(
#define TILE 128
#define RADIUS 3
__global__ void smooth(const float* in, float* out, int n) {
  __shared__ float s[TILE + 2 * RADIUS];
  for (int j = threadIdx.x; j < TILE + 2 * RADIUS; j += TILE) s[j] = in[blockIdx.x * TILE + j];
  __syncthreads();
  int i = blockIdx.x * TILE + threadIdx.x;
  if (i < n) out[i] = s[threadIdx.x] + s[threadIdx.x + 2 * RADIUS];
}
)");
  EXPECT_EQ(line.find_argument("in")->shape.at(0).text(), "n + 2 * RADIUS");
  EXPECT_EQ(line.find_argument("out")->shape.at(0).text(), "n");
}

TEST_F(Init, SaysWhereTheNumberOfRowsIsAGuess) {
  const auto described = [&](const std::string& macros) {
    const draft::InitResult result =
        describe(macros +
                     "#define BX 32\n#define BY 8\n__global__ void k(const float* a, float* b) {\n"
                     "  int c = blockIdx.x * BX + threadIdx.x, r = blockIdx.y * BY + threadIdx.y;\n  b[r * N + c] = "
                     "a[c] * M * K;\n}\n",
                 "");
    const KernelTemplate kernel = parse_manifest(result.text, folder_.path() / "template.toml");
    EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(N, BX)");
    EXPECT_EQ(grid(kernel.launches.at(0), 1), "ceildiv(M, BY)");
    return result.guesses;
  };
  EXPECT_THAT(described("#define N 512\n#define M 256\n#define K 128\n"),
              Not(Contains(HasSubstr("is a guess for how many"))));
  EXPECT_THAT(described("#define N 512\n#define M 256\nconst float K = 1;\n"),
              Contains(HasSubstr("launches: M is a guess for how many elements k has along y")));
}

TEST_F(Init, GivesABufferThatTheKernelDoesNotUseOneElement) {
  const Argument filter = *loaded(convolution_by_macros).find_argument("filter");
  EXPECT_EQ(filter.shape.at(0).text(), "1");
}

}  // namespace
}  // namespace warptune::tuner
