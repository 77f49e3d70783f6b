// `warptune init`: indices and pointers that walk, pointers of pointers, and buffers that a device function is handed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/draft/init_fixture.h"

namespace warptune::tuner {
namespace {

constexpr char begin_of_kernel[] = R"(
__global__ void k(const float* x, float* y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
)";

std::string shape_of(const KernelTemplate& kernel, const std::string& argument) {
  return kernel.find_argument(argument)->shape.at(0).text();
}

TEST_F(Init, CountsTheOffsetOfPointersThatAKernelMoves) {
  const KernelTemplate kernel = loaded(R"(
#define TILE 256
__global__ void shift(float* d_dst, const float* d_src) {
  d_src += blockIdx.x * TILE + threadIdx.x;
  d_dst += blockIdx.x * TILE + threadIdx.x;
  d_dst[0] = 2 * d_src[0];
}
void run(float* d_dst, const float* d_src, int n) { shift<<<(n + TILE - 1) / TILE, TILE>>>(d_dst, d_src); }
)");
  EXPECT_EQ(shape_of(kernel, "dst"), "n");
  EXPECT_EQ(shape_of(kernel, "src"), "n");
  EXPECT_EQ(kernel.find_argument("dst")->role, Role::output);
  EXPECT_EQ(kernel.find_argument("src")->role, Role::input);
  EXPECT_THAT(describe(std::string(begin_of_kernel) + "x += i; y += i; if (i < n) *y = *x;\n}\n").text,
              HasSubstr("shape = [\"n\"]\nrole = \"output\""));
}

TEST_F(Init, CountsTheStepsOfAnIndexThatWalksInALoop) {
  for (const char* loop : {"for (int k = 0; k < m; ++k) { y[c] = x[c]; c += n; }",
                           "for (int k = 0; k < m; k += 2) { y[c] = x[c]; c += 2 * n; }",
                           "for (int k = 0; k < m; ++k, c += n) y[c] = x[c];",
                           "for (int k = 0; k < m; k++) { int at = c + 0 * k; y[at] = x[at]; c = c + n; }",
                           "x += c; y += c; for (int k = 0; k < m; k++) { *y = *x; x += n; y += n; }"}) {
    const KernelTemplate kernel =
        loaded(std::string(begin_of_kernel) + "  if (i >= n) return;\n  int c = i;\n  " + loop + "\n}\n");
    EXPECT_EQ(shape_of(kernel, "x"), "m * n") << loop;
    EXPECT_EQ(shape_of(kernel, "y"), "m * n") << loop;
  }
}

TEST_F(Init, LeavesALengthBlankWhereAnIndexWalksNobodyKnowsHowFar) {
  for (const char* loop :
       {"while (x[c] > 0) { y[c] = x[c]; c += n; }", "for (int k = 0; k < m; k += 3) { y[c] = x[c]; c += n; }",
        "for (int k = 0; k < m; k++) for (int j = 0; j < m; j++) { y[c] = x[c]; c += n; }",
        "for (int k = 0; k < m; k++) { int at = c + 1; y[at + 1] = x[at + 1]; c += k; }",
        "while (x[i] > 0) { y[i] = x[i]; x += n; y += n; }"})
    EXPECT_THAT(describe(std::string(begin_of_kernel) + "  if (i >= n) return;\n  y[i] = x[i];\n  int c = i;\n  " +
                         loop + "\n}\n")
                    .blanks,
                ElementsAre(HasSubstr("arguments.x.shape"), HasSubstr("arguments.y.shape")))
        << loop;
}

TEST_F(Init, KeepsTheLengthOfABoundedIndexThatIsAddedTo) {
  const KernelTemplate kernel =
      loaded(std::string(begin_of_kernel) + "  while (i < n) { y[i] = x[i]; i += gridDim.x * blockDim.x; }\n}\n");
  EXPECT_EQ(shape_of(kernel, "x"), "n");
}

TEST_F(Init, LeavesTheLengthBlankOfWhatBlocksOfUnknownSizeTake) {
  EXPECT_THAT(describe(R"(
template <int TILE>
__global__ void k(const float* x, float* y, int m, int n, int k) {
  const int row = blockIdx.x;
  x += row * TILE * n;
  y += row * TILE * n;
  for (int c = 0; c < n; ++c) y[threadIdx.x * n + c] = x[threadIdx.x * n + c];
}
)")
                  .blanks,
              Contains(HasSubstr("arguments.y.shape")));
}

TEST_F(Init, SeesWhatPointersMadeOfABufferReadAndWrite) {
  const KernelTemplate kernel = loaded(R"(
struct Point { float x, y; };
__global__ void length(Point* p, float* d, float* e, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Point* q = p + i;
  if (i < n) {
    float* o = d + i;
    *o = sqrtf(q->x * q->x + q->y * q->y);
    float* u = e + i;
    (*u) += 2 * *o;
  }
}
)");
  EXPECT_EQ(kernel.find_argument("p")->role, Role::input);
  EXPECT_EQ(shape_of(kernel, "p"), "n * 2");
  EXPECT_EQ(kernel.find_argument("d")->role, Role::inout);  // written, then read
  EXPECT_EQ(kernel.find_argument("e")->role, Role::inout);
  EXPECT_EQ(shape_of(kernel, "e"), "n");
}

TEST_F(Init, FollowsBuffersIntoDeviceFunctionsOfTheSource) {
  const KernelTemplate kernel = loaded(R"(
__device__ float load(float* p, int i) { return p[i]; }
template <typename T> __device__ void store(T* p, int row, int width, T v) {
  for (int c = 0; c < width; ++c) p[row * width + c] = v;
}
__device__ void count(int* total) { atomicAdd(total, 1); }
__global__ void k(float* in, float* out, int* total, int n, int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  store(out, i, w, 2 * load(in, i));
  count(total);
}
)");
  EXPECT_EQ(kernel.find_argument("in")->role, Role::input);
  EXPECT_EQ(shape_of(kernel, "in"), "n");
  EXPECT_EQ(kernel.find_argument("out")->role, Role::output);
  EXPECT_EQ(shape_of(kernel, "out"), "n * w");
  EXPECT_EQ(kernel.find_argument("total")->role, Role::inout);
  EXPECT_EQ(shape_of(kernel, "total"), "1");
}

TEST_F(Init, TakesABufferThatAnUnknownFunctionIsHandedForReadAndWritten) {
  EXPECT_THAT(
      describe(std::string("__device__ void f(float* p);\n") + begin_of_kernel + "  if (i < n) f(y + i);\n}\n").text,
      HasSubstr("role = \"inout\""));
}

TEST_F(Init, ReadsProductsOf24Bits) {
  const KernelTemplate kernel = loaded(R"(
#define MUL(a, b) __umul24(a, b)
__global__ void fill(float* out, unsigned n) {
  unsigned i = MUL(blockDim.x, blockIdx.x) + threadIdx.x;
  for (; i < n; i += __mul24(blockDim.x, gridDim.x)) out[MUL(threadIdx.y, n) + i] = i;
}
void run(float* out, unsigned n) { fill<<<128, dim3(128, 3)>>>(out, n); }
)");
  EXPECT_EQ(shape_of(kernel, "out"), "3 * n");
}

}  // namespace
}  // namespace warptune::tuner
