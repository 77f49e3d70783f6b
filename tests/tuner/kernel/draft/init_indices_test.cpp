// `warptune init`: grids, lengths and shared memory that follow from a kernel's indices, in the ways people write them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/draft/init_fixture.h"

namespace warptune::tuner {
namespace {

TEST_F(Init, CountsBlocksOfOneAxisInThreadsOfAnother) {
  const KernelTemplate kernel = loaded(R"(
__global__ void row_sums(const float* a, float* sums, int rows, int cols) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float s = 0;
  for (int c = threadIdx.x; c < cols; c += warpSize) s += a[row * cols + c];
  for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(0xffffffffu, s, o);
  if (threadIdx.x == 0) sums[row] = s;
}
)");
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(rows, BLOCK_Y)");
  EXPECT_EQ(block(kernel.launches.at(0), 0), "32");
  EXPECT_EQ(block(kernel.launches.at(0), 1), "BLOCK_Y");
}

TEST_F(Init, CountsWarpsAndVectorsInThreads) {
  const auto grid_of = [&](const std::string& index) {
    return grid(loaded("__global__ void k(const float* x, float* y, int n) {\n" + index + "}\n").launches.at(0), 0);
  };
  EXPECT_EQ(grid_of("int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32; if (w < n) y[w] = x[w];"),
            "ceildiv(n * 32, BLOCK_SIZE)");
  EXPECT_EQ(grid_of("int t = blockIdx.x * blockDim.x + threadIdx.x; int w = t >> 5; if (w < n) y[w] = x[w];"),
            "ceildiv(n * 32, BLOCK_SIZE)");
  EXPECT_EQ(grid_of("int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4; if (i + 3 < n) y[i] = x[i];"),
            "ceildiv(n, BLOCK_SIZE * 4)");
}

TEST_F(Init, FollowsCastsToVectors) {
  for (const char* body : {"if (i < n / 4) reinterpret_cast<float4*>(y)[i] = reinterpret_cast<const float4*>(x)[i];",
                           "if (i < n / 4) { float4 v = ((float4*)x)[i]; ((float4*)y)[i] = v; }",
                           "const float4* x4 = (const float4*)x; float4* y4 = reinterpret_cast<float4*>(y); "
                           "if (i < n / 4) y4[i] = x4[i];",
                           "i *= 4; if (i < n) *reinterpret_cast<float4*>(&y[i]) = *(const float4*)&x[i];"}) {
    const KernelTemplate kernel = loaded(std::string("__global__ void k(const float* x, float* y, int n) {\n"
                                                     "int i = blockIdx.x * blockDim.x + threadIdx.x;\n") +
                                         body + "\n}\n");
    EXPECT_EQ(kernel.find_argument("x")->shape.at(0).text(), "n") << body;
    EXPECT_EQ(kernel.find_argument("y")->shape.at(0).text(), "n") << body;
    EXPECT_EQ(kernel.find_argument("y")->role, Role::output) << body;
  }
}

TEST_F(Init, TellsTheTileThatIsReadFromTheTileThatIsWritten) {
  const KernelTemplate kernel = loaded(R"(
#define BDIMX 32
#define BDIMY 16
__global__ void transpose(float* out, float* in, int nx, int ny) {
  __shared__ float tile[BDIMY][BDIMX + 1];
  unsigned int ix, iy, ti, to;
  ix = blockIdx.x * blockDim.x + threadIdx.x;
  iy = blockIdx.y * blockDim.y + threadIdx.y;
  ti = iy * nx + ix;
  unsigned int flat = threadIdx.y * blockDim.x + threadIdx.x;
  ix = blockIdx.y * blockDim.y + flat % blockDim.y;
  iy = blockIdx.x * blockDim.x + flat / blockDim.y;
  to = iy * ny + ix;
  if (ix >= ny || iy >= nx) return;
  tile[threadIdx.y][threadIdx.x] = in[ti];
  __syncthreads();
  out[to] = tile[flat % blockDim.y][flat / blockDim.y];
}
)");
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(nx, BDIMX)");
  EXPECT_EQ(grid(kernel.launches.at(0), 1), "ceildiv(ny, BDIMY)");
  EXPECT_EQ(kernel.find_argument("in")->shape.at(0).text(), "ny * nx");
}

TEST_F(Init, FillsTheRowsOfASparseMatrix) {
  const draft::InitResult result = describe(R"(
__global__ void spmv(const int* starts, const int* columns, const float* values, const float* x, float* y, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  int begin = starts[row], end = starts[row + 1];
  float s = 0;
  for (int j = begin + lane; j < end; j += 32) s += values[j] * x[columns[j]];
  for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(0xffffffffu, s, o);
  if (lane == 0) y[row] = s;
}
)");
  EXPECT_THAT(result.guesses, Contains(HasSubstr("arguments.columns.fill: random integers")));
  const KernelTemplate kernel = parse_manifest(result.text, folder_.path() / "template.toml");
  EXPECT_EQ(kernel.find_argument("starts")->shape.at(0).text(), "rows + 1");
  EXPECT_EQ(kernel.find_argument("starts")->fill.b, 8);
  EXPECT_EQ(kernel.find_argument("values")->shape.at(0).text(), "rows * 8");
  EXPECT_EQ(kernel.find_argument("x")->shape.at(0).text(), "rows");
}

TEST_F(Init, SizesDynamicSharedMemoryByItsIndices) {
  const auto shared_of = [&](const std::string& body) {
    return loaded(
               "__global__ void k(const float* x, float* y, int n, int radius) {\n"
               "extern __shared__ float s[];\n"
               "int i = blockIdx.x * blockDim.x + threadIdx.x, tid = threadIdx.x;\n" +
               body + "\n}\n")
        .launches.at(0)
        .shared_bytes.text();
  };
  EXPECT_EQ(
      shared_of(
          "s[tid] = i < n ? x[i] : 0; for (int d = blockDim.x / 2; d > 0; d /= 2) if (tid < d) s[tid] += s[tid + d];"
          "if (i < n) y[i] = s[0];"),
      "BLOCK_SIZE * 4");
  EXPECT_EQ(shared_of("s[tid + radius] = i < n ? x[i] : 0; if (tid < radius) s[tid + radius + blockDim.x] = 0;"
                      "if (i < n) y[i] = s[tid];"),
            "(BLOCK_SIZE + radius + BLOCK_SIZE) * 4");
  EXPECT_EQ(shared_of("for (int j = tid; j < radius; j += blockDim.x) s[j] = 0; if (i < n) y[i] = s[0] + x[i];"),
            "radius * 4");
}

TEST_F(Init, ReadsLaunchesThatCallTheRuntime) {
  const std::string kernel =
      "__global__ void saxpy(int n, float a, const float* x, float* y) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] += a * x[i];\n}\n"
      "int main() {\n  int n = 5000;\n  float a = 3.0f;\n  float *d_x, *d_y;\n"
      "  cudaMalloc(&d_x, n * sizeof(float)); cudaMalloc(&d_y, n * sizeof(float));\n";
  for (const std::string launch :
       {"cudaLaunchConfig_t c = {}; c.gridDim = dim3((n + 127) / 128); c.blockDim = dim3(128);"
        "cudaLaunchKernelEx(&c, saxpy, n, a, (const float*)d_x, d_y);",
        "cudaLaunchConfig_t c{dim3((n + 127) / 128), 128, 0}; cudaLaunchKernelEx(&c, saxpy, n, a, d_x, d_y);",
        "cudaLaunchConfig_t c = {0}; c.gridDim.x = (n + 127) / 128; c.blockDim.x = 128;"
        "cudaLaunchKernelEx(&c, saxpy, n, a, d_x, d_y);",
        "void* args[] = {&n, &a, (void*)&d_x, &d_y};"
        "cudaLaunchKernel((void*)saxpy, dim3((n + 127) / 128), dim3(128), args, 0, 0);"}) {
    const KernelTemplate read = loaded(kernel + launch + "\n}\n");
    EXPECT_EQ(search::to_text(read.sizes), "n=5000") << launch;
    EXPECT_EQ(grid(read.launches.at(0), 0), "ceildiv(n, BLOCK_SIZE)") << launch;
    EXPECT_EQ(search::to_text(read.default_values), "BLOCK_SIZE=128") << launch;
    EXPECT_THAT(read.launches.at(0).arguments, ElementsAre("n", "a", "x", "y")) << launch;
    EXPECT_EQ(read.find_argument("a")->value->text(), "3.0") << launch;
  }
}

TEST_F(Init, UnderstandsRanksOfCooperativeGroups) {
  const KernelTemplate kernel = loaded(R"(
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void twice(const float* in, float* half, float* out, int n) {
  auto grid = cg::this_grid();
  for (auto i = grid.thread_rank(); i < n; i += grid.size()) half[i] = in[i];
  grid.sync();
  for (auto i = grid.thread_rank(); i < n; i += grid.size()) out[i] = half[i] + half[n - 1 - i];
}
)");
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(n, BLOCK_SIZE)");
  EXPECT_EQ(kernel.find_argument("out")->shape.at(0).text(), "n");
  EXPECT_EQ(kernel.launches.at(0).attributes.cooperative->text(), "true");
}

TEST_F(Init, ExpandsMacrosThatMakeIndices) {
  const KernelTemplate kernel = loaded(R"(
#define BX 32
#define BY 8
#define AT(x, y) ((y) * nx + (x))
__global__ void step(const double* u, double* v, int nx, int ny) {
  int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
  v[AT(x, y)] = u[AT(x + 1, y)] + u[AT(x, y - 1)];
}
)");
  EXPECT_EQ(kernel.find_argument("u")->shape.at(0).text(), "ny * nx");
  EXPECT_EQ(kernel.find_argument("v")->shape.at(0).text(), "ny * nx");
  EXPECT_EQ(kernel.find_argument("v")->role, Role::inout);  // the border keeps what was there
}

TEST_F(Init, TakesStructuresOfOneTypeAsNumbers) {
  const KernelTemplate kernel = loaded(R"(
struct Body { float x, y, z; float mass; };
typedef struct { double re, im; } complex_t;
__global__ void k(const Body* bodies, complex_t* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  for (int j = 0; j < n; ++j) sum += bodies[j].mass * (bodies[i].x - bodies[j].x);
  out[i].re = sum;
  out[i].im = 0;
}
)");
  EXPECT_EQ(kernel.find_argument("bodies")->shape.at(0).text(), "n * 4");
  EXPECT_EQ(kernel.find_argument("out")->shape.at(0).text(), "n * 2");
  EXPECT_EQ(kernel.find_argument("out")->type, ElementType::f64);
  EXPECT_EQ(search::to_text(kernel.sizes), "n=16384");  // each with each
}

TEST_F(Init, CountsTheTilesThatALoopGoesOver) {
  for (const char* loop : {"for (int t = 0; t < (K + TILE - 1) / TILE; ++t)", "for (int t = 0; t < K / TILE; ++t)",
                           "for (int t = 0; t < ceil(K / (float)TILE); ++t)",
                           "const int tiles = (K - 1) / TILE + 1;\n for (int t = 0; t < tiles; ++t)"}) {
    const KernelTemplate kernel = loaded(std::string(R"(
#ifndef TILE
#define TILE 16
#endif
__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[TILE][TILE], Bs[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  )") + loop + R"( {
    As[threadIdx.y][threadIdx.x] = row < M && t * TILE + threadIdx.x < K ? A[row * K + t * TILE + threadIdx.x] : 0;
    Bs[threadIdx.y][threadIdx.x] = col < N && t * TILE + threadIdx.y < K ? B[(t * TILE + threadIdx.y) * N + col] : 0;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}
)");
    EXPECT_EQ(kernel.find_argument("A")->shape.at(0).text(), "M * K") << loop;
    EXPECT_EQ(kernel.find_argument("B")->shape.at(0).text(), "K * N") << loop;
    EXPECT_EQ(kernel.find_argument("C")->shape.at(0).text(), "M * N") << loop;
  }
}

TEST_F(Init, KeepsZerosAtABorderOfARadius) {
  const auto stencil = [&](const std::string& inside) {
    return loaded(R"(
#define RADIUS 3
__global__ void stencil(const float* in, float* out, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int i = y * nx + x;
)" + inside + "}\n");
  };
  const std::string sum =
      "out[i] = in[i] + in[i - RADIUS] + in[i + RADIUS] + in[i - RADIUS * nx] + in[i + RADIUS * nx];";
  const std::vector<std::string> kernels = {
      "if (x < RADIUS || y < RADIUS || x >= nx - RADIUS || y >= ny - RADIUS) return;\n" + sum,
      "if (x >= RADIUS && x < nx - RADIUS && y >= RADIUS && y < ny - RADIUS) " + sum,
      "if (x == 0 || y == 0 || x >= nx - 1 || y >= ny - 1) return;\nout[i] = in[i - 1] + in[i + nx];",
      "if (x < nx) for (int k = 1; k < ny - 1; ++k) out[k * nx + x] = in[(k - 1) * nx + x];",
      "if (x <= 0 || y <= 0 || x >= nx - 1 || y >= ny - 1) return;\nout[i] = in[i - 1] + in[i + nx];"};
  for (const std::string& inside : kernels) {
    const Argument out = *stencil(inside).find_argument("out");
    EXPECT_EQ(out.role, Role::inout) << inside;
    EXPECT_EQ(out.fill.a, 0) << inside;
    EXPECT_EQ(out.shape.at(0).text(), "ny * nx") << inside;
  }
  EXPECT_EQ(stencil("if (x >= nx || y >= ny) return;\nout[i] = in[i];").find_argument("out")->role, Role::output);
}

TEST_F(Init, FollowsBlocksThroughVariablesThatBlockDimIsMultipliedWith) {
  const KernelTemplate kernel = loaded(R"(
__global__ void k(const float* a, float* b, int n, int m) {
  int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  int c = bx * blockDim.x + tx, r = by * blockDim.y + ty;
  if (r < m && c < n) b[r * n + c] = a[r * n + c];
}
)");
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(n, BLOCK_X)");
  EXPECT_EQ(grid(kernel.launches.at(0), 1), "ceildiv(m, BLOCK_Y)");
}

TEST_F(Init, LeavesHalosOfNeighbouringBlocksOutOfTheGrid) {
  const KernelTemplate kernel = loaded(R"(
#define TILE 128
#define MASK_WIDTH 5
__constant__ float mask[MASK_WIDTH];
__global__ void convolve(const float* x, float* y, int width) {
  __shared__ float tile[TILE + MASK_WIDTH - 1];
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = MASK_WIDTH / 2;
  int halo_left = (blockIdx.x - 1) * blockDim.x + threadIdx.x;
  if (threadIdx.x >= blockDim.x - n) tile[threadIdx.x - (blockDim.x - n)] = halo_left < 0 ? 0 : x[halo_left];
  tile[n + threadIdx.x] = i < width ? x[i] : 0;
  int halo_right = (blockIdx.x + 1) * blockDim.x + threadIdx.x;
  if (threadIdx.x < n) tile[n + blockDim.x + threadIdx.x] = halo_right >= width ? 0 : x[halo_right];
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < MASK_WIDTH; ++j) sum += tile[threadIdx.x + j] * mask[j];
  if (i < width) y[i] = sum;
}
)");
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(width, TILE)");
  EXPECT_EQ(kernel.find_argument("y")->shape.at(0).text(), "width");
}

TEST_F(Init, SeesWhatIsWrittenByTwoIndices) {
  const KernelTemplate kernel = loaded(R"(
#define N 512
__global__ void copy(const double (*a)[N], double (*b)[N]) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N && j < N) b[i][j] = a[i][j];
}
)");
  EXPECT_EQ(kernel.find_argument("a")->role, Role::input);
  EXPECT_EQ(kernel.find_argument("b")->role, Role::output);
}

