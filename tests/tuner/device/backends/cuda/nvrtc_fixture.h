// NVRTC for one architecture, without a device; tests are skipped where NVRTC is not installed.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/support/toolkit.h"
#include "tuner/device/backends/cuda/entry.h"
#include "tuner/device/device_error.h"

namespace warptune::tuner {

class WithNvrtc : public testing::Test {
 protected:
  void SetUp() override {
    try {
      compiler("sm_90");
    } catch (const NoDeviceError& error) {
      GTEST_SKIP() << "NVRTC IS NOT TESTED HERE: " << error.what();
    }
  }

  std::unique_ptr<Compiler> compiler(const std::string& architecture) {
    DeviceInfo device;
    device.architecture = architecture;
    return cuda::entry().compiler(device, options_);
  }
  CompileResult compile(const CompileRequest& request, const std::string& architecture = "sm_90") {
    return compiler(architecture)->compile(request);
  }

  BackendOptions options_ = toolkit_options();
};

}  // namespace warptune::tuner
