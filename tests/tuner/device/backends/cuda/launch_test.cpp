// Launch attributes on their way to the driver, over the fake.
#include <gmock/gmock.h>

#include "tests/tuner/device/backends/cuda/fake_gpu.h"

namespace warptune::tuner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

class CudaLaunch : public FakeGpu {
 protected:
  void SetUp() override {
    FakeGpu::SetUp();
    open_module();
  }

  void open_module() {
    device_ = open();
    module_ = device_->load(code({"scale"}));
    fake_->on_launch = [this](const fakes::FakeLaunch& launch) { seen_ = launch.attributes; };
  }

  void launch(const LaunchAttributes& attributes) { module_->kernel("scale").launch({{8}, {64}, 0, attributes}, {}); }

  static LaunchAttributes clusters_of(std::int64_t blocks) {
    LaunchAttributes attributes;
    attributes.cluster.x = blocks;
    return attributes;
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<Module> module_;
  std::map<int, std::vector<int>> seen_;
};

TEST_F(CudaLaunch, GivesTheDriverAllThatDiffersFromAPlainLaunch) {
  launch({{2, 1, 1}, {4, 2, 1}, -1, true, true, -3});
  EXPECT_THAT(seen_, UnorderedElementsAre(Pair(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, ElementsAre(2, 1, 1)),
                                          Pair(11, ElementsAre(4, 2, 1)),  // the preferred cluster
                                          Pair(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, ElementsAre(1)),
                                          Pair(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, ElementsAre(1)),
                                          Pair(CU_LAUNCH_ATTRIBUTE_PRIORITY, ElementsAre(-3))));
  EXPECT_THAT(fake_->settings, IsEmpty());
}

TEST_F(CudaLaunch, GoesTheOldWayWithoutAttributes) {
  fake_->refusals["cuLaunchKernelEx"] = CUDA_ERROR_NOT_SUPPORTED;
  launch({});
  EXPECT_THAT(fake_->launches, ElementsAre("scale"));
}

TEST_F(CudaLaunch, SetsTheCarveOutOnceAndAgainWhenItChanges) {
  fake_->refusals["cuLaunchKernelEx"] = CUDA_ERROR_NOT_SUPPORTED;  // no driver is too old for it
  for (const std::int64_t percent : {50, 50, 0, -1}) {
    LaunchAttributes attributes;
    attributes.carveout_percent = percent;
    launch(attributes);
  }
  std::vector<int> values;
  for (const fakes::FakeSetting& setting : fake_->settings)
    if (setting.attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) values.push_back(setting.value);
  EXPECT_THAT(values, ElementsAre(50, 0, -1));
  EXPECT_EQ(fake_->launches.size(), 4);
}

TEST_F(CudaLaunch, AsksForClustersThatNotEveryDeviceHas) {
  launch(clusters_of(8));
  EXPECT_THAT(fake_->settings, IsEmpty());
  launch(clusters_of(16));
  launch(clusters_of(16));
  ASSERT_EQ(fake_->settings.size(), 1);
  EXPECT_EQ(fake_->settings[0].attribute, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
}

TEST_F(CudaLaunch, SaysWhatWasAskedForWhereItCannotBe) {
  fake_->refusals["cuLaunchKernelEx"] = static_cast<CUresult>(912);  // CUDA_ERROR_INVALID_CLUSTER_SIZE
  const DeviceError error = error_of([&] { launch(clusters_of(16)); });
  EXPECT_EQ(error.outcome(), search::Outcome::resource_limit);
  EXPECT_THAT(error.what(), HasSubstr("scale with grid 8x1x1, block 64x1x1"));
  EXPECT_THAT(error.what(), HasSubstr("(cluster of 16 x 1 x 1)"));
  EXPECT_THAT(error.what(), HasSubstr("take a smaller cluster"));
}

TEST_F(CudaLaunch, IsAResourceLimitOnADriverBeforeLaunchAttributes) {
  options_.library_directories = {FAKE_LIBRARIES_DIR "/cuda_without_tensor_maps"};
  module_.reset();
  open_module();
  launch({});
  const DeviceError error = error_of([&] { launch(clusters_of(2)); });
  EXPECT_EQ(error.outcome(), search::Outcome::resource_limit);
  EXPECT_THAT(error.what(), HasSubstr("CUDA 11.8 (driver 520)"));
}

TEST_F(CudaLaunch, RefusesAGraphThatCannotBeRecordedWhereOneIsWanted) {
  Timing timing{[this] { launch({}); }, {}, {}, 1};
  timing.only_as_graph = true;
  EXPECT_EQ(device_->sample_ms(timing).size(), 1);
  EXPECT_EQ(fake_->graph_launches, 2);  // of a long kernel, too; the first one is not timed
  fake_->refusals["cuStreamEndCapture"] = CUDA_ERROR_UNKNOWN;
  const DeviceError error = error_of([&] { device_->sample_ms(timing); });
  EXPECT_EQ(error.outcome(), search::Outcome::launch_error);
  EXPECT_FALSE(error.sticky());
  EXPECT_THAT(error.what(), HasSubstr("--as stream"));
}

TEST_F(CudaLaunch, LaunchesWhatRefusesToBeRecorded) {
  fake_->on_launch = nullptr;
  int refusals = 1;
  Timing timing{[&] {
                  if (refusals-- > 0)
                    throw DeviceError(search::Outcome::launch_error, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "no");
                  launch({});
                },
                {},
                {},
                1};
  timing.short_launches = true;
  EXPECT_EQ(device_->sample_ms(timing).size(), 1);
  EXPECT_EQ(fake_->graph_launches, 0);
  EXPECT_EQ(fake_->open_graphs, 0);
}

}  // namespace
}  // namespace warptune::tuner
