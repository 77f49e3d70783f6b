// `warptune init`: variables of the device that the program fills, and what is said of those that nobody does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/draft/init_fixture.h"
#include "tuner/kernel/draft/unfilled_variables.h"

namespace warptune::tuner {
namespace {

// A kernel that reaches two constants through a function, and the host that fills them.
std::string program(const std::string& declarations, const std::string& host, const std::string& body = "") {
  return "#include <cstdio>\n" + declarations +
         "#define BLOCK 128\n"
         "__device__ float work(float v) {\n  " +
         (body.empty() ? "for (int i = 0; i < iterations; ++i) v = v * 0.99f + coefficient[i % 4];" : body) +
         "\n  return v;\n}\n"
         "__global__ void relax(const float* x, float* y, int n) {\n  int i = blockIdx.x * BLOCK + threadIdx.x;\n"
         "  if (i < n) y[i] = work(x[i]);\n}\n"
         "int main() {\n  int n = 1 << 16;\n  float *x, *y;\n  " +
         host +
         "\n  cudaMalloc(&x, n * sizeof(float)); cudaMalloc(&y, n * sizeof(float));\n"
         "  relax<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, n);\n}\n";
}

const std::string constants = "__constant__ int iterations;\n__constant__ float coefficient[4];\n";

TEST_F(Init, FillsConstantsOfCalledFunctionsWithTheNumbersThatTheProgramCopies) {
  const std::string text = describe(program(constants,
                                            "int it = 1000; float c[4] = {1, 2.5f, -3, 8 / 2};\n"
                                            "  cudaMemcpyToSymbol(iterations, &it, sizeof it);\n"
                                            "  cudaMemcpyToSymbol(coefficient, c, sizeof c);"))
                               .text;
  EXPECT_THAT(text, HasSubstr("[arguments.iterations]\ntype = \"int32\"\nshape = [1]\nsymbol = \"iterations\"\n"
                              "fill = { values = [1000] }\n"));
  EXPECT_THAT(text, HasSubstr("symbol = \"coefficient\"\nfill = { values = [1, 2.5, -3, 4"));
}

TEST_F(Init, ReadsTheNumbersThatACopyTakesHoweverTheyAreWritten) {
  const auto fill = [&](const std::string& host) {
    const std::string text = describe(program(constants, host)).text;
    const auto at = text.find("symbol = \"coefficient\"\nfill = ");
    return at == text.npos ? "" : text.substr(at + 30, text.find('\n', at + 30) - at - 30);
  };
  const std::string copy = "cudaMemcpyToSymbol(coefficient, c, sizeof c);";
  EXPECT_EQ(fill("const float c[] = {1, 2};" + copy), "{ values = [1, 2, 0, 0] }");
  EXPECT_EQ(fill("std::vector<float> c = {1, 2, 3, 4};\n  cudaMemcpyToSymbol(coefficient, c.data(), 16);"),
            "{ values = [1, 2, 3, 4] }");
  EXPECT_EQ(fill("float c[2][2] = {{1, 2}, {3, 4}};\n  CHECK(cudaMemcpyToSymbolAsync(coefficient, &c[0][0], 16));"),
            "{ values = [1, 2, 3, 4] }");
  // What code computes is no number of the source.
  EXPECT_THAT(fill("float c[4] = {1, 2, 3, 4}; c[2] = time(0);" + copy), HasSubstr("uniform"));
  EXPECT_THAT(fill("float c[4]; for (int i = 0; i < 4; ++i) c[i] = i;" + copy), HasSubstr("uniform"));
  EXPECT_THAT(fill("float c[5] = {1, 2, 3, 4, 5};" + copy), HasSubstr("uniform"));
}

TEST_F(Init, FillsADeviceVariableThatTheProgramCopiesTo) {
  const std::string device = "__device__ float scale[2];\n";
  const std::string body = "v *= scale[0] + scale[1];";
  EXPECT_THAT(describe(program(device, "float s[2] = {3, 4}; cudaMemcpyToSymbol(scale, s, 8);", body)).text,
              HasSubstr("symbol = \"scale\"\nfill = { values = [3, 4] }"));
  EXPECT_THAT(describe(program(device, "", body)).text, Not(HasSubstr("symbol = ")));
}

TEST_F(Init, LeavesConstantsThatNoLaunchedKernelReaches) {
  const std::string other = "__constant__ float far[4];\n__device__ float never(int i) { return far[i]; }\n";
  EXPECT_THAT(describe(program(other + constants, "")).text, Not(HasSubstr("\"far\"")));
  // A parameter of that name is another thing.
  const std::string hidden = "__constant__ float v;\n";
  EXPECT_THAT(describe(program(hidden + constants, "")).text, Not(HasSubstr("symbol = \"v\"")));
}

class UnfilledVariables : public Init {
 protected:
  std::vector<std::string> sentences(const std::string& declarations, const std::string& body,
                                     const std::string& more = "", const std::string& host = "") {
    folder_.write("kernel.cu", program(declarations, host, body));
    KernelTemplate kernel;
    kernel.source = folder_.path() / "kernel.cu";
    kernel.manifest = folder_.path() / "template.toml";
    Launch launch;
    launch.kernel = "relax";
    kernel.launches = {launch};
    if (!more.empty()) {
      Argument argument;
      argument.symbol = more;
      kernel.arguments = {argument};
    }
    return draft::unfilled_variables(kernel);
  }
};

TEST_F(UnfilledVariables, AreNamedWhereAKernelReachesThemThroughACall) {
  const auto found = sentences(constants, "", "", "cudaMemcpyToSymbol(iterations, &n, 4);");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0], AllOf(HasSubstr("line 2: __constant__ iterations is 0 in every run"),
                              HasSubstr("cudaMemcpyToSymbol in line 16 does not run"),
                              HasSubstr("[arguments.iterations] with symbol = \"iterations\"")));
  EXPECT_THAT(found[1], HasSubstr("__constant__ coefficient"));
}

