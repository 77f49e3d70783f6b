// The kernels that measure roofs, through the real NVRTC, which needs no GPU.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/cubin_resources.h"
#include "tests/support/toolkit.h"
#include "tuner/device/backend.h"
#include "tuner/device/roofline/measure_roofs.h"

namespace warptune::tuner {
namespace {

class RoofsUnderNvrtc : public testing::TestWithParam<int> {};

// A kernel that spilled would measure its spills.
TEST_P(RoofsUnderNvrtc, CompileWithoutSpills) {
  DeviceInfo device;
  device.backend = "cuda";
  device.compute_capability = GetParam();
  device.architecture = "sm_" + std::to_string(GetParam());
  const auto cuda = std::ranges::find(backends(), std::string_view("cuda"), &BackendEntry::name);
  std::unique_ptr<Compiler> compiler;
  try {
    compiler = cuda->compiler(device, toolkit_options());
  } catch (const NoDeviceError& error) {
    GTEST_SKIP() << "NVRTC is not on this machine: " << error.what();
  }
  const std::vector<CompileRequest> requests = roof_requests(device);
  EXPECT_EQ(requests.size(), GetParam() == 75 ? 1u : GetParam() == 90 ? 3u : 2u);
  for (const CompileRequest& request : requests) {
    const CompileResult result = compiler->compile(request);
    ASSERT_TRUE(result.code) << result.log;
    EXPECT_EQ(result.log.find("wgmma.mma_async instructions are serialized"), std::string::npos) << result.log;
    const auto uses = cuda::cubin_resources(result.code->bytes);
    for (const std::string& kernel : request.kernels) {
      ASSERT_TRUE(uses.contains(kernel)) << kernel;
      EXPECT_EQ(uses.at(kernel).local_bytes_per_thread, 0) << kernel;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, RoofsUnderNvrtc, testing::Values(75, 80, 90, 100),
                         [](const auto& information) { return "sm_" + std::to_string(information.param); });

}  // namespace
}  // namespace warptune::tuner
