// `warptune init`: kernels that take structures by value, and the types of templates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/draft/init_fixture.h"

namespace warptune::tuner {
namespace {

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
  const draft::InitResult result = describe(by_value);
  EXPECT_THAT(
      result.blanks,
      ElementsAre(AllOf(HasSubstr("Write `int p_width, int p_height, float p_scale` for the parameter `p` in line 6"),
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

TEST_F(Init, TakesMembersAndTheGridFromTheHostsStructure) {
  const draft::InitResult result = describe(std::string(by_value) + R"(
int main() {
  Params image;
  image.width = 640;
  image.height = 480;
  image.scale = 0.25f;
  float *in, *out;
  cudaMalloc(&in, image.width * image.height * sizeof(float));
  cudaMalloc(&out, image.width * image.height * sizeof(float));
  dim3 block(16, 8), grid((image.width + block.x - 1) / block.x, (image.height + block.y - 1) / block.y);
  scale<<<grid, block>>>(image, in, out);
}
)");
  EXPECT_THAT(result.text, AllOf(HasSubstr("p_width = 640\np_height = 480\n"), HasSubstr("value = 0.25")));
  EXPECT_THAT(result.text, HasSubstr(R"_(grid = ["ceildiv(p_width, BLOCK_X)", "ceildiv(p_height, BLOCK_Y)"])_"));
  EXPECT_THAT(result.text, HasSubstr(R"(shape = ["p_width * p_height"])"));
}

TEST_F(Init, TakesMembersFromAListInTheHost) {
  for (const char* host : {"Params p{640, 480, 0.5f}; scale<<<dim3(40, 30), dim3(16, 16)>>>(p, in, out);",
                           "scale<<<dim3(40, 30), dim3(16, 16)>>>(Params{640, 480, 0.5f}, in, out);"})
    EXPECT_THAT(describe(std::string(by_value) + "int main() { float *in, *out; " + host + " }").text,
                HasSubstr("value = 0.5"))
        << host;
}

TEST_F(Init, SaysHowAFunctionObjectIsPassed) {
  const draft::InitResult result = describe(R"(
template <typename F>
__global__ void map(F f, const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = f(in[i]);
}
)");
  EXPECT_THAT(result.blanks, ElementsAre(HasSubstr("arguments.f: map calls it as a function, and a manifest passes "
                                                   "numbers and pointers alone. Write `F f;` in the body")));
}

TEST_F(Init, TakesBuffersOutOfAStructure) {
  const draft::InitResult result = describe(R"(
struct View { int n; const float* from; float *to; };
__global__ void copy(View v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < v.n) v.to[i] = v.from[i];
}
)");
  EXPECT_THAT(result.blanks, ElementsAre(HasSubstr("Write `int v_n, const float* v_from, float* v_to`")));
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
  const draft::InitResult result = describe(R"(
struct View { float* to; int n; };
__device__ void set(View v, int i) { v.to[i] = 1; }
__global__ void fill(View v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < v.n) set(v, i);
}
)");
  EXPECT_THAT(result.text, HasSubstr("role = \"inout\""));
}

TEST_F(Init, SurvivesAStructureThatIsNone) {
  for (const char* members : {", a;", ";", "* ;", "int;", "int a, ;", "~P();", ": 3;"}) {
    const std::string source =
        std::string("struct P { ") + members + " };\n__global__ void k(P p, float* x) { x[0] = 1; }\n";
    EXPECT_NO_THROW(describe(source)) << members;
  }
}

TEST_F(Init, SaysHowAnEnumerationIsPassed) {
  const draft::InitResult result = describe(R"(
enum Mode { fast, slow };
enum class Colour : unsigned char { red, green };
__global__ void paint(float* y, int n, Mode mode, Colour colour, Brush brush) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = mode == slow ? 3 : colour == Colour::green ? 7 : 9;
}
)");
  EXPECT_THAT(result.blanks, ElementsAre(HasSubstr("mode: Mode is an enumeration, which a manifest passes as a number"),
                                         HasSubstr("colour: Colour is an enumeration"),
                                         HasSubstr("its type Brush is none that a manifest can pass")));
}

TEST_F(Init, TakesComplexNumbersForPairs) {
  const KernelTemplate kernel = loaded(R"(
__global__ void conjugate(cuDoubleComplex* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = cuConj(z[i]);
}
)");
  EXPECT_EQ(kernel.find_argument("z")->type, ElementType::f64);
  EXPECT_EQ(kernel.find_argument("z")->shape[0].text(), "n * 2");
}

TEST_F(Init, SaysThatTheTypeOfATemplateIsAGuess) {
  const std::string kernel =
      "template <typename T> __global__ void fill(T* x, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] = T(1);\n}\n";
  EXPECT_THAT(describe(kernel).guesses, Contains("launches: T is float in fill: nothing in the file says it"));
  EXPECT_THAT(describe(kernel + "int main() { double* x; fill<double><<<8, 128>>>(x, 1024); }").guesses,
              Not(Contains(HasSubstr("is float"))));
}

}  // namespace
}  // namespace warptune::tuner
