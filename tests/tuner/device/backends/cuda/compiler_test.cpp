// The compiler, over the real NVRTC; no device is needed.
#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>
#include <thread>

#include "tests/support/temporary_folder.h"
#include "tests/tuner/device/backends/cuda/nvrtc_fixture.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class NvrtcCompiler : public WithNvrtc {
 protected:
  static CompileRequest request(const std::string& source, const std::vector<std::string>& kernels = {}) {
    return {.name = "test/kernel.cu", .source = source, .options = {"-std=c++17"}, .kernels = kernels};
  }
};

TEST_F(NvrtcCompiler, TellsItsVersion) {
  EXPECT_THAT(compiler("sm_90")->version(), testing::MatchesRegex("NVRTC [0-9]+\\.[0-9]+"));
}

TEST_F(NvrtcCompiler, MakesMachineCodeAndKeepsCNames) {
  const auto result = compile(request("extern \"C\" __global__ void scale(float* x) { *x *= 2; }", {"scale"}));
  ASSERT_TRUE(result.code) << result.log;
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(result.code->bytes.data()), 4), "\177ELF");
  EXPECT_EQ(result.code->linkage_names.at("scale"), "scale");
}

TEST_F(NvrtcCompiler, FindsTemplatesAndVariablesByNameExpression) {
  auto wanted = request(
      "namespace n { __constant__ float factors[4]; template <typename T, int N> __global__ void fill(T* x) { x[0] = N "
      "* "
      "factors[1]; } }",
      {"n::fill<float, 2 + 2>", "n::fill<double, 1>"});
  wanted.symbols = {"n::factors"};
  const auto result = compile(wanted);
  ASSERT_TRUE(result.code) << result.log;
  EXPECT_EQ(result.code->linkage_names.size(), 3);
  EXPECT_THAT(result.code->linkage_names.at("n::fill<float, 2 + 2>"), StartsWith("_ZN1n4fillIfLi4E"));
  EXPECT_THAT(result.code->linkage_names.at("n::factors"), HasSubstr("factors"));
}

TEST_F(NvrtcCompiler, PassesDefines) {
  auto wanted = request("static_assert(N == 42); extern \"C\" __global__ void k(TYPE* x) { *x = N; }", {"k"});
  wanted.defines = {{"N", "42"}, {"TYPE", "unsigned long long"}};
  const auto result = compile(wanted);
  EXPECT_TRUE(result.code) << result.log;
}

// NVRTC's own headers are read before the source, and use such names themselves.
TEST_F(NvrtcCompiler, DefinesMacrosForTheSourceAloneAndKeepsItsLines) {
  auto wanted = request("extern \"C\" __global__ void k(float* x) { *x = (type)1.5f + T; }\n#error line 2\n", {"k"});
  wanted.defines = {{"type", "int"}, {"T", "4"}};
  EXPECT_THAT(compile(wanted).log, HasSubstr("test/kernel.cu(2): catastrophic error: #error directive: line 2"));
  wanted.source.resize(wanted.source.find("#error"));
  const auto result = compile(wanted);
  EXPECT_TRUE(result.code) << result.log;
}

TEST_F(NvrtcCompiler, DefinesMacrosBeforeAHeaderThatAnOptionNames) {
  const TemporaryFolder folder;
  const auto first = folder.write("first.h", "enum { twice_n = 2 * N };\n");
  auto wanted = request("extern \"C\" __global__ void k(int* x) { *x = twice_n; }", {"k"});
  wanted.options.push_back("--pre-include=" + first.string());
  wanted.defines = {{"N", "4"}};
  const auto result = compile(wanted);
  EXPECT_TRUE(result.code) << result.log;
}

