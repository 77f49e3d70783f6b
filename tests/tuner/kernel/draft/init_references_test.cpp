// `warptune init`: references in files of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/user_kernels.h"
#include "tests/tuner/kernel/draft/init_fixture.h"

namespace warptune::tuner {
namespace {

TEST_F(Init, TakesAReferenceInAnotherFile) {
  reference_ = "reference.cpp";
  folder_.write(reference_, R"(
extern "C" void reference(int n, float a, const float* x, double* y) {
  for (int i = 0; i < n; ++i) y[i] += double(a) * x[i];
}
)");
  const KernelTemplate in_cpp = loaded(saxpy_source);
  ASSERT_TRUE(in_cpp.reference.function);
  EXPECT_EQ(in_cpp.reference.function->name, "reference");
  EXPECT_EQ(in_cpp.find_argument("y")->reference_type, ElementType::f64);
  reference_ = "reference.cu";
  folder_.write(reference_, R"(
__global__ void reference(int count, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] += a * x[i];
}
)");
  const KernelTemplate in_cuda = loaded(saxpy_source);
  EXPECT_EQ(grid(in_cuda.reference.launches.at(0), 0), "ceildiv((n), 256)");
  EXPECT_EQ(in_cuda.find_argument("y")->reference_type, ElementType::f32);
}

TEST_F(Init, PairsAReferencesParametersByTheirTypes) {
  reference_ = "reference.cpp";
  const auto arguments = [&](const std::string& parameters) {
    folder_.write(reference_, "extern \"C\" void reference(" + parameters + ") {}\n");
    const std::string text = describe(saxpy_source).text;
    return parse_manifest(text, folder_.path() / "template.toml").reference.function->arguments;
  };
  const std::vector<std::string> in_order = {"x", "y", "a", "n"};
  EXPECT_EQ(arguments("const float* A, float* B, float alpha, int N"), in_order);
  EXPECT_EQ(arguments("const float* A, double* B, double alpha, int count"), in_order);
  EXPECT_EQ(arguments("float* A, float* B, float alpha, int count"), in_order);
  EXPECT_EQ(arguments("float* out, const float* in, float alpha, int count"),
            (std::vector<std::string>{"y", "x", "a", "n"}));
  EXPECT_EQ(arguments("typename_t* Y, const float* d_x, float f, long N"),
            (std::vector<std::string>{"y", "x", "a", "n"}));
}

TEST_F(Init, AsksForAReferencesParameterOfWhichNoArgumentHasTheKind) {
  reference_ = "reference.cpp";
  folder_.write(reference_, "extern \"C\" void reference(int m, int k, const float* x, double* y) {}\n");
  const draft::InitResult result = describe(saxpy_source);
  EXPECT_THAT(result.blanks, ElementsAre(HasSubstr("which argument its parameter 'k' is")));
}

TEST_F(Init, SaysThatAReferenceTakesAnotherType) {
  reference_ = "reference.cpp";
  folder_.write(reference_, "extern \"C\" void reference(int n, double a, const float* x, double* y) {}\n");
  const draft::InitResult result = describe(saxpy_source);
  EXPECT_THAT(result.guesses, Contains(HasSubstr("a is float, and its parameter 'a' is double")));
  // The checks before a session refuse it.
  EXPECT_THAT(result.blanks, ElementsAre(HasSubstr("reference takes it as 'double a'")));
}

TEST_F(Init, TakesAReferenceWithoutExternC) {
  reference_ = "reference.cpp";
  for (const char* source : {"static void right(int n, float a, const float* x, double* y) {}\n",
                             "namespace lab { void right(int n, float a, const float* x, double* y) {} }\n"}) {
    folder_.write(reference_, source);
    const KernelTemplate kernel = loaded(saxpy_source);
    EXPECT_THAT(kernel.reference.function->name, AnyOf("right", "lab::right"));
  }
}

}  // namespace
}  // namespace warptune::tuner
