// Sampling on a device, and what NVML says meanwhile, over the fakes.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/tuner/device/backends/cuda/fake_gpu.h"
#include "tuner/measure/sampling/energy.h"

namespace warptune::tuner {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

class CudaTiming : public FakeGpu {
 protected:
  void SetUp() override {
    FakeGpu::SetUp();
    device_ = open();
    module_ = device_->load(code({"lead", "prepare", "work"}));
    fake_->launches.clear();
  }

  std::function<void()> launching(const std::string& kernel, int times = 1) {
    return [this, kernel, times] {
      for (int i = 0; i < times; ++i) module_->kernel(kernel).launch({}, {});
    };
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<Module> module_;
};

TEST_F(CudaTiming, TimesTheWorkAloneAndEachSampleOnItsOwn) {
  fake_->launch_ms = 0.5;
  const auto samples = device_->sample_ms({launching("work", 3), launching("lead"), launching("prepare"), 2});
  EXPECT_THAT(samples, ElementsAre(1.5, 1.5));
  EXPECT_THAT(fake_->launches,
              ElementsAre("lead", "prepare", "work", "work", "work", "prepare", "work", "work", "work"));
}

TEST_F(CudaTiming, QueuesShortLaunchesAsAGraph) {
  fake_->launch_ms = 0.002;
  Timing timing{launching("work", 10), {}, {}, 4};
  timing.short_launches = true;
  const auto samples = device_->sample_ms(timing);
  EXPECT_THAT(samples, SizeIs(4));
  EXPECT_THAT(samples, Each(testing::DoubleNear(0.02, 1e-6)));
  EXPECT_EQ(fake_->graph_launches, 5);  // one more, untimed, carries it to the device
  EXPECT_EQ(fake_->open_graphs, 0);
}

TEST_F(CudaTiming, LaunchesOneByOneWhatCannotBecomeAGraph) {
  Timing timing{launching("work", 2), {}, {}, 1};
  timing.short_launches = true;
  for (const char* function : {"cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphInstantiate"}) {
    fake_->refusals = {{function, CUDA_ERROR_UNKNOWN}};
    EXPECT_THAT(device_->sample_ms(timing), SizeIs(1)) << function;
    EXPECT_EQ(fake_->graph_launches, 0) << function;
    EXPECT_EQ(fake_->open_graphs, 0) << function;
  }
}

TEST_F(CudaTiming, ARefusedLaunchEndsTheRecording) {
  Timing timing{[this] { module_->kernel("work").launch({{1}, {4096}, 0}, {}); }, {}, {}, 1};
  timing.short_launches = true;
  EXPECT_EQ(error_of([&] { device_->sample_ms(timing); }).outcome(), search::Outcome::resource_limit);
  EXPECT_THAT(device_->sample_ms({launching("work"), {}, {}}), SizeIs(1));
  EXPECT_EQ(fake_->open_graphs, 0);
}

TEST_F(CudaTiming, ReadsClockPowerAndTemperatureWhileTheDeviceWorks) {
  nvml_->clock_mhz = 1755;
  nvml_->power_mw = 512'500;
  nvml_->celsius = 61;
  EXPECT_FALSE(device_->state().clock_mhz.has_value());
  device_->time_ms(launching("work"));
  EXPECT_EQ(device_->state().clock_mhz, 1755);
  EXPECT_EQ(device_->state().power_w, 512.5);
  EXPECT_EQ(device_->state().temperature_c, 61);
}

TEST_F(CudaTiming, CountsJoules) {
  nvml_->energy_mj = 12'345;
  EXPECT_EQ(device_->energy_j(), 12.345);
}

// NVML's counter as an H200 has it: it moves every 0.1 s, at 400 W here.
TEST_F(CudaTiming, AnEnergyIsThatBetweenTwoMovesOfTheCounter) {
  double now_s = 0;
  const QueuedRuns runs{[&](int count) {
                          now_s += count * 0.5e-3;
                          nvml_->energy_mj =
                              static_cast<unsigned long long>(400'000 * (std::floor(now_s / 0.1 + 1e-9) * 0.1));
                        },
                        [] {}};
  const auto measure = [&](const EnergyStretch& stretch) {
    return joules_per_run(
        runs, 0.5, [&] { return device_->energy_j(); }, [&] { return now_s; }, stretch);
  };
  nvml_->energy_mj = 0;
  const auto precise = measure({});
  ASSERT_TRUE(precise.has_value());
  EXPECT_NEAR(precise->joules, 0.2, 0.004);
  const auto rough = measure({EnergyStretch::rough_s, precise->end});
  ASSERT_TRUE(rough.has_value());
  EXPECT_NEAR(rough->joules, 0.2, 0.01);
  EXPECT_NEAR(now_s, 0.4, 0.03) << "three intervals for the precise one, one for the other";
  nvml_->result = 3;  // NVML_ERROR_NOT_SUPPORTED
  EXPECT_FALSE(measure({}));
}

TEST_F(CudaTiming, KnowsNothingThatNvmlRefusesToTell) {
  nvml_->result = 3;  // NVML_ERROR_NOT_SUPPORTED
  EXPECT_FALSE(device_->energy_j().has_value());
  device_->time_ms(launching("work"));
  EXPECT_FALSE(device_->state().clock_mhz.has_value());
  EXPECT_FALSE(device_->state().power_w.has_value());
}

TEST_F(CudaTiming, EccAndPowerLimitBelongToTheDevice) {
  std::string why_none;
  const auto devices = cuda::entry().devices(options_, why_none);
  EXPECT_EQ(devices.at(0).ecc, 1);
  EXPECT_EQ(devices.at(0).power_limit_w, 700);
}

}  // namespace
}  // namespace warptune::tuner
