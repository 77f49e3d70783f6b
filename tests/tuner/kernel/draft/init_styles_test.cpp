// `warptune init`: styles of programs that people brought, each of which it once misread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/draft/init_fixture.h"
#include "tuner/kernel/source/compile_requests.h"

namespace warptune::tuner {
namespace {

constexpr char add_one[] = R"(
__global__ void add_one(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}
)";

TEST_F(Init, ReadsTheGridFromTheBlocksOwnMembers) {
  const KernelTemplate kernel = loaded(R"(
__global__ void invert(unsigned char* image, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) image[y * w + x] = 255 - image[y * w + x];
}
int main() {
  int width = 640, height = 480;
  unsigned char* d_image;
  cudaMalloc(&d_image, width * height);
  dim3 block(16, 8);
  dim3 grid;
  grid.x = (width + block.x - 1) / block.x;
  grid.y = (height + block.y - 1) / block.y;
  invert<<<grid, block>>>(d_image, width, height);
}
)");
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(width, BLOCK_X)");
  EXPECT_EQ(grid(kernel.launches.at(0), 1), "ceildiv(height, BLOCK_Y)");
  EXPECT_EQ(search::to_text(kernel.default_values), "BLOCK_X=16,BLOCK_Y=8");
}

TEST_F(Init, ReadsMinimaWithATypeOfTheirOwn) {
  const KernelTemplate kernel = loaded(R"(
__global__ void scale(float* x, size_t n) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= 2;
}
int main() {
  const size_t N = 1000000;
  float* x;
  cudaMalloc(&x, N * sizeof(float));
  int threads = 256;
  int blocks = std::min<size_t>((N + threads - 1) / threads, 1024);
  scale<<<blocks, threads>>>(x, N);
}
)");
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "min(ceildiv(N, BLOCK_SIZE), 1024)");
  EXPECT_EQ(search::to_text(kernel.sizes), "N=1000000");
}

TEST_F(Init, LetsDynamicSharedMemoryFollowTheThreads) {
  const std::string kernel = R"(
__global__ void sums(const float* a, float* out, int columns) {
  extern __shared__ float s[];
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += a[blockIdx.x * columns + c];
  s[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) { for (int i = 1; i < blockDim.x; ++i) sum += s[i]; out[blockIdx.x] = sum; }
}
int main() {
  int rows = 512, columns = 300;
  float *a, *out;
  cudaMalloc(&a, rows * columns * sizeof(float));
  cudaMalloc(&out, rows * sizeof(float));
  sums<<<rows, 128, )";
  const std::string end = ">>>(a, out, columns);\n}\n";
  EXPECT_EQ(loaded(kernel + "128 * sizeof(float)" + end).launches.at(0).shared_bytes.text(), "BLOCK_SIZE * 4");
  // Whether 512 has to do with the 128 is not for `init` to know.
  EXPECT_THAT(describe(kernel + "512" + end).guesses,
              Contains(HasSubstr("shared stays 512 bytes for every BLOCK_SIZE, as line 15 says it")));
}

TEST_F(Init, TakesConstantsThatSayTheBlockForParameters) {
  const KernelTemplate kernel = loaded(R"(
constexpr int TX = 32;
static const int Q = 8;
__global__ void copy(const double* u, double* v, long long nx, long long ny) {
  const long long x = (long long)blockIdx.x * TX + threadIdx.x, y = (long long)blockIdx.y * Q + threadIdx.y;
  if (x < nx && y < ny) v[y * nx + x] = u[y * nx + x];
}
)");
  EXPECT_THAT(names(kernel.parameters), ElementsAre("TX", "Q"));
  EXPECT_EQ(block(kernel.launches.at(0), 0), "TX");
  EXPECT_EQ(block(kernel.launches.at(0), 1), "Q");
  EXPECT_EQ(grid(kernel.launches.at(0), 1), "ceildiv(ny, Q)");
}

TEST_F(Init, LeavesTheLengthOfARowAlone) {
  const draft::InitResult result = describe(R"(
constexpr int WIDE = 96;
__global__ void rows(float* x) { x[blockIdx.x * WIDE + threadIdx.x] += 1; }
)");
  EXPECT_THAT(result.text, Not(HasSubstr("\n[parameters.WIDE]")));
  EXPECT_THAT(result.text, Not(HasSubstr("\nTODO = ")));  // a blank is no size
}

