// `warptune init`: what kernels write only where their data say so, and data that are true or false.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/draft/init_fixture.h"
#include "tuner/kernel/source/compile_requests.h"

namespace warptune::tuner {
namespace {

TEST_F(Init, StartsFromZeroWhatAKernelWritesOnlyWhereItsDataSaySo) {
  for (const char* body :
       {"if (i < n && active[i]) out[next[i]] = 1;", "if (i < n && active[i]) out[i] = 1;",
        "if (i >= n) return; if (!active[i]) return; out[i] = 1;", "if (i < n) { int to = next[i]; out[to] = 1; }"}) {
    const draft::InitResult result =
        describe(std::string("__global__ void mark(const bool* active, const int* next, int* out, int n) {\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  ") +
                 body + "\n}\nvoid run(bool* a, int* b, int* c, int n) {\n  cudaMalloc(&c, n * sizeof(int));\n" +
                 "  mark<<<(n + 255) / 256, 256>>>(a, b, c, n);\n}\n");
    EXPECT_THAT(result.text, HasSubstr("role = \"inout\"\nfill = { constant = 0 }")) << body;
  }
}

TEST_F(Init, TakesForOutputWhatAKernelWritesWhateverItsDataSay) {
  for (const char* body : {"if (active[i]) out[i] = 1; else out[i] = 2;", "out[i] = active[i] ? 1 : 2;",
                           "if (active[i]) { v = 3; } out[i] = v;"}) {
    const KernelTemplate kernel =
        loaded(std::string("__global__ void mark(const bool* active, int* out, int n) {\n"
                           "  int v = 0, i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n  ") +
               body + "\n}\n");
    EXPECT_EQ(kernel.find_argument("out")->role, Role::output) << body;
  }
}

TEST_F(Init, FillsTruthValuesWithZerosAndOnes) {
  EXPECT_THAT(
      describe("__global__ void pick(const bool* flag, const unsigned char* level, float* out, int n) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
               "  if (i < n) out[i] = flag[i] ? level[i] : 0;\n}\n")
          .text,
      AllOf(HasSubstr("fill = { uniform = [0, 1], seed = 1 }"), HasSubstr("fill = { uniform = [0, 255], seed = 2 }")));
}

TEST_F(Init, LeavesATextureReferenceBlankForTheKernelThatReadsIt) {
  const std::string source =
      "texture<float, 1> tex;\n__global__ void copy(float* out, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = tex1Dfetch(tex, i);\n}\n"
      "__global__ void twice(const float* in, float* out, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = 2 * in[i];\n}\n";
  EXPECT_THAT(describe(source, "copy").blanks,
              ElementsAre(HasSubstr("launches: copy reads the texture reference tex, which CUDA 12 has no more")));
  EXPECT_THAT(describe(source, "copy").text, HasSubstr("arguments = [\"out\", \"n\", \"TODO\"]"));
  const KernelTemplate kernel = loaded(source, "twice");
  EXPECT_THAT(compile_request(kernel, "host", kernel.default_values, kernel.default_values).source,
              AllOf(HasSubstr("void twice"), Not(HasSubstr("tex"))));
}

std::string dot_product(const std::string& blocks, const std::string& host) {
  return "#define SMALLER(p, q) ((p) < (q) ? (p) : (q))\nconst int length = 40000;\nconst int threads = 256;\n"
         "const int blocks = " +
         blocks +
         ";\n__global__ void products(const float* u, const float* v, float* sums) {\n"
         "  __shared__ float shares[threads];\n  float mine = 0;\n"
         "  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < length; at += blockDim.x * gridDim.x)\n"
         "    mine += u[at] * v[at];\n  shares[threadIdx.x] = mine;\n  __syncthreads();\n"
         "  if (threadIdx.x == 0) sums[blockIdx.x] = shares[0];\n}\n"
         "int main() {\n  float *du, *dv, *ds, sums[blocks];\n  cudaMalloc(&du, length * sizeof(float));\n"
         "  cudaMalloc(&dv, length * sizeof(float));\n  cudaMalloc(&ds, blocks * sizeof(float));\n"
         "  products<<<blocks, threads>>>(du, dv, ds);\n"
         "  cudaMemcpy(sums, ds, blocks * sizeof(float), cudaMemcpyDeviceToHost);\n  " +
         host + "\n}\n";
}

// With room for the most blocks: the rest stays 0.
TEST_F(Init, ComparesBlocksResultsThatTheHostAddsUpByTheirSum) {
  const std::string adds = "float total = 0;\n  for (float sum : sums) total += sum;";
  for (const char* blocks : {"SMALLER(32, (length + threads - 1) / threads)", "32"}) {
    const KernelTemplate kernel = loaded(dot_product(blocks, adds));
    const Argument& sums = *kernel.find_argument("ds");
    EXPECT_TRUE(sums.compares_sum) << blocks;
    EXPECT_EQ(sums.role, Role::inout);
    EXPECT_EQ(search::to_integer(sums.shape[0].evaluate(kernel.sizes)), 32);
  }
}

TEST_F(Init, LeavesBlocksResultsBlankThatTheHostDoesNotAddUp) {
  EXPECT_THAT(describe(dot_product("SMALLER(32, (length + threads - 1) / threads)", "keep(sums);")).text,
              Not(HasSubstr("compare = \"sum\"")));
}

}  // namespace
}  // namespace warptune::tuner
