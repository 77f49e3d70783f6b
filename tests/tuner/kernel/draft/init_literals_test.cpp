// `warptune init`: kernels that take whole blocks only, those whose block is a number, and small numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/draft/init_fixture.h"

namespace warptune::tuner {
namespace {

TEST_F(Init, TakesWholeBlocksOnlyWhereNoIndexIsCompared) {
  const std::string source = R"(
__global__ void add(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  z[i] = x[i] > 0 ? x[i] + y[i] : 0;
}
)";
  EXPECT_THAT(loaded(source).constraints, ElementsAre("n % BLOCK_SIZE == 0"));
  EXPECT_THAT(describe(source).guesses, Contains(AllOf(HasSubstr("add takes whole blocks only"),
                                                       HasSubstr("`n % BLOCK_SIZE == 0` leaves out other sizes"))));
}

TEST_F(Init, LeavesSizesAloneOfWhatIsToBeJudged) {
  folder_.write("k.cu",
                "__global__ void add(const float* x, float* y, int n) {\n"
                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  y[i] = x[i] + 1;\n}\n");
  const auto text = [&](bool any_size) {
    return draft::describe_source(
               {.source = folder_.path() / "k.cu", .manifest = folder_.path() / "t.toml", .any_size = any_size})
        .text;
  };
  EXPECT_THAT(text(false), HasSubstr("n % BLOCK_SIZE == 0"));
  EXPECT_THAT(text(true), Not(HasSubstr("constraints")));
}

TEST_F(Init, TakesWholeTilesOfAllSizesOfAProductWithoutBounds) {
  const KernelTemplate kernel = loaded(R"(
#define TILE 16
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < K / TILE; ++t) {
    a[threadIdx.y][threadIdx.x] = A[row * K + t * TILE + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = B[(t * TILE + threadIdx.y) * N + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
    __syncthreads();
  }
  C[row * N + col] = sum;
}
)");
  EXPECT_THAT(kernel.constraints, ElementsAre("N % TILE == 0", "M % TILE == 0", "K % TILE == 0"));
}

TEST_F(Init, AsksForNoWholeBlocksWhereTheKernelAsksForTheBound) {
  for (const char* body : {"if (i < n) y[i] = x[i];", "if (i >= n) return; y[i] = x[i];",
                           "bool inside = n > i; if (inside) y[i] = x[i];", "y[min(i, n - 1)] = x[min(i, n - 1)];",
                           "for (; i < n; i += blockDim.x * gridDim.x) y[i] = x[i];", "if (i != n) y[i] = x[i];"})
    EXPECT_THAT(describe(std::string("__global__ void copy(const int* x, int* y, int n) {\n"
                                     "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  ") +
                         body + "\n}\n")
                    .text,
                Not(HasSubstr("constraints = ")))
        << body;
}

TEST_F(Init, KeepsAProgramsSizeThatIsNoMultipleAndSaysSo) {
  const std::string source = R"(
__global__ void twice(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] *= 2;
}
int main() {
  int n = 1000;
  float* x;
  cudaMalloc(&x, n * sizeof(float));
  twice<<<(n + 255) / 256, 256>>>(x, n);
}
)";
  EXPECT_THAT(loaded(source).constraints, IsEmpty());
  EXPECT_THAT(describe(source).guesses, Contains(HasSubstr("the last block reads or writes outside the buffers")));
}

TEST_F(Init, MakesTheHostsSizeAMultipleOfTheBlock) {
  const KernelTemplate kernel = loaded(R"(
__global__ void twice(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] *= 2;
}
int main() {
  int n = 1000 * 1024;
  float* x;
  cudaMalloc(&x, n * sizeof(float));
  twice<<<n / 256, 256>>>(x, n);
}
)");
  ASSERT_THAT(kernel.constraints, ElementsAre("n % BLOCK_SIZE == 0"));
  const search::NamedValues host = kernel.presets.at("host");
  EXPECT_EQ(search::to_integer(*search::find_value(host, "n")) % 256, 0);
}

std::string launched_by_floor(const std::string& body, const std::string& grid = "n / 256") {
  return "__global__ void scale(float* x, float a, int n) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  " +
         body + "\n}\nvoid call(int n) {\n  float* x;\n  cudaMalloc(&x, n * sizeof(float));\n  scale<<<" + grid +
         ", 256>>>(x, 2.0f, n);\n}\n";
}

