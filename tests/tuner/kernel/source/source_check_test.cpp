// Kernels that a source lacks and shared memory that no launch gives, told before anything is compiled.
#include "tuner/kernel/source/source_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"
#include "tuner/kernel/manifest/manifest.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class SourceCheck : public testing::Test {
 protected:
  SourceCheck() {
    kernel_.manifest = "template.toml";
    kernel_.source = folder_.path() / "kernel.cu";
    kernel_.include_directories = {folder_.path()};
    kernel_.reference.default_configuration = true;
    kernel_.launches.resize(1);
    kernel_.launches[0].place = "launches[0]";
    kernel_.launches[0].kernel = "scale";
  }

  // What is wrong with a launch of `name` and this source; empty: nothing.
  std::string faults(const std::string& source, const std::string& name = "scale") {
    folder_.write("kernel.cu", source);
    kernel_.launches[0].kernel = name;
    try {
      check_sources(kernel_);
    } catch (const ManifestError& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
  KernelTemplate kernel_;
};

TEST(KernelNames, AreThoseOfGlobalFunctions) {
  EXPECT_THAT(kernel_names(source_tokens(R"(
__device__ float twice(float x) { return 2 * x; }
extern "C" __global__ void __launch_bounds__(256, 2) first(float* x);
template <class T> __global__ void second(T* x) { x[0] = twice(x[0]); }
extern "C" void __global__ third(int n) {}
// __global__ void fourth() {}
)")),
              ElementsAre("first", "second", "third"));
}

TEST_F(SourceCheck, AsksForTheArgumentsOfATemplate) {
  const std::string source = "template <typename T, int N>\n__global__ void scale(T* x) {}";
  EXPECT_THAT(faults(source),
              HasSubstr("kernel.cu:1), template <typename T, int N>: write its arguments, as scale<…>"));
  EXPECT_EQ(faults(source, "scale<float, {N}>"), "");
  EXPECT_EQ(faults("__global__ void scale(float* x) {}"), "");
}

TEST_F(SourceCheck, NamesTheKernelsThereAreForOneThatIsNotThere) {
  EXPECT_THAT(faults("__global__ void scale_rows(float* x) {}\n__global__ void sum(float* x) {}"),
              AllOf(HasSubstr("template.toml: launches[0].kernel: "),
                    HasSubstr("kernel.cu has no kernel 'scale' (did you mean scale_rows?); it has scale_rows, sum")));
  EXPECT_THAT(faults("void scal() {}"), HasSubstr("it has no __global__ function at all"));
}

TEST_F(SourceCheck, FindsAReferencesKernelMissingToo) {
  kernel_.reference.default_configuration = false;
  kernel_.reference.source = folder_.path() / "reference.cu";
  kernel_.reference.launches.resize(1);
  kernel_.reference.launches[0].place = "reference.launches[0]";
  kernel_.reference.launches[0].kernel = "right";
  folder_.write("reference.cu", "__global__ void rigth(double* x) {}");
  EXPECT_THAT(faults("__global__ void scale(float* x) {}"),
              HasSubstr("reference.launches[0].kernel: " + (folder_.path() / "reference.cu").string() +
                        " has no kernel 'right' (did you mean rigth?); it has rigth"));
}

TEST_F(SourceCheck, AcceptsKernelsOfHeadersNamespacesTemplatesAndMacros) {
  EXPECT_EQ(faults("__global__ void scale(float* x) {}"), "");
  EXPECT_EQ(faults("template <class T, int N> __global__ void scale(T* x) {}", "ours::scale<{TYPE}, 4>"), "");
  EXPECT_EQ(faults("#define KERNEL scale\n__global__ void KERNEL(float* x) {}"), "");
  EXPECT_EQ(faults("#define NAME(a, b) a##b\n__global__ void NAME(sc, ale)(float* x) {}"), "");
  EXPECT_EQ(faults("__global__ void scale_float(float* x) {}", "scale_{TYPE}"), "");
  folder_.write("scale.h", "__global__ void scale(float* x) {}");
  EXPECT_EQ(faults("#include \"scale.h\""), "");
  EXPECT_EQ(faults("#include \"generated.h\""), "");  // not found here: the compiler may know more
}

constexpr char with_shared[] = "__global__ void scale(float* x) {\n  extern __align__(16) __shared__ float s[];\n}";

TEST_F(SourceCheck, SaysThatSharedMemoryNeedsItsNumberOfBytes) {
  kernel_.launches[0].says_shared = false;
  EXPECT_THAT(faults(with_shared), AllOf(HasSubstr("kernel.cu:2: extern __shared__ memory"), HasSubstr("shared = ")));
  EXPECT_EQ(faults("extern \"C\" __global__ void scale(float* x) {\n  __shared__ float s[32];\n}"), "");
  EXPECT_EQ(faults("// extern __shared__ float s[];\n__global__ void scale(float* x) {}"), "");
}

TEST_F(SourceCheck, LeavesSharedMemoryAloneOfKernelsThatAreNotLaunched) {
  kernel_.launches[0].says_shared = false;
  const std::string other = "__global__ void other(float* x) {\n  extern __shared__ float s[];\n}\n";
  EXPECT_EQ(faults(other + "__global__ void scale(float* x) {}"), "");
  EXPECT_THAT(faults(other + with_shared), HasSubstr("kernel.cu:5: extern __shared__ memory"));
  EXPECT_THAT(faults("extern __shared__ float s[];\n" + other + "__global__ void scale(float* x) {}"),
              HasSubstr("kernel.cu:1: extern __shared__ memory"));
}

TEST_F(SourceCheck, LeavesSharedMemoryAloneOfWhichALaunchSaysSomething) {
  kernel_.launches[0].says_shared = true;  // be it 0
  EXPECT_EQ(faults(with_shared), "");
}

TEST(SourcesOfTheTemplates, HaveNoneOfTheseFaults) {
  std::size_t checked = 0;
  for (const auto& folder : std::filesystem::directory_iterator(source_folder() + "/templates")) {
    if (!std::filesystem::exists(folder.path() / "template.toml")) continue;
    const KernelTemplate kernel = load_manifest(folder.path());
    EXPECT_NO_THROW(check_sources(kernel)) << kernel.name;
    EXPECT_TRUE(kernel.notes.empty()) << kernel.name << ": " << kernel.notes.front();
    ++checked;
  }
  EXPECT_GT(checked, 30u);
}

TEST_F(SourceCheck, RefusesARealNumberWhereTheKernelTakesAnInteger) {
  Argument count{.name = "n", .type = ElementType::i32, .value = search::Expression::constant(std::int64_t{8})};
  Argument factor{.name = "a", .type = ElementType::f32, .value = search::Expression::constant(1.5)};
  Argument data{.name = "x"};
  kernel_.arguments = {count, factor, data};
  kernel_.launches[0].arguments = {"a", "n", "x"};
  const std::string source = "__global__ void scale(const unsigned int n, float a, float* x) {}";
  EXPECT_THAT(faults(source), AllOf(HasSubstr("launches[0].arguments[0]: a is float, and scale takes it as 'const"),
                                    HasSubstr("arguments[1]: n is int32"), HasSubstr("kernel.cu:1)")));
  kernel_.launches[0].arguments = {"n", "a", "x"};
  EXPECT_EQ(faults(source), "");
}

TEST_F(SourceCheck, LeavesScalarsOfOtherTypesAndOfSeveralDefinitionsAlone) {
  kernel_.arguments = {{.name = "a", .type = ElementType::f32, .value = search::Expression::constant(1.5)}};
  kernel_.launches[0].arguments = {"a"};
  EXPECT_EQ(faults("template <class T> __global__ void scale(T a) {}", "scale<float>"), "");
  EXPECT_EQ(faults("__global__ void scale(REAL a) {}"), "");
  EXPECT_EQ(faults("__global__ void scale(int* a) {}"), "");
  EXPECT_EQ(faults("#if N\n__global__ void scale(int a) {}\n#else\n__global__ void scale(float a) {}\n#endif"), "");
}

TEST_F(SourceCheck, RefusesABufferOfAnotherTypeThanTheKernelsPointer) {
  Argument x{.name = "x", .type = ElementType::i8};
  Argument y{.name = "y", .type = ElementType::f32, .role = Role::output};
  kernel_.arguments = {x, y};
  kernel_.launches[0].arguments = {"x", "y"};
  const std::string source = "__global__ void scale(const float* __restrict__ x,\n  float y[]) {}";
  for (const ElementType type : {ElementType::i8, ElementType::i32, ElementType::f64, ElementType::f16}) {
    kernel_.arguments[0].type = type;
    EXPECT_THAT(faults(source), AllOf(HasSubstr("launches[0].arguments[0]: x is " + std::string(to_string(type)) +
                                                ", and scale takes it as 'const float* __restrict__ x'"),
                                      HasSubstr("kernel.cu:1). Is the order wrong, or a type?")));
  }
  kernel_.arguments[0].type = ElementType::f32;
  EXPECT_EQ(faults(source), "");
  kernel_.arguments[1].type = ElementType::i32;
  EXPECT_THAT(faults(source), AllOf(HasSubstr("arguments[1]: y is int32"), HasSubstr("kernel.cu:2)")));
}

// Whether a launch of a kernel with this parameter accepts a buffer of the type.
class Pointers : public SourceCheck {
 protected:
  bool accept(ElementType type, const std::string& parameter, const std::string& before = "") {
    kernel_.arguments = {{.name = "x", .type = type}};
    kernel_.launches[0].arguments = {"x"};
    return faults(before + "__global__ void scale(" + parameter + ") {}").empty();
  }
};

TEST_F(Pointers, TakeBuffersOfTheSameSizeAndKind) {
  using enum ElementType;
  EXPECT_TRUE(accept(u32, "int* x"));
  EXPECT_TRUE(accept(i32, "unsigned int const* x"));
  EXPECT_TRUE(accept(u64, "long long* x"));
  EXPECT_TRUE(accept(i64, "const std::size_t* x"));
  EXPECT_TRUE(accept(u8, "bool* x"));
  EXPECT_TRUE(accept(f16, "const __half* x"));
  EXPECT_TRUE(accept(bf16, "unsigned short* x"));  // its bits
  EXPECT_TRUE(accept(i8, "const int* x"));         // four of them, for __dp4a
  EXPECT_FALSE(accept(i32, "long long* x"));
  EXPECT_FALSE(accept(u16, "unsigned* x"));
  EXPECT_TRUE(accept(f32, "unsigned* x"));  // the bits of reals above 0 compare as these do
  EXPECT_FALSE(accept(f32, "unsigned long* x"));
  EXPECT_FALSE(accept(u32, "float* x"));
  EXPECT_FALSE(accept(f32, "int x[16]"));
  EXPECT_FALSE(accept(f64, "float x[]"));
  EXPECT_FALSE(accept(bf16, "__half* x"));
  EXPECT_FALSE(accept(f32, "bool* x"));
}

TEST_F(Pointers, TakeAnythingWhereTheirTextDoesNotTell) {
  using enum ElementType;
  for (const char* parameter : {"void* x", "unsigned char* x", "const char* x", "float4* x", "Body* x", "float** x",
                                "Vector<float>* x", "REAL* x", "T* x", "long double* x"})
    EXPECT_TRUE(accept(i16, parameter)) << parameter;
  EXPECT_TRUE(accept(f32, "half* x", "typedef float half;\n"));
  EXPECT_TRUE(accept(f32, "uint* x", "using uint = float;\n"));
  EXPECT_TRUE(accept(f64, "float* x", "#define float double\n"));
}

TEST_F(Pointers, OfAReferenceTakeOutputsInItsOwnType) {
  kernel_.arguments = {{.name = "x", .type = ElementType::f32},
                       {.name = "y", .role = Role::output, .reference_type = ElementType::f64}};
  kernel_.launches[0].arguments = {"x", "y"};
  kernel_.reference.default_configuration = false;
  kernel_.reference.source = folder_.path() / "reference.cu";
  kernel_.reference.launches = kernel_.launches;
  kernel_.reference.launches[0].place = "reference.launches[0]";
  kernel_.reference.temporaries = {{.name = "sums", .type = ElementType::f64}};
  kernel_.reference.launches[0].arguments = {"x", "y", "sums"};
  const std::string source = "__global__ void scale(const float* x, float* y) {}";
  folder_.write("reference.cu", "__global__ void scale(const float* x, double* y, double* sums) {}");
  EXPECT_EQ(faults(source), "");
  folder_.write("reference.cu", "__global__ void scale(const float* x, float* y, float* sums) {}");
  EXPECT_THAT(faults(source), AllOf(HasSubstr("reference.launches[0].arguments[1]: y is double"),
                                    HasSubstr("arguments[2]: sums is double")));
}

// A reference in C++ with these parameters, for the arguments n, a, x and y.
class ReferenceFunction : public SourceCheck {
 protected:
  std::string faults_of(const std::string& parameters, const std::string& before = "") {
    const auto one = search::Expression::constant(std::int64_t{1});
    kernel_.arguments = {{.name = "n", .type = ElementType::i32, .value = one},
                         {.name = "a", .type = ElementType::f32, .value = one},
                         {.name = "x", .type = ElementType::f32},
                         {.name = "y", .role = Role::output, .reference_type = ElementType::f64}};
    kernel_.launches[0].arguments = {"n", "a", "x", "y"};
    kernel_.reference.default_configuration = false;
    kernel_.reference.source = folder_.write("reference.cpp", before + "void right(" + parameters + ") {}\n");
    kernel_.reference.function = HostFunction{"right", kernel_.reference.source, {"n", "a", "x", "y"}};
    return faults("__global__ void scale(int n, float a, const float* x, float* y) {}");
  }
};

TEST_F(ReferenceFunction, IsRefusedWhereItTakesAnArgumentAsAnotherType) {
  EXPECT_EQ(faults_of("int n, float a, const float* x, double* y"), "");
  EXPECT_EQ(faults_of("const unsigned n, float const a, float* x, double y[]"), "");
  EXPECT_THAT(faults_of("int n, double a, const float* x, double* y"),
              AllOf(HasSubstr("template.toml: reference.arguments[1]: a is float, and right takes it as 'double a'"),
                    HasSubstr("reference.cpp:1). Is the order wrong, or a type?")));
  EXPECT_THAT(faults_of("size_t n, float a, const float* x, double* y"), HasSubstr("n is int32"));
  EXPECT_THAT(faults_of("float n, float a, const float* x, double* y"), HasSubstr("n is int32"));
  EXPECT_THAT(faults_of("int n, float a, const double* x, double* y"), HasSubstr("x is float"));
  EXPECT_THAT(faults_of("int n, float a, const float* x, float* y"), HasSubstr("y is double"));
}

TEST_F(ReferenceFunction, IsLeftAloneWhereItsTextDoesNotTell) {
  EXPECT_EQ(faults_of("count_t n, REAL a, const REAL* x, result* y"), "");
  EXPECT_EQ(faults_of("int n, double a, const float* x, double* y", "#define double float\n"), "");
  EXPECT_EQ(faults_of("int, float, const float*, double*"), "");
  EXPECT_EQ(faults_of("T n, double a, const T* x, T* y", "template <class T> "), "");
  EXPECT_EQ(faults_of("int n, double a, const float* x, double* y", "void right(int n) {}\n"), "");
}

TEST_F(SourceCheck, FindsKernelsOfHeadersThatOptionsName) {
  folder_.write("kernels.cuh", "__global__ void scale(float* x) { x[0] *= 2; }\n");
  kernel_.backend_options["host"] = {"-include", "kernels.cuh"};
  EXPECT_EQ(faults("__device__ void nothing() {}\n"), "");
}

}  // namespace
}  // namespace warptune::tuner
