// `warptune init`: what it reads from sources as people write them, and that its manifests load.
#include "tuner/kernel/draft/init.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/user_kernels.h"
#include "tests/tuner/kernel/draft/init_fixture.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner {
namespace {

TEST_F(Init, MakesTheBlockAParameterWhereTheKernelAsksForIt) {
  const KernelTemplate kernel = loaded(saxpy_source);
  EXPECT_EQ(kernel.name, "saxpy");
  EXPECT_FALSE(kernel.whole_program);
  EXPECT_TRUE(kernel.reference.default_configuration);
  EXPECT_THAT(names(kernel.parameters), ElementsAre("BLOCK_SIZE"));
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(n, BLOCK_SIZE)");
  EXPECT_EQ(block(kernel.launches.at(0), 0), "BLOCK_SIZE");
  EXPECT_THAT(kernel.launches.at(0).arguments, ElementsAre("n", "a", "x", "y"));
  EXPECT_EQ(kernel.find_argument("x")->role, Role::input);
  EXPECT_EQ(kernel.find_argument("y")->role, Role::inout);
  EXPECT_EQ(kernel.find_argument("y")->reference_type, ElementType::f32);
}

TEST_F(Init, ReadsGridBlockAndLengthsFromTheHostsCode) {
  const KernelTemplate kernel = loaded(matmul_program);
  EXPECT_TRUE(kernel.whole_program);
  EXPECT_THAT(names(kernel.parameters), ElementsAre("TILE_WIDTH"));
  EXPECT_EQ(search::to_text(kernel.default_values), "TILE_WIDTH=16");
  EXPECT_EQ(search::to_text(kernel.sizes), "Width=1024");
  const Launch& launch = kernel.launches.at(0);
  EXPECT_EQ(grid(launch, 0), "Width // TILE_WIDTH");
  EXPECT_EQ(grid(launch, 1), "Width // TILE_WIDTH");
  EXPECT_EQ(block(launch, 1), "TILE_WIDTH");
  EXPECT_EQ(kernel.find_argument("P")->shape.at(0).text(), "Width * Width");
  EXPECT_EQ(kernel.find_argument("P")->role, Role::output);
  EXPECT_EQ(kernel.find_argument("M")->role, Role::input);  // though it is no const pointer
}

TEST_F(Init, ConstrainsStaticSharedMemoryWhereAConfigurationExceedsIt) {
  EXPECT_THAT(loaded(softmax_source).constraints, IsEmpty());
  const KernelTemplate kernel = loaded(R"(
#define BLOCK 64
__global__ void k(double* y, int n) {
  __shared__ double s[BLOCK][8];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  s[threadIdx.x][0] = i;
  if (i < n) y[i] = s[threadIdx.x][0];
}
)");
  EXPECT_THAT(kernel.constraints, ElementsAre("BLOCK * 8 * 8 <= 49152"));
}

TEST_F(Init, KeepsWhatChangesTheResultAsASizeThatTheSourceKnows) {
  const KernelTemplate kernel = loaded(convolution_source);
  EXPECT_THAT(names(kernel.parameters), ElementsAre("BLOCK"));
  EXPECT_EQ(kernel.defines.at(0).first, "RADIUS");
  const Argument& mask = *kernel.find_argument("mask");
  EXPECT_EQ(mask.symbol, "mask");
  EXPECT_EQ(mask.shape.at(0).text(), "2 * RADIUS + 1");
  EXPECT_EQ(kernel.find_argument("in")->shape.at(0).text(), "n");
}

TEST_F(Init, FindsTheBlockWhereThreadsGoAlongAnotherAxisThanBlocks) {
  const KernelTemplate kernel = loaded(R"(
#define TILE_X 32
#define ROWS 4
__global__ void scale_rows(const float* in, const float* factor, float* out, int rows, int columns) {
  int row = blockIdx.x * ROWS + threadIdx.y;
  if (row >= rows) return;
  for (int c = threadIdx.x; c < columns; c += TILE_X) out[row * columns + c] = in[row * columns + c] * factor[row];
}
)");
  EXPECT_THAT(names(kernel.parameters), ElementsAre("TILE_X", "ROWS"));
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(rows, ROWS)");
  EXPECT_EQ(block(kernel.launches.at(0), 0), "TILE_X");
  EXPECT_EQ(block(kernel.launches.at(0), 1), "ROWS");
}

TEST_F(Init, FindsAWarpForEachRow) {
  const KernelTemplate kernel = loaded(R"(
#define WARPS 4
__global__ void matvec(const float* A, const float* x, float* y, int m, int n) {
  int row = blockIdx.x * WARPS + threadIdx.y;
  if (row >= m) return;
  float s = 0;
  for (int c = threadIdx.x; c < n; c += 32) s += A[row * n + c] * x[c];
  for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
  if (threadIdx.x == 0) y[row] = s;
}
)");
  EXPECT_THAT(names(kernel.parameters), ElementsAre("WARPS"));
  EXPECT_EQ(block(kernel.launches.at(0), 0), "32");
  EXPECT_EQ(block(kernel.launches.at(0), 1), "WARPS");
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(m, WARPS)");
}

TEST_F(Init, FollowsTilesAndThreadsThroughVariables) {
  const KernelTemplate kernel = loaded(R"(
#define BM 64
#define BN 64
#define BK 8
#define TM 4
#define TN 4
__global__ void sgemm(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  const int row = blockIdx.y, col = blockIdx.x;
  const int tr = threadIdx.x / (BN / TN), tc = threadIdx.x % (BN / TN);
  const int threads = (BM / TM) * (BN / TN);
  float acc[TM][TN] = {};
  for (int k = 0; k < K; k += BK) {
    for (int i = threadIdx.x; i < BM * BK; i += threads) As[i] = A[(row * BM + i / BK) * K + k + i % BK];
    for (int i = threadIdx.x; i < BK * BN; i += threads) Bs[i] = B[(k + i / BN) * N + col * BN + i % BN];
    __syncthreads();
    for (int d = 0; d < BK; ++d)
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) acc[i][j] += As[(tr * TM + i) * BK + d] * Bs[d * BN + tc * TN + j];
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j) {
      float& c = C[(row * BM + tr * TM + i) * N + col * BN + tc * TN + j];
      c = alpha * acc[i][j] + beta * c;
    }
}
)");
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(N, BN)");
  EXPECT_EQ(grid(kernel.launches.at(0), 1), "ceildiv(M, BM)");
  EXPECT_EQ(block(kernel.launches.at(0), 0), "BM // TM * (BN // TN)");
  EXPECT_EQ(kernel.find_argument("C")->role, Role::inout);
  EXPECT_EQ(kernel.find_argument("A")->role, Role::input);
  EXPECT_EQ(kernel.find_argument("A")->shape.at(0).text(), "M * K");
  EXPECT_EQ(kernel.find_argument("B")->shape.at(0).text(), "K * N");
  EXPECT_EQ(kernel.find_argument("C")->shape.at(0).text(), "M * N");
}

