// `warptune init`: blocks that the host writes as numbers, and defaults that a device can launch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/draft/init_fixture.h"

namespace warptune::tuner {
namespace {

constexpr char squares[] = R"(
#define BLOCK_SIZE 32
__global__ void scale(const float* a, float* c, int n) {
  __shared__ float tile[BLOCK_SIZE][BLOCK_SIZE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * BLOCK_SIZE + tx, y = blockIdx.y * BLOCK_SIZE + ty;
  tile[ty][tx] = a[y * n + x];
  __syncthreads();
  c[y * n + x] = 2 * tile[ty][tx];
}
)";

TEST_F(Init, TakesTheMacroForTheBlockThatTheHostWritesAsItsNumber) {
  for (const char* grid_text : {"dim3(n / 32, n / 32)", "dim3(n / threads.x, n / threads.y)"}) {
    const std::string source = std::string(squares) +
                               "void run(float* c, float* a, int n) {\n  dim3 threads(32, 32);\n" + "  scale<<<" +
                               grid_text + ", threads>>>(a, c, n);\n}\n";
    const KernelTemplate kernel = loaded(source);
    EXPECT_EQ(block(kernel.launches.at(0), 0), "BLOCK_SIZE");
    EXPECT_EQ(block(kernel.launches.at(0), 1), "BLOCK_SIZE");
    EXPECT_EQ(grid(kernel.launches.at(0), 0), "n // BLOCK_SIZE");
    EXPECT_EQ(kernel.find_argument("c")->shape.at(0).text(), "n * n");
    EXPECT_THAT(describe(source).guesses, Not(Contains(HasSubstr("write a macro"))));
  }
}

TEST_F(Init, NotesAParameterThatMayBeTheBlockAndIsNotInTheIndex) {
  EXPECT_THAT(describe(R"(
#define TILE 32
__global__ void sum(const float* a, float* c, int n) {
  __shared__ float tile[TILE];
  for (int t = 0; t < n; t += TILE) tile[threadIdx.x] = a[t + threadIdx.x];
  c[threadIdx.x] = tile[threadIdx.x];
}
void run(float* c, float* a, int n) { sum<<<1, 32>>>(a, c, n); }
)")
                  .guesses,
              Contains(HasSubstr("launches: line 8 launches sum with 32 threads along x, which may be TILE")));
}

TEST_F(Init, TakesTheTemplateParameterForTheBlockWhereAHostChoosesAmongLaunches) {
  const std::string source = R"(
template <int BLOCK_SIZE> __global__ void twice(float* out, const float* in, int w) {
  int x = blockIdx.x * BLOCK_SIZE + threadIdx.x, y = blockIdx.y * BLOCK_SIZE + threadIdx.y;
  out[y * w + x] = 2 * in[y * w + x];
}
int main() {
  int block_size = 32, w = 1024;
  float *a, *b;
  cudaMalloc(&a, w * w * sizeof(float));
  cudaMalloc(&b, w * w * sizeof(float));
  dim3 threads(block_size, block_size);
  dim3 grid(w / threads.x, w / threads.y);
  if (block_size == 16) twice<16><<<grid, threads>>>(b, a, w);
  else twice<32><<<grid, threads>>>(b, a, w);
}
)";
  const KernelTemplate kernel = loaded(source);
  EXPECT_EQ(block(kernel.launches.at(0), 0), "BLOCK_SIZE_VALUE");
  EXPECT_EQ(grid(kernel.launches.at(0), 1), "w // BLOCK_SIZE_VALUE");
  EXPECT_EQ(search::to_text(kernel.default_values), "BLOCK_SIZE_VALUE=32");
}

TEST_F(Init, SaysNothingOfANumberThatTheBlockHasNoMore) {
  EXPECT_THAT(describe(R"(
template <int THREADS> __global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) y[i] = x[i];
}
void run(const float* x, float* y, int n) { k<256><<<(n + 255) / 256, 256>>>(x, y, n); }
)")
                  .guesses,
              Not(Contains(HasSubstr("has the number 256"))));
}

TEST_F(Init, GivesAFlatBlockAsManyThreadsAsItsRowsHave) {
  const std::string body = R"(
__global__ void smem(int n, const float* in, float* out) {
  __shared__ float tile[BLOCKSIZE * BLOCKSIZE];
  int col = threadIdx.x % BLOCKSIZE, row = threadIdx.x / BLOCKSIZE;
  int x = blockIdx.x * BLOCKSIZE + col, y = blockIdx.y * BLOCKSIZE + row;
  tile[row * BLOCKSIZE + col] = in[y * n + x];
  __syncthreads();
  out[y * n + x] = 2 * tile[row * BLOCKSIZE + col];
}
)";
  const KernelTemplate macro = loaded("#define BLOCKSIZE 32" + body);
  EXPECT_EQ(block(macro.launches.at(0), 0), "BLOCKSIZE * BLOCKSIZE");
  EXPECT_EQ(search::to_text(macro.default_values), "BLOCKSIZE=32");
  const KernelTemplate value = loaded("template <const int BLOCKSIZE>" + body);
  EXPECT_EQ(block(value.launches.at(0), 0), "BLOCKSIZE_VALUE * BLOCKSIZE_VALUE");
  EXPECT_EQ(search::to_text(value.default_values), "BLOCKSIZE_VALUE=32");
}

TEST_F(Init, LowersAGuessedDefaultUntilItSatisfiesTheConstraints) {
  const KernelTemplate kernel = loaded(R"(
template <int BLOCK_SIZE> __global__ void k(const float* in, float* out, int n) {
  __shared__ float tile[BLOCK_SIZE][BLOCK_SIZE];
  int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  for (int j = 0; j < BLOCK_SIZE; ++j) tile[threadIdx.x][j] = j;
  if (i < n) out[i] = tile[threadIdx.x][0] * in[i];
}
)");
  EXPECT_EQ(search::to_text(kernel.default_values), "BLOCK_SIZE_VALUE=64");
}

TEST_F(Init, RoundsNoGridUpThatOnlyALoadIsGuardedFor) {
  const draft::InitResult result = describe(R"(
#define TILE 128
__global__ void blur(const float* in, float* out, int n) {
  __shared__ float s[TILE + 2];
  int i = blockIdx.x * TILE + threadIdx.x;
  for (int k = threadIdx.x; k < TILE + 2; k += TILE) {
    int at = blockIdx.x * TILE + k - 1;
    s[k] = at >= 0 && at < n ? in[at] : 0;
  }
  __syncthreads();
  out[i] = s[threadIdx.x] + s[threadIdx.x + 1] + s[threadIdx.x + 2];
}
void run(float* out, const float* in, int n) { blur<<<n / TILE, TILE>>>(in, out, n); }
)");
  EXPECT_THAT(result.text, AllOf(HasSubstr("grid = \"n // TILE\""), HasSubstr("constraints = [\"n % TILE == 0\"")));
}

}  // namespace
}  // namespace warptune::tuner