TEST_F(Init, TunesTheWarpsOfABlockButNotTheWarp) {
  const KernelTemplate kernel = loaded(R"(
#define WARP_SIZE 32
#define WARPS 4
__global__ void rows(const float* a, float* out, int rows, int columns) {
  int warp = threadIdx.x / WARP_SIZE, row = blockIdx.x * WARPS + warp;
  if (row >= rows) return;
  float sum = 0;
  for (int c = threadIdx.x % WARP_SIZE; c < columns; c += WARP_SIZE) sum += a[row * columns + c];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffff, sum, o);
  if (threadIdx.x % WARP_SIZE == 0) out[row] = sum;
}
void launch(const float* a, float* out, int rows, int columns) {
  rows<<<(rows + WARPS - 1) / WARPS, WARPS * WARP_SIZE>>>(a, out, rows, columns);
}
)");
  EXPECT_THAT(names(kernel.parameters), ElementsAre("WARPS"));
  EXPECT_EQ(block(kernel.launches.at(0), 0), "WARPS * 32");
}

TEST_F(Init, TakesABlockThatOnlyALaunchElsewhereUses) {
  const KernelTemplate kernel = loaded(std::string("#define THREADS 128\n") + add_one);
  EXPECT_EQ(search::to_text(kernel.default_values), "THREADS=128");
  EXPECT_EQ(block(kernel.launches.at(0), 0), "THREADS");
}

TEST_F(Init, NamesKernelsAndConstantsWithTheirNamespaces) {
  const std::string source = R"(
namespace image { namespace detail {
__constant__ float gain[2];
__global__ void brighten(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * gain[0] + gain[1];
}
}  // namespace detail
namespace { int unrelated; }
void run(float* x, int n) { detail::brighten<<<(n + 255) / 256, 256>>>(x, n); }
}
)";
  for (const char* chosen : {"", "brighten", "image::detail::brighten"}) {
    const KernelTemplate kernel = loaded(source, chosen);
    EXPECT_EQ(kernel.name, "brighten");
    EXPECT_EQ(kernel.launches.at(0).kernel, "image::detail::brighten");
    EXPECT_EQ(kernel.find_argument("gain")->symbol, "image::detail::gain");
  }
}

TEST_F(Init, LeavesConstantsAsTheSourceFillsThem) {
  const KernelTemplate kernel = loaded(R"(
__constant__ float weights[3] = {0.25f, 0.5f, 0.25f};
__global__ void smooth(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = weights[0] * in[i];
}
)");
  EXPECT_EQ(kernel.find_argument("weights"), nullptr);
}

TEST_F(Init, TakesTheTypeOfATemplateFromWhatIsPassed) {
  const std::string kernel = R"(
template <typename T>
__global__ void axpy(T a, const T* __restrict__ x, T* __restrict__ y, std::int64_t n) {
  std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
)";
  const KernelTemplate deduced = loaded(kernel + R"(
int main() {
  const int n = 1000;
  double *x, *y;
  cudaMalloc(&x, n * sizeof(double));
  cudaMalloc(&y, n * sizeof(double));
  axpy<<<(n + 255) / 256, 256>>>(2.0, x, y, n);
}
)");
  EXPECT_EQ(deduced.launches.at(0).kernel, "axpy<double>");
  EXPECT_EQ(deduced.find_argument("n")->type, ElementType::i64);
  const KernelTemplate instantiated = loaded(kernel + R"(
template <typename Real>
void run(const Real* x, Real* y, std::int64_t n) {
  axpy<Real><<<(n + 255) / 256, 256>>>(Real(2), x, y, n);
}
template void run<double>(const double*, double*, std::int64_t);
)");
  EXPECT_EQ(instantiated.launches.at(0).kernel, "axpy<double>");
  EXPECT_EQ(instantiated.find_argument("x")->type, ElementType::f64);
}