TEST_F(Init, TellsVariablesOfOneNameInSeveralLoopsApart) {
  const KernelTemplate kernel = loaded(R"(
#define BLOCK 256
#define BINS 64
__global__ void histogram(const unsigned char* data, unsigned int* bins, int n) {
  __shared__ unsigned int local[BINS];
  for (int i = threadIdx.x; i < BINS; i += BLOCK) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += BLOCK * gridDim.x) atomicAdd(&local[data[i] % BINS], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < BINS; i += BLOCK) atomicAdd(&bins[i], local[i]);
}
)");
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(n, BLOCK)");
  EXPECT_EQ(block(kernel.launches.at(0), 0), "BLOCK");
  EXPECT_EQ(kernel.find_argument("data")->shape.at(0).text(), "n");
  EXPECT_EQ(kernel.find_argument("bins")->shape.at(0).text(), "64");
}

TEST_F(Init, FindsTheBlockWhereAThreadTakesSeveralRowsOfATile) {
  const KernelTemplate kernel = loaded(R"(
#define TILE 32
#define BLOCK_ROWS 8
__global__ void transpose(float* odata, const float* idata, int width, int height) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += BLOCK_ROWS)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += BLOCK_ROWS)
    if (x < height && y + j < width) odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
)");
  EXPECT_EQ(block(kernel.launches.at(0), 0), "TILE");
  EXPECT_EQ(block(kernel.launches.at(0), 1), "BLOCK_ROWS");
  EXPECT_EQ(grid(kernel.launches.at(0), 1), "ceildiv(height, TILE)");
  EXPECT_THAT(kernel.constraints, ElementsAre("TILE % BLOCK_ROWS == 0"));
  // x and y become those of the tile that is written.
  EXPECT_EQ(kernel.find_argument("idata")->shape.at(0).text(), "height * width");
  EXPECT_EQ(kernel.find_argument("odata")->shape.at(0).text(), "width * height");
}

