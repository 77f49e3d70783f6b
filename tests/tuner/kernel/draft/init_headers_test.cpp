// `warptune init`: what a source has from headers of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tuner/kernel/draft/init_fixture.h"
#include "tuner/kernel/source/compile_requests.h"

namespace warptune::tuner {
namespace {

constexpr char with_params[] = R"(#include "params.h"
__global__ void smooth(const float* in, float* out, int n) {
  __shared__ float tile[TILE + 2 * RADIUS];
  int i = blockIdx.x * TILE + threadIdx.x;
  if (i < n) tile[threadIdx.x + RADIUS] = in[i];
  __syncthreads();
  float sum = 0;
  for (int r = -RADIUS; r <= RADIUS; ++r) sum += tile[threadIdx.x + RADIUS + r];
  if (i < n) out[i] = sum;
}
)";

TEST_F(Init, ReadsMacrosOfHeadersBesideTheSource) {
  folder_.write("params.h", "#pragma once\n#ifndef TILE\n#define TILE 64\n#endif\n#define RADIUS 2\n");
  const KernelTemplate kernel = loaded(with_params);
  EXPECT_THAT(names(kernel.parameters), ElementsAre("TILE"));
  EXPECT_EQ(search::to_text(kernel.default_values), "TILE=64");
  EXPECT_EQ(search::to_text(kernel.sizes).find("RADIUS"), std::string::npos);  // the header's definition wins
  EXPECT_EQ(block(kernel.launches[0], 0), "TILE");
  EXPECT_THAT(describe(with_params).text, AllOf(HasSubstr("default = 64  # 64 in line 3 of params.h"),
                                                Not(HasSubstr("RADIUS = 3")), HasSubstr("ceildiv(n, TILE)")));
}

TEST_F(Init, LeavesAHeadersUnguardedMacroTheConstantThatItIs) {
  folder_.write("params.h", "#define TILE 64\n#define RADIUS 2\n");
  const draft::InitResult result = describe(with_params);
  EXPECT_THAT(result.blanks,
              ElementsAre(AllOf(HasSubstr("nothing tunable was found but constants that keep their values"),
                                HasSubstr("`#ifndef TILE` / `#define TILE 64` / `#endif` for line 1 of params.h"))));
  EXPECT_THAT(result.text, AllOf(HasSubstr("grid = \"ceildiv(n, 64)\""), HasSubstr("block = 64"),
                                 Not(HasSubstr("TILE = ")), Not(HasSubstr("RADIUS = "))));
}

TEST_F(Init, ReadsHeadersOfHeadersOnceAndFromTheirOwnFolders) {
  folder_.write("common/sizes.h", "#include \"deep.h\"\n#include \"../params.h\"\n");
  folder_.write("common/deep.h", "#ifndef TILE\n#define TILE 32\n#endif\n");
  folder_.write("params.h", "#include \"common/sizes.h\"\nconstexpr int RADIUS = 2;\n");
  const draft::InitResult result = describe(with_params);
  EXPECT_THAT(result.text, HasSubstr("default = 32  # 32 in line 2 of common/deep.h"));
  EXPECT_THAT(result.guesses, Not(Contains(HasSubstr("was not found"))));
}

TEST_F(Init, ReadsAHeaderWhereItIsIncluded) {
  folder_.write("params.h", "#ifndef TILE\n#define TILE 64\n#endif\n#define RADIUS 1\n");
  EXPECT_THAT(describe("#define TILE 32\n" + std::string(with_params)).text, HasSubstr("# 32 in line 1\n"));
}

TEST_F(Init, NamesAHeaderThatWasNotFound) {
  folder_.write("params.h", "#define TILE 64\n#define RADIUS 2\n#include \"missing.h\"\n");
  EXPECT_THAT(describe(with_params).guesses,
              Contains(HasSubstr("line 3 of params.h includes missing.h: missing.h was not "
                                 "found, so it was not read")));
  EXPECT_THAT(describe("#include \"other.h\"\n#include \"cuda_runtime.h\"\n" + std::string(with_params)).guesses,
              AllOf(Contains(HasSubstr("line 1 includes other.h: other.h was not found, so it was not read")),
                    Not(Contains(HasSubstr("cuda_runtime.h")))));
}

TEST_F(Init, KnowsStructuresOfHeadersAndKeepsTheSourcesLines) {
  folder_.write("body.h", "struct Body {\n  float x, y, z, m;\n};\n__global__ void other(float* x) {}\n\n\n");
  const std::string source = R"(#include "body.h"
__global__ void move(Body* bodies, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bodies[i].x += 1;
}
void call(int n) {
  Body* bodies;
  cudaMalloc(&bodies, n * sizeof(Body));
  move<<<(n + 127) / 128, 128>>>(bodies, n);
}
)";
  const KernelTemplate kernel = loaded(source);
  EXPECT_EQ(kernel.find_argument("bodies")->shape[0].text(), "n * 4");
  EXPECT_THAT(describe(source).text, HasSubstr("as line 9 launches it"));
  EXPECT_THAT(describe(source).kernels, ElementsAre("move"));
}

TEST_F(Init, DescribesAHeadersKernelWhereTheSourceHasNone) {
  folder_.write("kernel.cuh",
                "#pragma once\n__global__ void add_one(float* x, int n) {\n"
                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] += 1;\n}\n");
  const std::string main =
      "#include \"kernel.cuh\"\nint main() {\n  int n = 1000;\n  float* x;\n"
      "  cudaMalloc(&x, n * sizeof(float));\n  add_one<<<(n + 127) / 128, 128>>>(x, n);\n}\n";
  const KernelTemplate kernel = loaded(main);
  EXPECT_EQ(kernel.source.filename(), "kernel.cu");
  EXPECT_EQ(kernel.launches.at(0).kernel, "add_one");
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(n, BLOCK_SIZE)");
  EXPECT_EQ(search::to_text(kernel.sizes), "n=1000");
}