TEST_F(UnfilledVariables, AreNoneThatAnArgumentFillsOrThatHaveAValue) {
  EXPECT_THAT(sentences("__constant__ float a;\n", "v += a;", "a"), IsEmpty());
  EXPECT_THAT(sentences("__constant__ float a = 3;\n", "v += a;"), IsEmpty());
  EXPECT_THAT(sentences("__constant__ float a[2] = {1, 2};\n", "v += a[0];"), IsEmpty());
  EXPECT_THAT(sentences("__constant__ float a;\n", "v += 1;"), IsEmpty());
  EXPECT_THAT(sentences("namespace img { __constant__ float a; }\n", "v += img::a;", "img::a"), IsEmpty());
}

// A counter, a flag, scratch memory.
TEST_F(UnfilledVariables, AreNoDeviceVariablesThatKernelsWrite) {
  for (const char* body : {"atomicAdd(&a[0], 1);", "a[0] = 1;", "a[0] += 1;", "a[1]++;", "v += *(a + 1);"})
    EXPECT_THAT(sentences("__device__ int a[2];\n", body), IsEmpty()) << body;
  EXPECT_THAT(sentences("__device__ int a[2];\n", "v += a[0] == 3 ? 1 : a[1] <= 2;"),
              ElementsAre(HasSubstr("__device__ a is 0 in every run")));
}

TEST_F(UnfilledVariables, AreFoundBehindMacrosAndInBranchesThatAreCompiled) {
  EXPECT_THAT(sentences("__constant__ float a[2];\n#define WEIGHT(i) a[i]\n", "v += WEIGHT(1);"),
              ElementsAre(HasSubstr("__constant__ a")));
  EXPECT_THAT(sentences("#if 0\n__constant__ float a;\n#endif\n", "v += 1;"), IsEmpty());
}

}  // namespace
}  // namespace warptune::tuner
