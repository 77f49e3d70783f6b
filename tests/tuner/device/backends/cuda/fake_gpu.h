// A device of the cuda backend over the fake driver, and the fake's control.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "tests/fakes/fake_cuda.h"
#include "tests/fakes/fake_nvml.h"
#include "tuner/device/backends/cuda/entry.h"

namespace warptune::tuner {

class FakeGpu : public testing::Test {
 protected:
  static constexpr const char* folder = FAKE_LIBRARIES_DIR "/cuda";

  void SetUp() override {
    void* library = ::dlopen(FAKE_LIBRARIES_DIR "/cuda/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    reinterpret_cast<decltype(&fake_cuda_reset)>(::dlsym(library, "fake_cuda_reset"))();
    fake_ = reinterpret_cast<decltype(&fake_cuda_control)>(::dlsym(library, "fake_cuda_control"))();
    void* nvml = ::dlopen(FAKE_LIBRARIES_DIR "/cuda/libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(nvml, nullptr) << ::dlerror();
    nvml_ = reinterpret_cast<decltype(&fake_nvml_control)>(::dlsym(nvml, "fake_nvml_control"))();
    *nvml_ = {};
    options_.library_directories = {folder};
    options_.kernel_timeout_s = 0.02;
  }

  std::unique_ptr<Device> open(const std::string& id = "cuda:0") {
    DeviceInfo wanted;
    wanted.id = id;
    return cuda::entry().open(wanted, options_);
  }

  // A module that the fake accepts, with these kernels and variables.
  static MachineCode code(const std::vector<std::string>& names) {
    MachineCode made;
    made.bytes.resize(64);
    std::memcpy(made.bytes.data(), "\177ELF", 4);
    for (const auto& name : names) made.linkage_names[name] = name;
    return made;
  }

  // The error that `action` ends with; none is a failure of the test.
  template <typename Action>
  static DeviceError error_of(Action action) {
    try {
      action();
    } catch (const DeviceError& error) {
      return error;
    }
    ADD_FAILURE() << "no DeviceError was thrown";
    return DeviceError(search::Outcome::correct, "", "");
  }

  fakes::FakeCuda* fake_ = nullptr;
  fakes::FakeNvml* nvml_ = nullptr;
  BackendOptions options_;
};

}  // namespace warptune::tuner
