// Code that launches kernels by itself, over the real NVRTC and nvJitLink; no device is needed.
#include "tuner/device/backends/cuda/compile/linker.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/support/cubin_resources.h"
#include "tests/support/temporary_folder.h"
#include "tests/tuner/device/backends/cuda/nvrtc_fixture.h"

// The leak sanitizer's hook: nvJitLink 13 keeps memory of its own for good, which is not ours to find.
extern "C" const char* __lsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libnvJitLink.so\n";
}

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr char launching[] = R"(
__global__ void child(float* x) { x[threadIdx.x] *= 2; }
extern "C" __global__ void parent(float* x) {
  child<<<1, 32, 0, cudaStreamFireAndForget>>>(x);
  if (cudaGetLastError() != cudaSuccess) *x = 0;
}
)";

class DeviceLinking : public WithNvrtc {
 protected:
  void SetUp() override {
    WithNvrtc::SetUp();
    if (IsSkipped()) return;
    const CompileResult probe = compile(request());
    if (probe.log.find("cannot be linked") != std::string::npos)
      GTEST_SKIP() << "DEVICE LINKING IS NOT TESTED HERE: " << probe.log;
  }
  static CompileRequest request(const std::string& source = launching) {
    return {.name = "test/kernel.cu", .source = source, .options = {"-std=c++17", "-rdc=true"}, .kernels = {"parent"}};
  }
};

TEST_F(DeviceLinking, FinishesCodeForEveryArchitecture) {
  for (const char* architecture : {"sm_75", "sm_80", "sm_90", "sm_100"}) {
    const CompileResult result = compile(request(), architecture);
    ASSERT_TRUE(result.code) << architecture << "\n" << result.log;
    EXPECT_EQ(result.code->linkage_names.at("parent"), "parent");
    EXPECT_TRUE(cuda::cubin_resources(result.code->bytes).contains("parent")) << architecture;
  }
}

TEST_F(DeviceLinking, KeepsAVariantOfTheArchitecture) {
  CompileRequest wanted = request();
  wanted.options.push_back("-arch=sm_90a");
  const CompileResult result = compile(wanted);
  EXPECT_TRUE(result.code) << result.log;
}

TEST_F(DeviceLinking, SaysWhatCannotBeResolved) {
  const CompileResult result =
      compile(request("__device__ void elsewhere(); extern \"C\" __global__ void parent() { elsewhere(); }"));
  EXPECT_FALSE(result.code);
  EXPECT_THAT(result.log, AllOf(HasSubstr("linking test/kernel.cu"), HasSubstr("libcudadevrt.a"), HasSubstr("sm_90"),
                                HasSubstr("elsewhere")));
}

TEST(DeviceLinkingWithoutItsLibraries, SaysWhichOneIsMissing) {
  const TemporaryFolder folder;
  folder.write("libnvJitLink.so.13", "no library at all");
  BackendOptions options;
  options.library_directories = {folder.path()};
  try {
    cuda::Linker(options, folder.path() / "libnvrtc.so.13");
  } catch (const NoDeviceError& error) {
    EXPECT_THAT(error.what(), AllOf(testing::AnyOf(HasSubstr("libnvJitLink.so.13"), HasSubstr("libcudadevrt.a")),
                                    HasSubstr("install the CUDA toolkit")));
  }
}

TEST(DeviceLinkingWithoutItsSymbols, NamesTheOneThatIsMissing) {
  BackendOptions options;
  options.library_directories = {FAKE_LIBRARIES_DIR "/old_linker"};
  try {
    cuda::Linker(options, FAKE_LIBRARIES_DIR "/old_linker/libnvrtc.so.13");
    FAIL() << "opened a linker without functions";
  } catch (const NoDeviceError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("old_linker"), HasSubstr("nvJitLinkComplete"), HasSubstr("CUDA 12")));
  }
}

TEST(DeviceLinkingIsFor, RelocatableCodeOnly) {
  EXPECT_TRUE(cuda::must_be_linked({"-std=c++17", "-rdc=true"}));
  EXPECT_TRUE(cuda::must_be_linked({"--relocatable-device-code=true"}));
  EXPECT_FALSE(cuda::must_be_linked({"-std=c++17", "-rdc=false"}));
}

}  // namespace
}  // namespace warptune::tuner