TEST_F(Init, MultipliesTheExtentsOfParametersThatAreArrays) {
  for (const char* written : {"A[N][N]", "A[][N]", "(*A)[N]"}) {
    const KernelTemplate kernel = loaded(std::string(R"(
#define N 512
__global__ void product(const float )") + written +
                                         R"(, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < N; j++) sum += A[i][j] * x[j];
  y[i] = sum;
}
)");
    EXPECT_EQ(kernel.find_argument("A")->shape.at(0).text(), "N * N") << written;
  }
}

TEST_F(Init, LeavesAFunctionThatIsPassedBlankUnderItsName) {
  EXPECT_THAT(describe("__global__ void k(float* x, float (*f)(float)) { x[threadIdx.x] = f(1); }").blanks,
              Contains(HasSubstr("arguments.f: float(float)* is no buffer of numbers of one type")));
}

TEST_F(Init, CountsElementsWhereIndicesRunBackwardsOrAroundAMiddle) {
  const KernelTemplate kernel = loaded(R"(
template <int R>
__global__ void filter(const float* in, const float* taps, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int j = -R; j <= R; ++j) if (i + j >= 0 && i + j < n) sum += in[i + j] * taps[j + R];
  out[n - 1 - i] = sum;
}
void run(const float* in, const float* taps, float* out, int n) {
  filter<3><<<(n + 255) / 256, 256>>>(in, taps, out, n);
}
)");
  EXPECT_EQ(kernel.find_argument("taps")->shape.at(0).text(), "7");
  EXPECT_EQ(kernel.find_argument("out")->shape.at(0).text(), "n");
  EXPECT_EQ(kernel.find_argument("in")->shape.at(0).text(), "n");
}

TEST_F(Init, CountsElementsOfThreadsThatTakeSeveralEach) {
  const KernelTemplate kernel = loaded(R"(
#define TPB 64
#define VPT 2
__global__ void twice(float* x, int n) {
  int i = (blockIdx.x * TPB + threadIdx.x) * VPT;
  for (int k = 0; k < VPT; ++k) if (i + k < n) x[i + k] *= 2;
}
)");
  EXPECT_EQ(kernel.find_argument("x")->shape.at(0).text(), "n");
}

TEST_F(Init, GivesAMatrixBothExtentsWhereTheGridSaysItsWidth) {
  const KernelTemplate kernel = loaded(R"(
#define TILE_DIM 32
__global__ void copy(float* out, const float* in) {
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
  int width = gridDim.x * TILE_DIM;
  out[y * width + x] = in[y * width + x];
}
)");
  EXPECT_EQ(kernel.find_argument("in")->shape.at(0).text(), "elements_y * elements_x");
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(elements_x, TILE_DIM)");
}

TEST_F(Init, CountsTheNumbersOfStructuresOfVectors) {
  const KernelTemplate kernel = loaded(R"(
struct Particle { float3 position, velocity; float mass; };
__global__ void move(Particle* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i].position.x += p[i].velocity.x;
}
)");
  EXPECT_EQ(kernel.find_argument("p")->shape.at(0).text(), "n * 7");
  EXPECT_EQ(kernel.find_argument("p")->role, Role::inout);
  // A float4 begins at a multiple of 16 bytes: there is a gap before it.
  EXPECT_THAT(describe("struct S { float m; float4 v; };\n__global__ void k(S* s) { s[threadIdx.x].m = 1; }").blanks,
              Contains(HasSubstr("arguments.s: S* is no buffer of numbers of one type")));
}

TEST_F(Init, KeepsANumberOfATemplateOutOfTheSizes) {
  const KernelTemplate kernel = loaded(R"(
template <int DEPTH>
__global__ void k(float* x, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * DEPTH;
  for (int d = 0; d < DEPTH; ++d) if (i + d < n) x[i + d] += 1;
}
void run(float* x, int n) {
  constexpr int depth = 3;
  k<depth><<<(n + 256 * depth - 1) / (256 * depth), 256>>>(x, n);
}
)");
  EXPECT_EQ(kernel.launches.at(0).kernel, "k<3>");
  for (const auto& [name, value] : kernel.sizes) EXPECT_EQ(name, "n");
}

