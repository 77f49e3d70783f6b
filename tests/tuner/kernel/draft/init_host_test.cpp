// `warptune init`: blocks and dynamic shared memory that the host's variables and macros say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/draft/init_fixture.h"

namespace warptune::tuner {
namespace {

// A launch with SHARED bytes after the host's lines.
class InitHostShared : public Init {
 protected:
  static std::string flat(const std::string& host, const std::string& before = "") {
    return before + R"(
__global__ void sums(const float* in, float* out, int n) {
  extern __shared__ float s[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < blockDim.x; ++j) sum += s[j];
  if (i < n) out[i] = sum;
}
int main() {
  int n = 1 << 20;
  float *in, *out;
  dim3 block(256);
  dim3 grid((n + block.x - 1) / block.x);
  )" + host +
           R"(
  sums<<<grid, block, shmem>>>(in, out, n);
}
)";
  }
  static std::string square(const std::string& host) {
    return R"(
__global__ void stencil(const float* in, float* out, int w, int h) {
  extern __shared__ float tile[];
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int at = (threadIdx.y + 1) * (blockDim.x + 2) + threadIdx.x + 1;
  tile[at] = x < w && y < h ? in[y * w + x] : 0;
  __syncthreads();
  if (x < w && y < h) out[y * w + x] = tile[at];
}
int main() {
  int w = 1000, h = 500;
  float *in, *out;
  dim3 blockSize(32, 32);
  dim3 gridSize((w + blockSize.x - 1) / blockSize.x, (h + blockSize.y - 1) / blockSize.y);
  )" + host +
           R"(
  stencil<<<gridSize, blockSize, shmem>>>(in, out, w, h);
}
)";
  }
  std::string shared_of(const std::string& source) {
    const KernelTemplate kernel = loaded(source);
    EXPECT_EQ(search::to_text(kernel.sizes).find("shmem"), std::string::npos);
    return kernel.launches.at(0).shared_bytes.text();
  }
};

TEST_F(InitHostShared, FollowsTheBlockThroughAVariable) {
  EXPECT_EQ(shared_of(flat("size_t shmem = block.x * sizeof(float);")), "BLOCK_SIZE * 4");
  EXPECT_EQ(shared_of(flat("int threads = block.x; size_t shmem = 2 * threads * sizeof(float);")),
            "2 * BLOCK_SIZE * 4");
  EXPECT_EQ(shared_of(flat("size_t shmem = 256 * sizeof(float);")), "BLOCK_SIZE * 4");
  EXPECT_EQ(shared_of(square("size_t shmem = (blockSize.x + 2) * (blockSize.y + 2) * sizeof(float);")),
            "(BLOCK_X + 2) * (BLOCK_Y + 2) * 4");
  EXPECT_EQ(shared_of(square("size_t shmem = (32 + 2) * (32 + 2) * sizeof(float);")),
            "(BLOCK_X + 2) * (BLOCK_Y + 2) * 4");
}

TEST_F(InitHostShared, FollowsSizesThatTheKernelIsGiven) {
  EXPECT_EQ(shared_of(flat("size_t shmem = n * sizeof(float);")), "n * 4");
}

TEST_F(InitHostShared, StaysANumberThatHasNothingToDoWithTheBlock) {
  for (const char* host : {"size_t shmem = 34 * 34 * sizeof(float);", "size_t shmem = 4624;"}) {
    EXPECT_EQ(shared_of(square(host)), "4624");
    EXPECT_THAT(describe(square(host)).guesses,
                Contains(HasSubstr("shared stays 4624 bytes for every BLOCK_X and BLOCK_Y, as line 16 says it")));
  }
  EXPECT_EQ(shared_of(flat("", "#define shmem 1024\n")), "1024");
}

TEST_F(InitHostShared, IsLeftBlankWhereTheHostComputesItOtherwise) {
  for (const char* host : {"size_t shmem = bytes_for(block.x);", "size_t shmem; ask(&shmem);",
                           "size_t shmem = block.x * sizeof(float); shmem += 16;"}) {
    const draft::InitResult result = describe(flat(host));
    EXPECT_THAT(result.blanks, ElementsAre(HasSubstr("extern __shared__ memory that sums needs. `init` cannot follow "
                                                     "how line 17 computes them")));
    EXPECT_THAT(result.text, HasSubstr("shared = \"TODO\""));
    EXPECT_THAT(result.text, Not(HasSubstr("shmem")));
  }
}