TEST_F(Init, GivesEachRowABlockWhereTheKernelDoes) {
  const KernelTemplate kernel = loaded(softmax_source);
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "rows");
  EXPECT_EQ(block(kernel.launches.at(0), 0), "THREADS");
  EXPECT_EQ(kernel.find_argument("y")->shape.at(0).text(), "rows * cols");
}

TEST_F(Init, KeepsTheSumsOfBlocksBetweenTwoLaunchesOfAHostThatFetchesNothing) {
  const KernelTemplate kernel = loaded(R"(
#define BLOCK 256
__global__ void scan_blocks(const int* in, int* out, int* sums, int n) {
  __shared__ int s[BLOCK];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  if (i < n) out[i] = s[threadIdx.x];
  if (threadIdx.x == BLOCK - 1) sums[blockIdx.x] = s[threadIdx.x];
}
__global__ void add_sums(int* out, const int* sums, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) out[i] += sums[blockIdx.x];
}
int main() {
  int n = 100000, *in, *out, *sums;
  int blocks = (n + BLOCK - 1) / BLOCK;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMalloc(&sums, blocks * sizeof(int));
  scan_blocks<<<blocks, BLOCK>>>(in, out, sums, n);
  add_sums<<<blocks, BLOCK>>>(out, sums, n);
}
)");
  ASSERT_EQ(kernel.temporaries.size(), 1u);
  EXPECT_EQ(kernel.temporaries[0].name, "sums");
  EXPECT_EQ(kernel.find_argument("out")->role, Role::output);
}

TEST_F(Init, FollowsDataThroughTwoLaunchesOfATemplate) {
  const KernelTemplate kernel = loaded(reduction_program);
  ASSERT_EQ(kernel.launches.size(), 2u);
  EXPECT_EQ(kernel.launches[0].kernel, "reduce<float, {BLOCK_VALUE}>");
  EXPECT_EQ(grid(kernel.launches[0], 0), "ceildiv(n, BLOCK_VALUE * 8)");
  ASSERT_EQ(kernel.temporaries.size(), 1u);
  EXPECT_EQ(kernel.temporaries[0].name, "partial");
  EXPECT_EQ(kernel.find_argument("sum")->role, Role::output);
  // The second launch counts blocks, not elements.
  EXPECT_EQ(kernel.find_argument(kernel.launches[1].arguments.at(2))->value->text(), "ceildiv(n, BLOCK_VALUE * 8)");
}

TEST_F(Init, LeavesAnArrayOfOneElementPerBlockBlank) {
  const draft::InitResult result = describe(R"(
template <typename T, int BLOCK>
__global__ void reduce(const T* in, T* partial, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n && threadIdx.x == 0) partial[blockIdx.x] = in[i];
}
)");
  ASSERT_EQ(result.blanks.size(), 1u);
  EXPECT_THAT(result.blanks[0], HasSubstr("arguments.partial: it seems to hold one element per block"));
  EXPECT_THAT(result.text, HasSubstr("# TODO: arguments.partial"));
  // The reader stops at the blank, and says which.
  try {
    parse_manifest(result.text, folder_.path() / "template.toml");
    FAIL() << "a manifest with a blank was taken";
  } catch (const ManifestError& error) {
    EXPECT_THAT(error.what(), HasSubstr("arguments.partial.shape"));
  }
}

