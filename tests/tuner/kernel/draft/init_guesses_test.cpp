// `warptune init`: what it guesses is said, stays small, and passes its own checks; what it cannot guess is a blank.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/draft/init_fixture.h"

namespace warptune::tuner {
namespace {

std::string triad(const std::string& per_thread) {
  std::string source = R"(
__global__ void triad(const float* a, const float* b, float* c, float s, int n) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * NAME;
  for (int k = 0; k < NAME; ++k)
    if (first + k < n) c[first + k] = a[first + k] + s * b[first + k];
}
)";
  for (auto at = source.find("NAME"); at != std::string::npos; at = source.find("NAME"))
    source.replace(at, 4, per_thread);
  return source;
}

TEST_F(Init, AnUndefinedNumberOfElementsPerThreadIsAParameter) {
  for (const char* name : {"WORK_PER_THREAD", "WPT", "TILE", "ITEMS", "FACTOR", "Q"}) {
    const KernelTemplate kernel = loaded(triad(name));
    EXPECT_THAT(names(kernel.parameters), Contains(name));
    EXPECT_EQ(search::to_text(kernel.sizes), "n=4194304") << name;
    EXPECT_THAT(grid(kernel.launches.at(0), 0), HasSubstr(name));
  }
}

TEST_F(Init, AnotherUndefinedNameIsNoProblemSize) {
  for (const char* name : {"COUNT", "WIDTH", "num_rows"}) {
    const draft::InitResult result = describe(triad(name));
    EXPECT_THAT(result.text, Not(HasSubstr(std::string(name) + " = 4194304"))) << result.text;
    EXPECT_THAT(result.blanks, Not(IsEmpty())) << result.text;
  }
}

constexpr char columns[] = R"(
#define block_size_x 32
extern "C" __global__ void columns(int h, int w, float* image) {
  int x = threadIdx.x + blockIdx.x * block_size_x;
  if (x >= w) return;
  float sum = 0;
  for (int r = 0; r < h - 1; r += 2) sum += image[r * w + x] - image[(r + 1) * w + x];
  if (h & 1) sum += image[(h - 1) * w + x];
  for (int r = 0; r < h; ++r) image[r * w + x] -= sum / h;
}
)";

TEST_F(Init, GuessedSizesWhoseProductIsABufferStaySmall) {
  for (const std::string& source :
       {std::string(columns),
        std::string("__global__ void k(float* a, int p, int q, int r) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
                    "if (i < p * q * r) a[i] *= 2; }")}) {
    const KernelTemplate kernel = loaded(source);
    double elements = 1, on_host = 1;
    for (const auto& [name, value] : kernel.sizes) elements *= search::to_double(value);
    for (const auto& [name, value] : resolve_problem(kernel, "host", {}).sizes) on_host *= search::to_double(value);
    EXPECT_LE(elements, 1 << 26) << source;
    EXPECT_LE(on_host, 1 << 22) << source;
  }
}

TEST_F(Init, GuessedSizesOfAGridStaySmallWhereTheBuffersAreBlanks) {
  const draft::InitResult result = describe(R"(
struct Grid { int nx, ny; Grid(int a, int b) : nx(a), ny(b) {} };
__global__ void relax(Grid g, float* v) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < g.nx && y < g.ny) v[y * g.nx + x] = 0;
}
)");
  EXPECT_THAT(result.blanks, Not(IsEmpty()));
  EXPECT_THAT(result.text, Not(HasSubstr("4194304"))) << result.text;
}

TEST_F(Init, DraftsNothingThatItsOwnChecksRefuse) {
  const draft::InitResult result = describe(R"(
template <class T> class Scratch {
 public:
  __device__ inline T* get() { extern __shared__ T any[]; return any; }
};
template <class T, int threads> __global__ void partial(const T* in, T* out, int n) {
  int region = n / gridDim.x;
  int begin = blockIdx.x * region, end = begin + region;
  Scratch<T> scratch;
  T* shared = scratch.get();
  T sum = 0;
  for (int i = begin + threadIdx.x; i < end; i += threads) sum += in[i];
  shared[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = shared[0];
}
)");
  EXPECT_THAT(result.blanks, Not(IsEmpty())) << result.text;
  EXPECT_THAT(result.text, AllOf(HasSubstr("# TODO: "), Not(HasSubstr("\nregion = "))));
}

constexpr char domain[] = R"(
struct Domain {
  int nx, ny;
  __host__ __device__ int index(int x, int y) const { return y * nx + x; }
  __host__ __device__ size_t cells() const { return size_t(nx) * ny; }
  __host__ __device__ bool inside(int x, int y) const { return x < nx && y < ny; }
};
#define B 16
inline int div_up(int a, int b) { return (a + b - 1) / b; }
)";

TEST_F(Init, ReadsAStructuresFunctionsThatReturnAnExpression) {
  const KernelTemplate kernel = loaded(std::string(domain) + R"(
__global__ void scale(int nx, int ny, const float* a, float* b) {
  const Domain d = {nx, ny};
  int x = blockIdx.x * B + threadIdx.x, y = blockIdx.y * B + threadIdx.y;
  if (d.inside(x, y)) b[d.index(x, y)] = 2 * a[d.index(x, y)];
}
void run(Domain d, const float* a, float* b) {
  scale<<<dim3(div_up(d.nx, B), div_up(d.ny, B)), dim3(B, B)>>>(d.nx, d.ny, a, b);
}
)");
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(nx, B)");
  EXPECT_EQ(grid(kernel.launches.at(0), 1), "ceildiv(ny, B)");
  EXPECT_THAT(kernel.find_argument("b")->shape.at(0).text(), AnyOf("ny * nx", "nx * ny"));
}