std::string launched_with(const std::string& name, const std::string& grid, const std::string& bound) {
  return "#define " + name + " 16\n__global__ void copy(const float* in, float* out, int n) {\n" +
         "  int x = blockIdx.x*" + name + "+threadIdx.x, y = blockIdx.y*" + name + "+threadIdx.y;\n  " + bound +
         "out[y*n+x] = in[y*n+x];\n}\nint main() {\n  int n = 128;\n  float *in, *out;\n" +
         "  cudaMalloc(&in, n*n*sizeof(float));\n  cudaMalloc(&out, n*n*sizeof(float));\n  dim3 threads(" + name + "," +
         name + "), blocks(" + grid + "," + grid + ");\n  copy<<<blocks,threads>>>(in,out,n);\n}\n";
}

TEST_F(Init, TakesAMacroThatIsTheLaunchsBlockForAParameterWhateverItIsCalled) {
  for (const std::string name : {"K", "W", "N", "SIZE", "BS", "FOO"}) {
    const KernelTemplate kernel = loaded(launched_with(name, "(n+" + name + "-1)/" + name, "if (x < n && y < n) "));
    EXPECT_THAT(names(kernel.parameters), ElementsAre(name));
    EXPECT_EQ(block(kernel.launches.at(0), 1), name);
    EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(n, " + name + ")");
    EXPECT_THAT(names(loaded(launched_with(name, "n/" + name, "")).parameters), ElementsAre(name));
  }
}

TEST_F(Init, TakesAMacroThatIsTheBlockAndARowsLengthForASize) {
  const KernelTemplate kernel = parse_manifest(describe(R"(
#define W 64
#define TILE 8
__global__ void twice(const float* in, float* out) {
  int i = blockIdx.x * W + threadIdx.x;
  for (int t = 0; t < TILE; ++t) out[i] = 2 * in[i];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 100 * W * sizeof(float));
  cudaMalloc(&out, 100 * W * sizeof(float));
  twice<<<100, W>>>(in, out);
}
)")
                                                   .text,
                                               folder_.path() / "template.toml");
  EXPECT_THAT(names(kernel.parameters), Not(Contains("W")));
  EXPECT_THAT(search::to_text(kernel.sizes), HasSubstr("W=64"));
}

TEST_F(Init, MakesABlockThatTheHostsFunctionIsGivenAParameter) {
  const KernelTemplate kernel = loaded(R"(
__global__ void sums(const float* x, float* y, int n) {
  extern __shared__ float s[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  if (i < n) y[i] = s[threadIdx.x] + s[0];
}
void run(const float* x, float* y, int n, int threads) {
  size_t bytes = threads * sizeof(float);
  sums<<<(n + threads - 1) / threads, threads, bytes>>>(x, y, n);
}
)");
  EXPECT_THAT(names(kernel.parameters), ElementsAre("BLOCK_SIZE"));
  EXPECT_EQ(block(kernel.launches.at(0), 0), "BLOCK_SIZE");
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(n, BLOCK_SIZE)");
  EXPECT_EQ(kernel.launches.at(0).shared_bytes.text(), "BLOCK_SIZE * 4");
  EXPECT_EQ(search::to_text(kernel.sizes).find("threads"), std::string::npos);
}

TEST_F(Init, SaysThatANumberOfTheGridMayBeATemplatesParameter) {
  const auto guesses = [&](const std::string& launch, const std::string& before = "") {
    return describe(
               "template <typename T, int COARSE> __global__ void sum(const T* x, T* y, int n) {\n"
               "  int i = (blockIdx.x * blockDim.x + threadIdx.x) * COARSE;\n"
               "  for (int j = 0; j < COARSE; ++j) if (i + j < n) y[i + j] = 2 * x[i + j];\n}\n" +
               before + "int main() {\n  int n = 1000;\n  float *x, *y;\n  " + launch + "(x, y, n);\n}\n")
        .guesses;
  };
  EXPECT_THAT(guesses("sum<float, 4><<<(n + 256 * 4 - 1) / (256 * 4), 256>>>"),
              Contains(HasSubstr("the grid of sum has the number 4 in line 8, which may be COARSE_VALUE")));
  EXPECT_THAT(guesses("sum<float, 4><<<(n + 255) / 256, 256>>>"), Not(Contains(HasSubstr("has the number 4"))));
  EXPECT_THAT(guesses("sum<float, C><<<(n + 256 * C - 1) / (256 * C), 256>>>", "constexpr int C = 4;\n"),
              Not(Contains(HasSubstr("has the number 4"))));
}

}  // namespace
}  // namespace warptune::tuner
