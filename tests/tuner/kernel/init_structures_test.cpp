// `warptune init`: kernels that take structures by value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/init_fixture.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr char by_value[] = R"(
struct Params {
  int width, height;
  float scale;
};
__global__ void scale(const Params p, const float* in, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < p.width && y < p.height) out[y * p.width + x] = in[y * p.width + x] * p.scale;
}
)";

TEST_F(Init, SaysHowAStructureByValueIsPassedAsItsMembers) {
  const init::InitResult result = describe(by_value);
  EXPECT_THAT(result.blanks,
              ElementsAre(AllOf(HasSubstr("In line 6 of the source, write `int p_width, int p_height, float p_scale`"),
                                HasSubstr("`Params p = {p_width, p_height, p_scale};`"))));
  EXPECT_THAT(result.text, HasSubstr(R"(arguments = ["TODO", "p_width", "p_height", "p_scale", "in", "out"])"));
  EXPECT_THAT(result.text, HasSubstr(R"(shape = ["p_height * p_width"])"));
  EXPECT_THROW(parse_manifest(result.text, folder_.path() / "template.toml"), std::exception);
}

TEST_F(Init, UnderstandsTheKernelThatBuildsItsStructureFromMembers) {
  std::string source = by_value;
  source.replace(source.find("const Params p"), 14, "int p_width, int p_height, float p_scale");
  source.insert(source.find("  int x = "), "  Params p = {p_width, p_height, p_scale};\n");
  const KernelTemplate kernel = loaded(source);
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(p_width, BLOCK_X)");
  EXPECT_EQ(grid(kernel.launches.at(0), 1), "ceildiv(p_height, BLOCK_Y)");
}

TEST_F(Init, TakesMembersValuesFromTheHost) {
  const init::InitResult result = describe(std::string(by_value) + R"(
int main() {
  Params p;
  p.width = 640;
  p.height = 480;
  p.scale = 0.25f;
  float *in, *out;
  cudaMalloc(&in, 640 * 480 * sizeof(float));
  cudaMalloc(&out, 640 * 480 * sizeof(float));
  dim3 block(16, 16), grid((p.width + 15) / 16, (p.height + 15) / 16);
  scale<<<grid, block>>>(p, in, out);
}
)");
  EXPECT_THAT(result.text, AllOf(HasSubstr("value = 0.25"), HasSubstr("value = 640"), HasSubstr("value = 480")));
}

TEST_F(Init, TakesBuffersOutOfAStructure) {
  const init::InitResult result = describe(R"(
struct View { int n; const float* from; float *to; };
__global__ void copy(View v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < v.n) v.to[i] = v.from[i];
}
)");
  EXPECT_THAT(result.blanks, ElementsAre(HasSubstr("write `int v_n, const float* v_from, float* v_to`")));
  EXPECT_THAT(result.text, AllOf(HasSubstr("[arguments.v_to]\ntype = \"float\"\nshape = [\"v_n\"]\nrole = \"output\""),
                                 Not(HasSubstr("type = \"TODO\""))));
}

TEST_F(Init, TakesBuffersOfAStructureThatTheBodyBuildsForWhatItsMembersAre) {
  const KernelTemplate kernel = loaded(R"(
struct View { int n; float* data; };
__global__ void copy(int from_n, const float* from_data, int to_n, float* to_data) {
  View to{to_n, to_data};
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < to.n) to.data[i] = from_data[i];
}
)");
  EXPECT_EQ(kernel.find_argument("to_data")->role, Role::output);
}

TEST_F(Init, TakesBuffersOfAStructureThatIsHandedOnForWritten) {
  const init::InitResult result = describe(R"(
struct View { float* to; int n; };
__device__ void set(View v, int i) { v.to[i] = 1; }
__global__ void fill(View v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < v.n) set(v, i);
}
)");
  EXPECT_THAT(result.text, HasSubstr("role = \"inout\""));
}

}  // namespace
}  // namespace warptune::tuner