// NVRTC looks for quoted names in a folder "test" of the current one, after the program's name.
TEST_F(NvrtcCompiler, FindsHeadersBelowItsRootAloneAndSpeaksOfThemWithoutIt) {
  const TemporaryFolder temporary;
  temporary.write("test/stray.cuh", "#define STRAY 1\n");
  temporary.write("root/home/near.cuh", "#include \"deep/far.cuh\"\n");
  temporary.write("root/home/deep/far.cuh", "#include \"sibling.cuh\"\n");
  temporary.write("root/home/deep/sibling.cuh", "#error reached\n");
  const std::filesystem::path& folder = temporary.path();
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  auto wanted = request("#include \"stray.cuh\"\n__global__ void k() {}");
  EXPECT_TRUE(compile(wanted).code);
  wanted.root = folder / "root";
  wanted.include_directories = {folder / "root/home"};
  const auto stray = compile(wanted);
  wanted.source = "#include \"near.cuh\"\n__global__ void k() {}";
  const auto reached = compile(wanted);
  std::filesystem::current_path(before);
  EXPECT_FALSE(stray.code);
  EXPECT_FALSE(stray.unfinished);
  EXPECT_THAT(stray.log, HasSubstr("test/kernel.cu(1)"));
  EXPECT_THAT(reached.log, HasSubstr("/home/deep/sibling.cuh(1)"));
  for (const auto& log : {stray.log, reached.log})
    EXPECT_THAT(log, testing::Not(HasSubstr(folder.filename().string())));
}

TEST_F(NvrtcCompiler, GivesTheLogOfWhatDoesNotCompile) {
  const auto result = compile(request("__global__ void k() {\n  undeclared = 1;\n}"));
  EXPECT_FALSE(result.code);
  EXPECT_FALSE(result.timed_out);
  EXPECT_THAT(result.log, AllOf(HasSubstr("test/kernel.cu(2): error"), HasSubstr("undeclared")));
}

TEST_F(NvrtcCompiler, GivesTheWarningsOfASuccess) {
  const auto result = compile(request("#warning mind the gap\nextern \"C\" __global__ void k() {}", {"k"}));
  EXPECT_TRUE(result.code);
  EXPECT_THAT(result.log, HasSubstr("mind the gap"));
}

TEST_F(NvrtcCompiler, NamesTheKernelThatTheSourceLacks) {
  const auto result = compile(request("__global__ void k() {}", {"other"}));
  EXPECT_FALSE(result.code);
  EXPECT_THAT(result.log, HasSubstr("other"));
}

TEST_F(NvrtcCompiler, RepeatsTheOptionsIfOneIsWrong) {
  auto wanted = request("__global__ void k() {}");
  wanted.options = {"--no-such-option"};
  const auto result = compile(wanted);
  EXPECT_FALSE(result.code);
  EXPECT_THAT(result.log, AllOf(HasSubstr("NVRTC_ERROR_INVALID_OPTION"), HasSubstr("--no-such-option"),
                                HasSubstr("--gpu-architecture=sm_90")));
}

// Those that manifests tune, as parameters' values make them (templates/MANIFEST.md).
TEST_F(NvrtcCompiler, TakesTheOptionsThatManifestsTune) {
  auto wanted = request("extern \"C\" __global__ void k(float* x) { *x = sinf(*x) * 3 + 1; }", {"k"});
  for (const char* option : {"-maxrregcount=32", "-fmad=true", "-fmad=false", "--use_fast_math", "--ptxas-options=-O1",
                             "-Xptxas=-O3", "--ptxas-options=-dlcm=cg"}) {
    wanted.options = {option};
    const auto result = compile(wanted);
    EXPECT_TRUE(result.code) << option << ": " << result.log;
  }
  wanted.options = {"-Xptxas", "-O1"};
  EXPECT_TRUE(compile(wanted).code);
}

