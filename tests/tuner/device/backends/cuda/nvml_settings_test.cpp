// Clocks and power caps, set and put back, over the fake NVML.
#include "tuner/device/backends/cuda/sensors/nvml_settings.h"

#include <gmock/gmock.h>

#include "tests/tuner/device/backends/cuda/fake_gpu.h"

namespace warptune::tuner::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class NvmlSettingsOfAFake : public FakeGpu {
 protected:
  void SetUp() override {
    FakeGpu::SetUp();
    nvml_settings_ = std::make_unique<NvmlSettings>(options_, "GPU-1", "cuda:0 (Fake GPU)");
  }

  std::string refusal_of(const DeviceSettings& wanted) {
    try {
      nvml_settings_->apply(wanted);
    } catch (const DeviceSettingsError& error) {
      return error.what();
    }
    return "it was not refused";
  }

  std::unique_ptr<NvmlSettings> nvml_settings_;
};

TEST_F(NvmlSettingsOfAFake, AreSetAndPutBack) {
  const ChangedSettings changed = nvml_settings_->apply({1200, 300});
  EXPECT_EQ(nvml_->locked_mhz, 1200);
  EXPECT_EQ(nvml_->cap_mw, 300'000);
  nvml_settings_->restore(changed);
  EXPECT_EQ(nvml_->locked_mhz, 0);
  EXPECT_EQ(nvml_->cap_mw, 700'000);
}

TEST_F(NvmlSettingsOfAFake, TouchNothingThatWasNotAskedFor) {
  nvml_->cap_mw = 650'000;
  const ChangedSettings clock = nvml_settings_->apply({1200, 0});
  EXPECT_EQ(clock.previous_cap_mw, 0);
  nvml_settings_->restore(clock);
  nvml_->locked_mhz = 900;  // by somebody else
  nvml_settings_->restore(nvml_settings_->apply({0, 300}));
  EXPECT_EQ(nvml_->locked_mhz, 900);
  EXPECT_EQ(nvml_->cap_mw, 650'000);
}

TEST_F(NvmlSettingsOfAFake, SayWhoMayWithoutPermission) {
  nvml_->set_result = 4;
  EXPECT_THAT(refusal_of({1200, 0}),
              AllOf(HasSubstr("locking the graphics clock at 1200 MHz on cuda:0 (Fake GPU) failed"),
                    HasSubstr("NVML_ERROR_NO_PERMISSION 4 (Insufficient Permissions)"), HasSubstr("as root"),
                    HasSubstr("nvidia-smi")));
}

TEST_F(NvmlSettingsOfAFake, AreBothSetOrNeither) {
  nvml_->cap_result = 4;
  EXPECT_THAT(refusal_of({1200, 300}), HasSubstr("setting the power cap to 300 W"));
  EXPECT_EQ(nvml_->locked_mhz, 0);
}

TEST_F(NvmlSettingsOfAFake, NameTheRangeOfCaps) {
  EXPECT_THAT(refusal_of({1200, 5000}), HasSubstr("it takes 200 to 700 W"));
  EXPECT_EQ(nvml_->locked_mhz, 0);
  EXPECT_EQ(nvml_->cap_mw, 700'000);
}

}  // namespace
}  // namespace warptune::tuner::cuda