TEST_F(Init, RoundsUpTheHostsGridWhereTheKernelAsksForTheBound) {
  for (const char* body : {"if (i < n) x[i] *= a;", "if (i >= n) return;\n  x[i] *= a;"}) {
    const KernelTemplate kernel = loaded(launched_by_floor(body));
    EXPECT_EQ(grid(kernel.launches[0], 0), "ceildiv(n, BLOCK_SIZE)") << body;
    EXPECT_THAT(kernel.constraints, IsEmpty());
    EXPECT_THAT(describe(launched_by_floor(body)).text, HasSubstr("leaves out the last n % BLOCK_SIZE elements"));
  }
}

TEST_F(Init, TakesWholeBlocksOfAHostsGridThatItDoesNotUnderstand) {
  // Nothing says what is to be done beyond n / 256 blocks: the first element is compared, not the last.
  const std::string source = launched_by_floor("if (i != 7) x[i] *= a;");
  EXPECT_EQ(grid(loaded(source).launches[0], 0), "n // BLOCK_SIZE");
  EXPECT_THAT(loaded(source).constraints, ElementsAre("n % BLOCK_SIZE == 0"));
  EXPECT_THAT(describe(source).guesses,
              Contains(HasSubstr("another size leaves out the last n % BLOCK_SIZE elements")));
}

TEST_F(Init, LeavesTheHostsGridOfAGridStrideLoopAlone) {
  const std::string source =
      launched_by_floor("for (; i < n; i += blockDim.x * gridDim.x) x[i] *= a;", "n / (256 * 4)");
  EXPECT_THAT(loaded(source).constraints, IsEmpty());
  EXPECT_THAT(grid(loaded(source).launches[0], 0), Not(HasSubstr("ceildiv")));
}

constexpr char literal_product[] = R"(
template <typename T>
__global__ void product(const T* A, const T* B, T* C, int n) {
  __shared__ T a[16][16], b[16][17];
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  T sum = 0;
  for (int t = 0; t < (n + 15) / 16; ++t) {
    a[threadIdx.y][threadIdx.x] = row < n ? A[row * n + t * 16 + threadIdx.x] : T(0);
    b[threadIdx.y][threadIdx.x] = col < n ? B[(t * 16 + threadIdx.y) * n + col] : T(0);
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
    __syncthreads();
  }
  if (row < n && col < n) C[row * n + col] = sum;
}
)";

TEST_F(Init, SaysWhichNumbersOfATemplateBecomeAMacro) {
  const draft::InitResult result = describe(literal_product);
  EXPECT_THAT(result.text, HasSubstr(R"(block = [16, 16])"));
  EXPECT_THAT(result.blanks,
              ElementsAre(AllOf(HasSubstr("`#define TILE 16` above it, and TILE for 16 in lines 4, 5, 7, "
                                          "8, 9, 11, TILE - 1 for 15 in line 7, TILE + 1 for 17 in "
                                          "line 4"),
                                HasSubstr("`warptune init --force` again"))));
}

TEST_F(Init, DescribesAKernelWithoutBoundsWhoseBlockCoversWhatOnlyTheProgramKnows) {
  const draft::InitResult result = describe(R"(
__global__ void copy(const float* x, float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  y[i] = x[i];
}
int main(int argc, char** argv) {
  int n = 1000, width = n / argc;
  float *x, *y;
  cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4);
  copy<<<(n + width - 1) / width, 256>>>(x, y, n);
}
)");
  EXPECT_THAT(result.guesses, Contains(HasSubstr("Where that is no multiple of what a block covers (n // argc)")));
  EXPECT_THAT(result.text, Not(HasSubstr("constraints")));
}