TEST_F(NvrtcCompiler, SaysWhichTunedOptionIsWrong) {
  auto wanted = request("extern \"C\" __global__ void k(float* x) { *x = 1; }", {"k"});
  for (const char* option : {"-fmad=1", "-maxrregcount=many", "--ptxas-options=--no-such"}) {
    wanted.options = {option};
    const auto result = compile(wanted);
    EXPECT_FALSE(result.code) << option;
    const std::string name = option;
    EXPECT_THAT(result.log, testing::AnyOf(HasSubstr(option), HasSubstr("no-such"))) << name;
  }
}

TEST_F(NvrtcCompiler, KnowsTheMacrosOfMathThatNvccKnows) {
  const auto result = compile(request(
      "extern \"C\" __global__ void k(float* x) { *x = *x > M_PI ? INFINITY : NAN; }\n#include <math_constants.h>\n"
      "#define M_PI_2 1.5f\nextern \"C\" __global__ void own(float* x) { *x = M_PI_2; }",
      {"k", "own"}));
  EXPECT_TRUE(result.code) << result.log;
}

// They include libcu++, which CUDA 13 keeps in a folder that NVRTC does not know.
TEST_F(NvrtcCompiler, CompilesCooperativeGroups) {
  const auto result = compile(
      request("#include <cooperative_groups.h>\n"
              "extern \"C\" __global__ void k(int* x) { *x = cooperative_groups::this_thread_block().num_threads(); }",
              {"k"}));
  EXPECT_TRUE(result.code) << result.log;
}

TEST_F(NvrtcCompiler, FindsHeadersOfTheTemplateAndTheToolkit) {
  const TemporaryFolder folder;
  folder.write("mine.cuh", "#include <cuda_fp16.h>\ntemplate <typename T> __device__ T twice(T x) { return x + x; }\n");
  auto wanted = request("#include \"mine.cuh\"\nextern \"C\" __global__ void k(__half* x) { *x = twice(*x); }", {"k"});
  wanted.include_directories = {folder.path()};
  const auto result = compile(wanted);
  EXPECT_TRUE(result.code) << result.log;
  EXPECT_THAT(compiler("sm_90")->preprocess(wanted), AllOf(HasSubstr("twice(T x)"), HasSubstr("__half2float")));
}

TEST_F(NvrtcCompiler, CompilesForAVariantOfTheDevicesArchitecture) {
  auto wanted = request(
      "extern \"C\" __global__ void k() {\n"
      "#ifndef __CUDA_ARCH_FEAT_SM90_ALL\n#error this is not sm_90a\n#endif\n}",
      {"k"});
  wanted.options = {"--gpu-architecture=sm_90a"};
  EXPECT_TRUE(compile(wanted).code);
  EXPECT_THAT(compile(wanted, "sm_80").log, HasSubstr("this is not sm_90a"));
}

TEST_F(NvrtcCompiler, RefusesAnArchitectureThatItDoesNotKnow) {
  try {
    compiler("sm_20");
    FAIL() << "a compiler for sm_20";
  } catch (const NoDeviceError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("sm_20"), HasSubstr("sm_90"), HasSubstr("install")));
  }
}

TEST_F(NvrtcCompiler, IsSafeInManyThreads) {
  const auto shared = compiler("sm_90");
  std::vector<std::string> wrong(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < wrong.size(); ++i)
    threads.emplace_back([&, i] {
      auto wanted = request("template <int N> __global__ void k(int* x) { *x = N; }");
      wanted.kernels = {"k<" + std::to_string(i) + ">"};
      if (i % 4 == 3) wanted.source += "#error number " + std::to_string(i);
      const auto result = shared->compile(wanted);
      const bool right = i % 4 == 3 ? result.log.find("number " + std::to_string(i)) != std::string::npos
                                    : result.code && result.code->linkage_names.contains(wanted.kernels[0]);
      if (!right) wrong[i] = result.log + "!";
    });
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(wrong, Each(IsEmpty()));
}

