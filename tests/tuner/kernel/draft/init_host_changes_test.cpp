// `warptune init`: variables of the host that change before the launch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/draft/init_fixture.h"

namespace warptune::tuner {
namespace {

// A kernel that asks gridDim, with m beside n; the host's lines come before the launch.
std::string summed_after(const std::string& host, const std::string& grid = "40", const std::string& before = "") {
  return before + R"(
__global__ void sums(const int* x, int* y, int m, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    for (int k = 0; k < m; k++) y[i] += x[k];
}
int main() {
  int n = 4096;
  int *x, *y;
  )" + host +
         "\n  cudaMalloc(&x, m * sizeof(int));\n  sums<<<" + grid + ", 256>>>(x, y, m, n);\n}\n";
}

class InitHostChanges : public Init {};

TEST_F(InitHostChanges, AreNotMistakenForTheFirstValue) {
  for (const char* host :
       {"int m = 0; for (int y = 0; y < 9; y++) if (y % 2) m++;", "int m = 1; for (int y = 0; y < 9; y++) m *= 2;",
        "int m = 7; while (more()) --m;", "int m = 7; while (more()) m = m + 2;",
        "int m = 7; for (int y = 0; y < 9; ++y) m = 3 * y;"}) {
    const draft::InitResult result = describe(summed_after(host));
    EXPECT_THAT(result.text, HasSubstr("a guess: the host changes it before the launch")) << host;
    EXPECT_THAT(result.text, HasSubstr("shape = [\"m\"]")) << host;
    EXPECT_THAT(result.guesses, Contains(HasSubstr("[sizes] m: line 9 changes it"))) << host;
  }
}

TEST_F(InitHostChanges, ByAFunctionLeaveTheNumberBeforeAsAGuess) {
  for (const char* host : {"int m = 9; scanf(\"%d\", &m);", "int m = 9; std::cin >> m;", "int m = 9; take(m);"}) {
    const std::string take = "void take(int& value) { value = 3; twice(value); }\n";
    const draft::InitResult result = describe(summed_after(host, "40", take));
    EXPECT_THAT(result.text, HasSubstr("\nm = 9  # a guess: line 10 changes it")) << host;
  }
  const draft::InitResult result =
      describe(summed_after("int m = 9; show(&m); cudaMemcpy(x, &m, 4, cudaMemcpyHostToDevice);", "40",
                            "void show(const int* v) { printf(\"%d\", *v); }\n"));
  EXPECT_THAT(result.text, HasSubstr("\nm = 9\n"));
}

TEST_F(InitHostChanges, OfWhatOnlyTheGridHasLeaveItBlank) {
  for (const char* host : {"int m = 3, sms = 0; cudaDeviceGetAttribute(&sms, attribute, 0);",
                           "int m = 3, sms = 0; for (int d = 0; d < 2; ++d) sms += count(d);",
                           "int m = 3, sms = properties.multiProcessorCount;"}) {
    const draft::InitResult result = describe(summed_after(host, "8 * sms"));
    EXPECT_THAT(result.blanks, Contains(HasSubstr("launches: the grid of sums"))) << host;
    EXPECT_THAT(result.text, Not(HasSubstr("\nsms = "))) << host;
  }
}

TEST_F(InitHostChanges, ByAnotherFunctionCountForVariablesOfTheFile) {
  const std::string before = "int sms = 2;\nvoid ask() { sms = how_many(); }\n";
  EXPECT_THAT(describe(summed_after("int m = 3; ask();", "8 * sms", before)).blanks,
              Contains(HasSubstr("launches: the grid of sums")));
  const std::string read = "int sms = 2;\nvoid ask() { int old = sms; sms = how_many(old); }\n";
  EXPECT_THAT(describe(summed_after("int m = 3; ask();", "8 * sms", read)).blanks,
              Contains(HasSubstr("launches: the grid of sums")));
  const std::string other = "int sms = 2;\nvoid ask() { int old = 1, sms = how_many(); use(sms); }\n";
  EXPECT_THAT(describe(summed_after("int m = 3; ask();", "8 * sms", other)).blanks, IsEmpty());
}

TEST_F(InitHostChanges, ByAHeadersFunctionCountForItsVariables) {
  folder_.write("common.h", "int sms = 0;\nvoid ask(cudaDeviceProp p) { sms = p.multiProcessorCount; }\n");
  EXPECT_THAT(describe(summed_after("int m = 3;", "8 * sms", "#include \"common.h\"\n")).blanks,
              Contains(HasSubstr("launches: the grid of sums")));
  folder_.write("common.h", "int sms = 2;\nvoid use() { print(sms); }\n");
  EXPECT_THAT(describe(summed_after("int m = 3;", "8 * sms", "#include \"common.h\"\n")).blanks, IsEmpty());
}

TEST_F(InitHostChanges, LeaveWhatWasMadeOfTheVariableBefore) {
  const draft::InitResult result = describe(R"(
__global__ void scale(long n, float* a) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 2 * a[i]; }
__global__ void halve(long n, float* a) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = a[i] / 2; }
int main() {
  long n = 100000;
  float* a;
  cudaMalloc(&a, n * sizeof(float));
  dim3 threads, blocks, blocks2;
  threads.x = 512;
  int blocks_x = n / threads.x;
  if (n % threads.x != 0) blocks_x = blocks_x + 1;
  blocks.x = blocks_x;
  scale<<<blocks, threads>>>(n, a);
  blocks2.x = blocks.x;
  while (blocks2.x > 1) {
    blocks_x = blocks2.x / threads.x;
    if (blocks2.x % threads.x != 0) blocks_x = blocks_x + 1;
    blocks2.x = blocks_x;
  }
  halve<<<blocks, threads>>>(n, a);
}
)");
  const KernelTemplate kernel = parse_manifest(result.text, folder_.path() / "template.toml");
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(n, BLOCK_SIZE)");
  EXPECT_EQ(grid(kernel.launches.at(1), 0), "ceildiv(n, BLOCK_SIZE)");
  EXPECT_EQ(search::to_text(kernel.sizes), "n=100000");
}

TEST_F(InitHostChanges, OfALoopsCounterCountBehindTheLoopOnly) {
  const draft::InitResult result = describe(R"(
__global__ void diag(float* m, int n, int i) { if (threadIdx.x < blockDim.x) m[i + threadIdx.x] *= 2; }
__global__ void rest(float* m, int n, int i) { int k = blockIdx.x * blockDim.x + threadIdx.x; if (k < n) m[k] += 1; }
int main() {
  int n = 4096, i; float* m;
  cudaMalloc(&m, n * 4);
  for (i = 0; i < n - 64; i += 64) { diag<<<1, 64>>>(m, n, i); rest<<<n / 64, 64>>>(m, n, i); }
  diag<<<1, 64>>>(m, n, i);
}
)");
  EXPECT_THAT(result.guesses, Contains(HasSubstr("line 8 launches diag again, behind the loop of line 7")));
  EXPECT_THAT(result.text, Not(HasSubstr("\ni = ")));
}

TEST_F(InitHostChanges, OfADimensionByACallTakeThePlaceOfTheFirstValue) {
  const draft::InitResult result = describe(summed_after(
      "int m = 3; dim3 block(256, 1); dim3 grid(1, 1); grid.x = (unsigned int)(ceil((float)n / ((float)block.x)));",
      "grid"));
  EXPECT_THAT(result.text, HasSubstr("\"ceildiv(n, BLOCK_SIZE)\""));
}

}  // namespace
}  // namespace warptune::tuner