TEST_F(Init, AsksForBuffersFromTheirFirstElementWhereTheHostPassesThemFromWithin) {
  for (const char* passed : {"d_in + RADIUS", "&d_in[RADIUS]"}) {
    const draft::InitResult result = describe(std::string(R"(
#define RADIUS 4
__global__ void stencil(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i - RADIUS] + in[i + RADIUS];
}
int main() {
  int n = 1000;
  float *d_in, *d_out;
  cudaMalloc(&d_in, (n + 2 * RADIUS) * sizeof(float)); cudaMalloc(&d_out, n * sizeof(float));
  stencil<<<(n + 255) / 256, 256>>>()") + passed +
                                              R"(, d_out, n);
}
)");
    EXPECT_THAT(result.blanks, ElementsAre(AllOf(HasSubstr("line 11 passes"), HasSubstr("d_in"),
                                                 HasSubstr("add the offset to its index"))));
  }
}

TEST_F(Init, PointsOutABoundThatTheIndexMayReach) {
  const auto guesses = [&](const std::string& bound) {
    return describe(
               "__global__ void scale(const float* x, float* y, int n) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  " +
               bound + " y[i] = 2 * x[i];\n}\n")
        .guesses;
  };
  const auto said = Contains(HasSubstr("asks i <= n: these are n + 1 elements along x"));
  EXPECT_THAT(guesses("if (i <= n)"), said);
  EXPECT_THAT(guesses("if (i > n) return;"), said);
  for (const char* right :
       {"if (i < n)", "if (i >= n) return;", "if (i <= n - 1)", "const int last = n - 1; if (i <= last)"})
    EXPECT_THAT(guesses(right), Not(said)) << right;
}

TEST_F(Init, TakesAsManyThreadsAsTheNumbersSay) {
  EXPECT_THAT(describe(R"(
__global__ void four(float* x, int n) {
  int i = blockIdx.x * 512 + threadIdx.x * 4;
  for (int j = i; j < n && j < i + 4; ++j) x[j] += 1;
}
)")
                  .text,
              AllOf(HasSubstr("grid = \"ceildiv(n, 512)\""), HasSubstr("block = 128")));
  const draft::InitResult rows = describe(R"(
__global__ void first(const float* x, float* y, int rows) {
  __shared__ float s[256];
  s[threadIdx.x] = x[blockIdx.x * rows + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = s[0] + s[255];
}
)");
  EXPECT_THAT(rows.text, HasSubstr("block = 256"));
  EXPECT_THAT(rows.guesses, Contains(HasSubstr("256 threads along x, because the shared array s has as many")));
}

TEST_F(Init, TakesNoScalarOfEightBitsForASize) {
  const std::string source = R"(
#define BLOCK_SIZE 256
__global__ void grade(const float* x, float* y, int n, unsigned char level, bool square, char mode, int8_t every) {
  int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < n) y[i] = (square ? x[i] * x[i * every] : x[i]) + level + mode;
}
)";
  const std::string guess = "\n\n# a guess: the source does not say its value\n[arguments.";
  const std::string manifest = describe(source).text;
  for (const char* name : {"level", "square", "mode", "every"}) {
    EXPECT_THAT(manifest, HasSubstr(guess + name + "]")) << name;
    EXPECT_THAT(manifest, Not(HasSubstr(std::string("\n") + name + " = "))) << name;
  }
  EXPECT_EQ(loaded(source).find_argument("level")->value->text(), "1");
  const std::string host = source + R"(
int main(int argc, char** argv) {
  unsigned char level = 3;
  char mode = argv[1][0];
  grade<<<(n + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE>>>(x, y, n, level, false, mode, 2);
}
)";
  const KernelTemplate hosted = loaded(host);
  EXPECT_EQ(hosted.find_argument("level")->value->text(), "3");
  EXPECT_EQ(hosted.find_argument("square")->value->text(), "0");
  EXPECT_EQ(hosted.find_argument("every")->value->text(), "2");
  EXPECT_THAT(describe(host).text, AllOf(HasSubstr(guess + "mode]"), Not(HasSubstr(guess + "level]"))));
}

TEST_F(Init, GivesASizeOfSixteenBitsWhatTheyHold) {
  const KernelTemplate kernel = loaded(R"(
__global__ void copy(const float* x, float* y, short n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
)");
  EXPECT_EQ(kernel.find_argument("x")->shape.at(0).text(), "n");
  EXPECT_EQ(kernel.sizes, (search::NamedValues{{"n", std::int64_t{16384}}}));
}

}  // namespace
}  // namespace warptune::tuner