TEST_F(Init, StartsFromZeroWhereBlocksAddAndWhereBordersAreLeftOut) {
  const KernelTemplate histogram = loaded(histogram_program);
  EXPECT_EQ(histogram.find_argument("bins")->role, Role::inout);
  EXPECT_EQ(histogram.find_argument("bins")->fill.a, 0);
  EXPECT_EQ(histogram.find_argument("bins")->nondeterministic.text(), "false");  // sums of integers are exact
  EXPECT_EQ(histogram.find_argument("bins")->shape.at(0).text(), "NUM_BINS");
  EXPECT_THAT(names(histogram.parameters), ElementsAre("BLOCK_SIZE", "COARSE_FACTOR"));
  const KernelTemplate heat = loaded(heat_source);
  EXPECT_EQ(heat.find_argument("next")->role, Role::inout);
  EXPECT_EQ(heat.find_argument("next")->shape.at(0).text(), "ny * nx");
  EXPECT_THAT(names(heat.parameters), ElementsAre("BLOCK_X", "BLOCK_Y"));
}

TEST_F(Init, TakesOneOfSeveralKernelsAndNamesTheOthers) {
  const std::string source =
      "__global__ void one(float* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 1; }\n"
      "__global__ void two(float* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 2; }\n";
  EXPECT_THAT(describe(source).guesses, Contains(HasSubstr("describes one alone. If two belongs to it")));
  EXPECT_EQ(loaded(source, "two").launches.at(0).kernel, "two");
  try {
    describe(source, "tow");
    FAIL() << "a kernel that is not there was described";
  } catch (const RequestError& error) {
    EXPECT_THAT(error.what(), HasSubstr("it has no kernel 'tow' (did you mean two?); it has one, two"));
  }
}

TEST_F(Init, NamesAnArgumentThatNoManifestCanPass) {
  const draft::InitResult result =
      describe("struct P { int* a; };\n__global__ void k(P* p, float** rows, int n) { p[threadIdx.x].a[0] = n; }\n");
  EXPECT_THAT(result.blanks, Contains(HasSubstr("arguments.p: P* is no buffer of numbers")));
  EXPECT_THAT(result.blanks, Contains(HasSubstr("arguments.rows: float** is no buffer of numbers")));
}

TEST_F(Init, SaysThatASourceHasNoKernel) {
  try {
    describe("int main() {}\n");
    FAIL() << "a source without a kernel was described";
  } catch (const RequestError& error) {
    EXPECT_THAT(error.what(), HasSubstr("kernel.cu: it has no __global__ function"));
  }
  try {
    describe("__kernel void k(__global float* x) { x[get_global_id(0)] = 1; }\n");
    FAIL() << "a kernel of OpenCL's was described";
  } catch (const RequestError& error) {
    EXPECT_THAT(error.what(), HasSubstr("kernel.cu: its kernels are OpenCL's"));
  }
}

TEST_F(Init, ComparesTheBufferOfAnOnlyLaunchWhateverTheHostCallsIt) {
  const KernelTemplate kernel = loaded(R"(
#define BLOCK_SIZE 128
typedef struct { float x, v; } Body;
__global__ void move(Body* p, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i].x += dt * p[i].v;
}
int main() {
  int n = 3000, bytes = n * sizeof(Body);
  float *buf = (float*)malloc(bytes), *d_buf;
  cudaMalloc(&d_buf, bytes);
  Body* d_p = (Body*)d_buf;
  cudaMemcpy(d_buf, buf, bytes, cudaMemcpyHostToDevice);
  move<<<(n + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE>>>(d_p, 0.01f, n);
  cudaMemcpy(buf, d_buf, bytes, cudaMemcpyDeviceToHost);
}
)");
  EXPECT_EQ(kernel.find_argument("p")->role, Role::inout);
}

TEST_F(Init, TakesNoRealNumbersForIndices) {
  const draft::InitResult result = describe(R"(
__global__ void largest(const float* x, float* y, int n) {
  float m = x[0];
  for (int i = threadIdx.x; i < n; i += 256) m = fmaxf(m, x[i]);
  __shared__ float s[256];
  s[threadIdx.x] = m;
  if (threadIdx.x == 0) y[(int)m] = s[0];
}
)");
  EXPECT_THAT(result.guesses, Not(Contains(HasSubstr("random integers"))));
}

}  // namespace
}  // namespace warptune::tuner