TEST_F(Init, PassesTheMembersOfAStructureWithFunctions) {
  const draft::InitResult result = describe(std::string(domain) + R"(
__global__ void scale(Domain d, const float* a, float* b) {
  int x = blockIdx.x * B + threadIdx.x, y = blockIdx.y * B + threadIdx.y;
  if (x < d.nx && y < d.ny) b[d.index(x, y)] = 2 * a[d.index(x, y)];
}
int main() {
  Domain d = {640, 480};
  float *a, *b;
  cudaMalloc(&a, d.cells() * sizeof(float));
  cudaMalloc(&b, d.cells() * sizeof(float));
  scale<<<dim3(div_up(d.nx, B), div_up(d.ny, B)), dim3(B, B)>>>(d, a, b);
}
)");
  EXPECT_THAT(result.blanks, ElementsAre(HasSubstr("`Domain d = {d_nx, d_ny};`"))) << result.text;
  EXPECT_THAT(result.text, AllOf(HasSubstr("d_nx = 640"), HasSubstr("shape = [\"d_ny * d_nx\"]"),
                                 HasSubstr(R"_(grid = ["ceildiv(d_nx, B)", "ceildiv(d_ny, B)"])_")));
}

TEST_F(Init, OffersLongRowsOfThreadsWhereABlockHasTwoAxes) {
  const KernelTemplate kernel = loaded(R"(
#define BLOCK_X 16
#define BLOCK_Y 8
__global__ void scale(const float* a, float* b, int w, int h) {
  int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (x < w && y < h) b[y * w + x] = 2 * a[y * w + x];
}
)");
  EXPECT_THAT(kernel.parameters.at(0).values,
              ElementsAre(search::Value(std::int64_t{1}), std::int64_t{2}, std::int64_t{4}, std::int64_t{8},
                          std::int64_t{16}, std::int64_t{32}, std::int64_t{64}, std::int64_t{128}, std::int64_t{256}));
  EXPECT_EQ(kernel.parameters.at(1).values.front(), search::Value(std::int64_t{1}));
  EXPECT_THAT(kernel.constraints, Contains("64 <= BLOCK_X * BLOCK_Y <= 1024"));
}

TEST_F(Init, AFlagThatGuardsAStoreIsNoParameter) {
  const std::string end = R"(
template <int BLOCK, bool STORE, bool FAST>
__global__ void scale(const float* a, float* b, float* moments, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  float v = FAST ? __fmul_rn(a[i], 2) : 2 * a[i];
  b[i] = v;
  GUARD
}
)";
  for (const char* guard : {"if (STORE) moments[i] = v * v;", "if constexpr (STORE) { moments[i] = v * v; }",
                            "if (!STORE) return; moments[i] = v * v;"}) {
    std::string source = end;
    const KernelTemplate kernel = loaded(source.replace(source.find("GUARD"), 5, guard));
    EXPECT_THAT(names(kernel.parameters), ElementsAre("BLOCK_VALUE", "FAST_VALUE")) << guard;
    EXPECT_THAT(kernel.launches.at(0).kernel, HasSubstr("true"));
  }
  std::string both = end;
  const char* either = "if (STORE) moments[i] = v * v; else moments[i] = v * v;";
  EXPECT_THAT(names(loaded(both.replace(both.find("GUARD"), 5, either)).parameters), Contains("STORE_VALUE"));
}

constexpr char mandelbrot[] = R"(
#define B 16
__global__ void mandelbrot(int* out, int w, int h, float x0, float dx, float dy, float scale) {
  int x = blockIdx.x * B + threadIdx.x, y = blockIdx.y * B + threadIdx.y;
  if (x < w && y < h) out[y * w + x] = scale * (x0 + x * dx + y * dy);
}
int main(int argc, char** argv) {
  int w = 1920, h = 1080;
  float range = 2.4f, scale = atof(argv[1]);
  int* d_out;
  cudaMalloc(&d_out, w * h * sizeof(int));
  dim3 blocks((w + B - 1) / B, (h + B - 1) / B);
  mandelbrot<<<blocks, dim3(B, B)>>>(d_out, w, h, -2.0f, 3.0f / w, range / (h / 2), scale);
}
)";

TEST_F(Init, ScalarsThatTheLaunchComputesFromSizesAreExpressions) {
  const KernelTemplate kernel = loaded(mandelbrot);
  EXPECT_EQ(kernel.find_argument("dx")->value->text(), "3.0 / w");
  EXPECT_EQ(kernel.find_argument("dy")->value->text(), "2.4 / (h // 2)");
  EXPECT_EQ(search::to_text(kernel.sizes), "w=1920,h=1080");
}

TEST_F(Init, SaysAllThatItGuessed) {
  EXPECT_THAT(describe(mandelbrot).guessed, ElementsAre("values: scale = 1.5"));
  EXPECT_THAT(describe(columns).guessed,
              ElementsAre(AllOf(HasSubstr("sizes: "), HasSubstr("w = 1024")), "data: image: uniform = [-1.0, 1.0]",
                          "tolerances: image: absolute = 1e-4, relative = 1e-4"));
}

}  // namespace
}  // namespace warptune::tuner