TEST_F(Init, ReadsAFileWithAByteOrderMarkAndCompilesItWithoutOne) {
  const KernelTemplate kernel = loaded("\xEF\xBB\xBF#include <stdio.h>\r\n" + std::string(add_one));
  EXPECT_THAT(names(kernel.parameters), ElementsAre("BLOCK_SIZE"));
  const CompileRequest request = compile_request(kernel, "host", kernel.default_values, {});
  EXPECT_EQ(request.source.find("\xEF\xBB\xBF"), std::string::npos);
}

TEST_F(Init, LeavesOutHostFunctionsThatHoldAConstexprVariable) {
  const KernelTemplate kernel = loaded(std::string(add_one) + R"(
template <typename T>
cudaError_t run(T* x, int n) {
  constexpr int threads = 256;
  add_one<<<(n + threads - 1) / threads, threads>>>(x, n);
  return cudaGetLastError();
}
template cudaError_t run<float>(float*, int);
)");
  EXPECT_TRUE(kernel.whole_program);
  const std::string source = compile_request(kernel, "host", kernel.default_values, {}).source;
  EXPECT_EQ(source.find("cudaError_t"), std::string::npos) << source;
  EXPECT_THAT(source, HasSubstr("add_one"));
}

TEST_F(Init, TakesAMacroThatOnlyAPragmaUses) {
  const std::string unrolled =
      "#ifndef UNROLL\n#define UNROLL 4\n#endif\n__global__ void k(float* x, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n#pragma unroll UNROLL\n"
      "  for (int j = 0; j < 8; ++j) if (i < n) x[i] += j;\n}\n";
  EXPECT_THAT(names(loaded(unrolled).parameters), Contains("UNROLL"));
  const std::string other =
      "__global__ void other(float* x, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }\n";
  EXPECT_THAT(names(loaded(unrolled + other, "other").parameters), Not(Contains("UNROLL")));
}

TEST_F(Init, FollowsNamesOfTypes) {
  const auto type_of_x = [&](const std::string& alias) {
    const KernelTemplate kernel =
        loaded(alias +
               "\n__global__ void k(const value_t* x, value_t* y, int n) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i];\n}\n");
    EXPECT_EQ(kernel.find_argument("y")->role, Role::output) << alias;
    return kernel.find_argument("x")->type;
  };
  EXPECT_EQ(type_of_x("typedef unsigned char value_t;"), ElementType::u8);
  EXPECT_EQ(type_of_x("using value_t = double;"), ElementType::f64);
  EXPECT_EQ(type_of_x("#define value_t float"), ElementType::f32);
  const std::string chosen = "#ifdef DOUBLE\ntypedef double value_t;\n#else\ntypedef float value_t;\n#endif\n";
  EXPECT_EQ(type_of_x(chosen), ElementType::f32);
}

TEST_F(Init, FollowsNamesOfTypesThatALaunchAndAnAllocationName) {
  const KernelTemplate kernel = loaded(R"(
using real = double;
template <typename T>
__global__ void scale(T* x, T f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= f;
}
int main() {
  int n = 1000;
  real* x;
  cudaMalloc(&x, n * sizeof(real));
  scale<real><<<(n + 255) / 256, 256>>>(x, real(2), n);
}
)");
  EXPECT_EQ(kernel.launches.at(0).kernel, "scale<double>");
  EXPECT_EQ(kernel.find_argument("x")->type, ElementType::f64);
  EXPECT_EQ(kernel.find_argument("x")->shape.at(0).text(), "n");
}

TEST_F(Init, GivesKernelsTheShortTypesThatNvccKnows) {
  const KernelTemplate kernel = loaded(
      "__global__ void k(uint* x, uint n) { uint i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }\n");
  EXPECT_THAT(compile_request(kernel, "host", kernel.default_values, {}).source, HasSubstr("unsigned int uint;"));
}

TEST_F(Init, WritesNegativeNumbersOfTheHostAsTheyAre) {
  const std::string text = describe(R"(
__global__ void fill(float* x, float a, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) x[i] = a; }
int main() { int n = 64; float* x; cudaMalloc(&x, n * 4); fill<<<1, 64>>>(x, -2.5f, n); }
)")
                               .text;
  EXPECT_THAT(text, HasSubstr("-2.5"));
  EXPECT_THAT(text, Not(HasSubstr("(-2.5")));
}

}  // namespace
}  // namespace warptune::tuner