TEST_F(Init, LaunchesAHeadersNumberOfElementsInBlocksOfAnySize) {
  folder_.write("params.h", "#define N 4000\n#define THREADS 250\n");
  for (const char* blocks : {"N / 250", "(N + 249) / 250", "N / THREADS", "(N + THREADS - 1) / THREADS"}) {
    const KernelTemplate kernel = loaded(std::string(R"(#include "params.h"
__global__ void twice(float* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) x[i] *= 2;
}
void call(float* x) {
  int blocks = )") + blocks + ";\n  twice<<<blocks, THREADS>>>(x);\n}\n");
    EXPECT_EQ(grid(kernel.launches[0], 0), "ceildiv(4000, BLOCK_SIZE)") << blocks;
    EXPECT_THAT(kernel.sizes, IsEmpty());
  }
}

TEST_F(Init, KeepsTheThreadsThatAHeadersConstantSays) {
  folder_.write("params.h", "#define THREADS 128\n");
  const draft::InitResult result = describe(R"(#include "params.h"
__global__ void sum(const float* x, float* y, int n) {
  __shared__ float part[THREADS];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  if (i < n) y[i] = part[THREADS - 1 - threadIdx.x];
}
void call(float* x, float* y, int n) {
  sum<<<(n + THREADS - 1) / THREADS, THREADS>>>(x, y, n);
}
)");
  EXPECT_THAT(result.text, AllOf(HasSubstr("block = 128"), HasSubstr("ceildiv(n, 128)"), Not(HasSubstr("BLOCK_SIZE"))));
  EXPECT_THAT(result.guesses, Contains(HasSubstr("THREADS stays 128, as line 1 of params.h has it")));
}

TEST_F(Init, NamesAHeaderOfNoLibraryThatWasNotRead) {
  const draft::InitResult result = describe(R"(#include <stdio.h>
#include <cublas_v2.h>
#include <mma.h>
#include <cub/cub.cuh>
#include <helper_cuda.h>
#include <helper_math.h>
__global__ void twice(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
)");
  EXPECT_THAT(result.guesses,
              ElementsAre(HasSubstr("line 6 includes <helper_math.h>, which is none of CUDA's headers, so it was not "
                                    "read. include_directories = [")));
}

TEST_F(Init, CompilesASourceOfAnyEndingWithoutItsHostHeaders) {
  for (const char* name : {"scale.cuh", "scale.h", "scale.cu"}) {
    draft::InitRequest request;
    request.source = folder_.write(name,
                                   "#include <cublas_v2.h>\n#include <vector>\n"
                                   "__global__ void scale(float* x, int n) {\n"
                                   "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] *= 2;\n}\n");
    request.manifest = folder_.path() / "template.toml";
    const KernelTemplate kernel = parse_manifest(draft::describe_source(request).text, request.manifest);
    const std::string text = compile_request(kernel, "host", kernel.default_values, kernel.default_values).source;
    EXPECT_THAT(text, AllOf(Not(HasSubstr("cublas")), Not(HasSubstr("<vector>")))) << name;
  }
}

TEST_F(Init, ReadsLaunchesOfAnIncludedSource) {
  folder_.write("opt1.cu", R"(
long long get_time() { return 0; }
__global__ void stack(const float* in, float* out, int nx, int ny, int nz) {
  int i = blockDim.x * blockIdx.x + threadIdx.x, j = blockDim.y * blockIdx.y + threadIdx.y;
  int c = i + j * nx, xy = nx * ny;
  for (int k = 0; k < nz; ++k) { out[c] = 2 * in[c]; c += xy; }
}
void stacks(float* h, int nx, int ny, int nz) {
  size_t s = sizeof(float) * nx * ny * nz;
  float *in, *out;
  cudaMalloc(&in, s);
  cudaMalloc(&out, s);
  stack<<<dim3(nx / 64, ny / 4), dim3(64, 4)>>>(in, out, nx, ny, nz);
}
)");
  const std::string main = "#include <stdio.h>\n#include \"opt1.cu\"\nint main() { stacks(0, 512, 512, 8); }\n";
  const KernelTemplate kernel = loaded(main);
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "nx // BLOCK_X");
  EXPECT_THAT(describe(main).text, AllOf(HasSubstr("default = 64"), HasSubstr("default = 4 "),
                                         HasSubstr("as line 13 of opt1.cu launches it")));
}

TEST_F(Init, KeepsASizeThatGuardsOtherMacrosAsItIs) {
  folder_.write("sizes.h", "#if !defined(N)\n#define M 2048\n#define N 2048\n#endif\n");
  const std::string source = R"(#include "sizes.h"
__global__ void scale(float* a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) a[i] = a[i] * M;
}
)";
  const KernelTemplate kernel = loaded(source);
  EXPECT_EQ(kernel.find_argument("a")->shape.at(0).text(), "2048");
  EXPECT_FALSE(kernel.given_macros().contains("N"));
  folder_.write("sizes.h", "#ifndef N\n#define STEPS 20\n#define N 2048\n#endif\n#ifndef M\n#define M 2\n#endif\n");
  EXPECT_TRUE(loaded(source).given_macros().contains("N"));
}

}  // namespace
}  // namespace warptune::tuner
