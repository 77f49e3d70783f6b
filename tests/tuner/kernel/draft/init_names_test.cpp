// `warptune init`: names of the source that mean something else in a manifest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/draft/init_fixture.h"

namespace warptune::tuner {
namespace {

std::string filled(const std::string& size) {
  return "#define BLOCK 128\n__global__ void fill(float* y, int " + size +
         ") {\n  int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < " + size + ") y[i] = i;\n}\n";
}

TEST_F(Init, GivesASizeAnotherNameWhereExpressionsReserveTheSources) {
  for (const std::string name : {"time", "joules", "warp_size", "max", "in"}) {
    const draft::InitResult result = describe(filled(name));
    EXPECT_THAT(result.guesses, ElementsAre(HasSubstr("[sizes] " + name + "_ is what the source calls " + name)));
    const KernelTemplate kernel = parse_manifest(result.text, folder_.path() / "template.toml");
    EXPECT_EQ(kernel.sizes.at(0).first, name + "_");
    EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(" + name + "_, BLOCK)");
    EXPECT_THAT(kernel.launches.at(0).arguments, ElementsAre("y", name));
    EXPECT_EQ(kernel.find_argument(name)->value->text(), name + "_");
    EXPECT_EQ(kernel.find_argument("y")->shape.at(0).text(), name + "_");
  }
}

TEST_F(Init, PassesAMacroWithAReservedNameUnderItsOwn) {
  const KernelTemplate kernel = loaded(R"(
#define max_threads_per_block 128
__global__ void fill(float* y, int in) {
  __shared__ float s[max_threads_per_block * 96];
  int i = blockIdx.x * max_threads_per_block + threadIdx.x;
  s[threadIdx.x] = i;
  y[i] = s[threadIdx.x];
}
)");
  EXPECT_THAT(names(kernel.parameters), ElementsAre("max_threads_per_block_"));
  EXPECT_EQ(kernel.defines.at(0).first, "max_threads_per_block");
  EXPECT_EQ(kernel.defines.at(0).second.text(), "max_threads_per_block_");
  EXPECT_THAT(kernel.constraints, Contains("in_ % max_threads_per_block_ == 0"));
  EXPECT_THAT(kernel.constraints, Contains("max_threads_per_block_ * 96 * 4 <= 49152"));
}

TEST_F(Init, GivesTheSizesOfAReferenceTheNamesOfTheKernels) {
  reference_ = "reference.cu";
  folder_.write(reference_,
                "__global__ void reference(float* y, int time) {\n"
                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < time) y[i] = i;\n}\n");
  const KernelTemplate kernel = loaded(filled("time"));
  EXPECT_EQ(grid(kernel.reference.launches.at(0), 0), "ceildiv((time_), 256)");
}

TEST_F(Init, RefusesKernelsOfOneName) {
  const std::string overloads =
      "#define BLOCK 128\n"
      "__global__ void k(float* y, int n) { int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) y[i] = i; }\n"
      "__global__ void k(double* y, int n) { int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) y[i] = i; }\n";
  const std::string other =
      "__global__ void other(int* y, int n) { int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) y[i] = i; }\n";
  try {
    describe(overloads + other);
    FAIL() << "one of two kernels with the same name was described";
  } catch (const RequestError& error) {
    EXPECT_THAT(error.what(), HasSubstr("it has 2 kernels called k, in lines 2, 3: `init` cannot tell which of them"));
  }
  EXPECT_EQ(loaded(overloads + other, "other").launches.at(0).kernel, "other");
  // One of them is compiled.
  const std::string chosen =
      "#define BLOCK 64\n#if 1\n" + other + "#else\n__global__ void other(int* y) { y[0] = 1; }\n#endif\n";
  EXPECT_EQ(loaded(chosen).launches.at(0).kernel, "other");
}

TEST_F(Init, NamesTheOtherKernelWhereNamespacesTellThemApart) {
  const std::string body =
      "(int* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = i; } }\n";
  EXPECT_THAT(describe("namespace a { __global__ void k" + body + "namespace b { __global__ void k" + body).guesses,
              Contains(HasSubstr("describes k alone. If b::k belongs to it")));
}

TEST_F(Init, ReplacesNeitherTheSourceNorTheReference) {
  draft::InitRequest request;
  request.source = folder_.write("kernel.cu", filled("n"));
  request.reference = folder_.write("reference.cu", filled("n"));
  std::filesystem::create_symlink(request.source, folder_.path() / "link.toml");
  for (const char* place : {"kernel.cu", "./reference.cu", "link.toml"}) {
    request.manifest = folder_.path() / place;
    EXPECT_THROW(draft::check_place(request), RequestError) << place;
  }
  request.manifest = folder_.path() / "template.toml";
  EXPECT_NO_THROW(draft::check_place(request));
}

TEST_F(Init, TakesTheNumberOfVectorsForASize) {
  const KernelTemplate kernel = loaded(R"(
const int VECTOR_N = 256;
#define BLOCK_SIZE 128
__global__ void dots(float* c, const float* a, int vectors) {
  int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < vectors) c[i] = a[i];
}
int main() {
  float *a, *c;
  dots<<<(VECTOR_N + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE>>>(c, a, VECTOR_N);
}
)");
  EXPECT_THAT(names(kernel.parameters), ElementsAre("BLOCK_SIZE"));
  EXPECT_EQ(search::to_text(kernel.sizes), "VECTOR_N=256");
}

TEST_F(Init, TakesAMaskOfBitsForNoSize) {
  const KernelTemplate kernel = loaded(R"(
#define TAG_MASK 0xFFFFFFFFU
#define LANE_MASK 31
#define BLOCK_SIZE 128
__global__ void mask(unsigned* out, const unsigned* in, int n) {
  int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < n) out[i] = (in[i] & TAG_MASK) + (i & LANE_MASK);
}
)");
  EXPECT_THAT(names(kernel.parameters), ElementsAre("BLOCK_SIZE"));
  EXPECT_EQ(search::to_text(kernel.sizes).find("MASK"), std::string::npos);
}

}  // namespace
}  // namespace warptune::tuner