TEST_F(Init, KeepsABorderThatIndicesBeginBehind) {
  const KernelTemplate kernel = loaded(R"(
#define N 512
__global__ void jacobi(const double (*a)[N], double (*b)[N]) {
  int i = blockIdx.y * blockDim.y + threadIdx.y + 1, j = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (i < N - 1 && j < N - 1) b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
}
)");
  EXPECT_EQ(kernel.find_argument("b")->role, Role::inout);
}

TEST_F(Init, TakesTheScalarThatTheBodyDoesNotAskForTheRows) {
  const KernelTemplate kernel = loaded(R"(
__global__ void product(const float* A, const float* x, float* y, int m, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; ++j) sum += A[row * n + j] * x[j];
  y[row] = sum;
}
)");
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(m, BLOCK_SIZE)");
  EXPECT_THAT(kernel.constraints, ElementsAre("m % BLOCK_SIZE == 0"));
}

TEST_F(Init, MakesBuffersLongerByAnOffset) {
  const auto described = [&](const std::string& body) {
    return describe(
        "#define BLOCK 128\n__global__ void k(const float* x, float* y, int offset, int n) {\n"
        "  int i = blockIdx.x * BLOCK + threadIdx.x;\n" +
        body + "\n}\n");
  };
  for (const char* body : {"if (i < n) y[i + offset] = x[i];", "if (i < n) { int j = offset + i; y[j] = x[i]; }",
                           "float* to = y + offset; if (i < n) to[i] = x[i];"}) {
    const draft::InitResult result = described(body);
    EXPECT_THAT(result.guesses, Contains(HasSubstr("[sizes] offset: 1 is a guess"))) << body;
    const KernelTemplate kernel = parse_manifest(result.text, folder_.path() / "template.toml");
    EXPECT_EQ(search::to_text(kernel.sizes), "n=4194304,offset=1") << body;
    EXPECT_EQ(kernel.find_argument("x")->shape.at(0).text(), "n") << body;
    EXPECT_EQ(kernel.find_argument("y")->shape.at(0).text(), "n + offset") << body;
    EXPECT_EQ(kernel.find_argument("y")->role, Role::inout) << body;  // the first elements keep what was there
  }
  const KernelTemplate rows = loaded(
      "__global__ void k(float* y, int first, int rows, int cols) {\n"
      "  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;\n"
      "  if (r < rows && c < cols) y[first + r * cols + c] = 1;\n}\n");
  EXPECT_EQ(rows.find_argument("y")->shape.at(0).text(), "rows * cols + first");
  for (const char* body : {"if (i < n && i + offset < n) y[i] = x[i + offset];", "if (i < n) y[i] = x[i * offset];"})
    EXPECT_THAT(described(body).guesses, Not(Contains(HasSubstr("[sizes] offset")))) << body;
}

TEST_F(Init, TakesNeighboursForAStrideThatNothingTells) {
  const KernelTemplate kernel = loaded(
      "#define BLOCK 128\n__global__ void k(const float* x, int incx, float* y, int n) {\n"
      "  int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) y[i] = x[i * incx];\n}\n");
  EXPECT_EQ(search::to_text(kernel.sizes), "n=4194304,incx=1");
}

}  // namespace
}  // namespace warptune::tuner
