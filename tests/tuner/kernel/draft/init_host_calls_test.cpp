// `warptune init`: what the callers of the host's launching function give it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/kernel/draft/init_fixture.h"

namespace warptune::tuner {
namespace {

// run(PARAMETERS) launches; then come the host's lines.
std::string called_with(const std::string& parameters, const std::string& host,
                        const std::string& configuration = "(n + 255) / 256, 256") {
  return R"(
__global__ void scale(int n, float f, const float* a, float* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = f * a[i];
}
void run()" +
         parameters + ") {\n  float *a, *b;\n" +
         "  cudaMalloc(&a, sizeof(float) * n);\n  cudaMalloc(&b, sizeof(float) * n);\n  scale<<<" + configuration +
         ">>>(n, f, a, b);\n}\n" + host;
}

class InitHostCalls : public Init {
 protected:
  std::string sizes_of(const std::string& source) { return search::to_text(loaded(source).sizes); }
};

TEST_F(InitHostCalls, GiveAFunctionsParametersTheirValues) {
  const std::string parameters = "int n, float f";
  for (const char* host : {"int main() { run(5000, 2); }", "int main() { int n = 5000; run(n, 2); }",
                           "int main(int argc, char** argv) { int m = 1000; m = 5 * m; run(m, 2); return 0; }",
                           "void middle(int k) { run(k, 2); }\nint main() { int many = 5000; middle(many); }",
                           "const int count = 5000;\nint main() { for (int r = 0; r < 3; ++r) run(count, 2); }"})
    EXPECT_EQ(search::find_value(loaded(called_with(parameters, host)).sizes, "n") != nullptr ||
                  search::find_value(loaded(called_with(parameters, host)).sizes, "count") != nullptr,
              true)
        << host;
  EXPECT_EQ(sizes_of(called_with(parameters, "int main() { int k = 5000; run(k, 2); }")), "n=5000");
  EXPECT_EQ(sizes_of(called_with(parameters, "void middle(int k) { run(k, 2); }\nint main() { middle(5000); }")),
            "n=5000");
}

TEST_F(InitHostCalls, KeepTheNameOfASizeThatTheFileHas) {
  const KernelTemplate kernel =
      loaded("#define N 5000\n" + called_with("int n, float f", "int main() { int n = N; run(n, 2); }"));
  EXPECT_EQ(search::to_text(kernel.sizes), "N=5000");
  EXPECT_EQ(kernel.find_argument("a")->shape.at(0).text(), "N");
}

TEST_F(InitHostCalls, GiveScalarsTheirNumbersAndDefaults) {
  const auto f_of = [&](const std::string& source) {
    const std::string text = describe(source).text;
    return text.substr(text.find("[arguments.f]"), 60);
  };
  const std::string call = "int main() { float rate = 1e-3f; run(5000, rate); }";
  EXPECT_THAT(f_of(called_with("int n, float f", call)), HasSubstr("value = 1e-3\n"));
  EXPECT_THAT(f_of(called_with("int n, float f = 0.9f", "int main() { run(5000); }")), HasSubstr("value = 0.9\n"));
}

TEST_F(InitHostCalls, GiveTheBlock) {
  const std::string launch = "(n + threads - 1) / threads, threads";
  const KernelTemplate kernel =
      loaded(called_with("int n, float f, int threads", "int main() { run(5000, 2, 128); }", launch));
  EXPECT_EQ(search::to_text(kernel.default_values), "BLOCK_SIZE=128");
  EXPECT_EQ(grid(kernel.launches.at(0), 0), "ceildiv(n, BLOCK_SIZE)");
  const KernelTemplate passed =
      loaded(called_with("int n, float f, dim3 blocks, dim3 threads",
                         "int main() { dim3 t(128); run(5000, 2, dim3(40), t); }", "blocks, threads"));
  EXPECT_EQ(search::to_text(passed.default_values), "BLOCK_SIZE=128");
}

TEST_F(InitHostCalls, WithSeveralValuesAreSaidToBeAGuess) {
  const draft::InitResult result =
      describe(called_with("int n, float f", "int main() {\n  run(5000, 2);\n  run(8000, 2);\n}\n"));
  EXPECT_THAT(result.text, HasSubstr("n = 5000  # a guess: run is called in line 13 with 5000 and line 14 with 8000"));
  EXPECT_THAT(result.guesses,
              Contains(HasSubstr("[sizes] n: run is called in line 13 with 5000 and line 14 with 8000")));
  const draft::InitResult unknown =
      describe(called_with("int n, float f", "int main() {\n  run(5000, 2);\n  run(read(), 2);\n}\n"));
  EXPECT_THAT(unknown.text, Not(HasSubstr("n = 5000")));
  EXPECT_THAT(unknown.guesses, Contains(HasSubstr("line 13 with 5000 and line 14 with another value")));
  const draft::InitResult same =
      describe(called_with("int n, float f", "int main() {\n  run(5000, 2);\n  run(5000, 2);\n}\n"));
  EXPECT_THAT(same.guesses, IsEmpty());
}

TEST_F(InitHostCalls, AreNotFollowedWhereOthersMayCall) {
  for (const char* host : {"int main() { run(5000, 2); auto p = run; p(7, 2); }",
                           "struct S { void go() { run(7, 2); } };\nint main() { run(5000, 2); }",
                           "void run(int a) { run(a, 2); }\nint main() { run(5000); }"}) {
    const draft::InitResult result = describe(called_with("int n, float f", host));
    EXPECT_THAT(result.text, HasSubstr("# a guess: no host code says it")) << host;
    EXPECT_THAT(result.text, Not(HasSubstr("n = 5000"))) << host;
  }
}

}  // namespace
}  // namespace warptune::tuner