TEST_F(NvrtcCompiler, GivesUpAtTheTimeout) {
  int major = 0, minor = 0;
  ASSERT_EQ(std::sscanf(compiler("sm_90")->version().c_str(), "NVRTC %d.%d", &major, &minor), 2);
  if (std::pair(major, minor) < std::pair(12, 8)) GTEST_SKIP() << "NVRTC before 12.8 cannot be stopped";
  options_.compile_timeout_s = 1e-9;
  const auto result = compile(request("extern \"C\" __global__ void k(float* x) { *x *= 2; }", {"k"}));
  EXPECT_FALSE(result.code);
  EXPECT_TRUE(result.timed_out);
  EXPECT_THAT(result.log, AllOf(HasSubstr("test/kernel.cu"), HasSubstr("time-out of 1e-09 s")));
}

TEST(NvrtcLibrary, ThatDoesNotLoadIsNamed) {
  const TemporaryFolder folder;
  std::filesystem::copy_file(FAKE_LIBRARIES_DIR "/cuda/libnvidia-ml.so.1", folder.path() / "libnvrtc.so.13");
  BackendOptions options;
  options.library_directories = {folder.path()};
  DeviceInfo device;
  device.architecture = "sm_90";
  try {
    cuda::entry().compiler(device, options);
    FAIL() << "a compiler without nvrtcVersion";
  } catch (const NoDeviceError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr(folder.path().string()), HasSubstr("nvrtcVersion"), HasSubstr("install")));
  }
}

// A kernel's file may include what nvcc gives it anyway.
TEST_F(NvrtcCompiler, TakesHeadersOfCAndCxxInAnyFile) {
  std::string source;
  for (const char* header : {"math.h",   "stdio.h",        "string.h",
                             "stdlib.h", "assert.h",       "stdint.h",
                             "stddef.h", "limits.h",       "float.h",
                             "cmath",    "cstdio",         "cstring",
                             "cstdlib",  "cassert",        "cstdint",
                             "climits",  "cfloat",         "iostream",
                             "vector",   "string",         "algorithm",
                             "chrono",   "limits",         "sys/time.h",
                             "unistd.h", "cuda_runtime.h", "device_launch_parameters.h"})
    source += "#include <" + std::string(header) + ">\n";
  const CompileResult result = compile(request(source + "extern \"C\" __global__ void k() {}", {"k"}));
  EXPECT_TRUE(result.code) << result.log;
  EXPECT_EQ(result.log, "");
}

TEST_F(NvrtcCompiler, KnowsWhatDeviceCodeUsesOfThem) {
  const CompileResult result = compile(request(R"(#include <stdint.h>
#include <cmath>
#include <climits>
#include <float.h>
#include <algorithm>
#include <limits>
#include <cstring>
#include <cassert>
#include <cstdio>
extern "C" __global__ void k(float* x, uint8_t* b, std::int64_t n) {
  assert(n > 0 && n < INT_MAX && INT32_MAX == INT_MAX && std::numeric_limits<int>::max() == INT_MAX);
  x[0] = std::sqrt(x[1]) + std::fabs(x[2]) + std::max(x[3], FLT_MAX) + std::min<float>(1, x[4]) + M_PI;
  memset(b, 0, n);
  if (std::isnan(x[0])) printf("%f\n", x[0]);
})",
                                               {"k"}));
  EXPECT_TRUE(result.code) << result.log;
}

TEST_F(NvrtcCompiler, AUsersOwnHeaderOfSuchANameWinsAndMayHaveAByteOrderMark) {
  const TemporaryFolder folder;
  folder.write("sub/string.h", "\xEF\xBB\xBF#define OWN 1\n");
  folder.write("a.cuh", "\xEF\xBB\xBF#include \"sub/string.h\"\n");
  CompileRequest own = request(
      "#include \"a.cuh\"\n#if !OWN\n#error another header\n#endif\nextern \"C\" __global__ void k() {}", {"k"});
  own.include_directories = {folder.path()};
  const CompileResult result = compile(own);
  EXPECT_TRUE(result.code) << result.log;
}

}  // namespace
}  // namespace warptune::tuner
