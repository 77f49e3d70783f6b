// The runtime over the fake driver; NVRTC is the machine's own.
#include <gmock/gmock.h>

#include "tests/support/boxes_template.h"
#include "tests/tuner/device/backends/cuda/fake_gpu.h"
#include "tests/tuner/library/runtime/two_stage_template.h"
#include "tuner/library/runtime/runtime.h"

namespace warptune::tuner {
namespace {

using runtime::Error;
using runtime::Kernel;
using runtime::Runtime;
using testing::HasSubstr;

class CudaRuntime : public FakeGpu {
 protected:
  void SetUp() override {
    FakeGpu::SetUp();
    DeviceInfo device;
    device.architecture = "sm_90";
    try {
      cuda::entry().compiler(device, options_);
    } catch (const NoDeviceError& error) {
      GTEST_SKIP() << "NVRTC IS NOT TESTED HERE: " << error.what();
    }
    runtime_options_.library_directories = {folder};
    fake_->current_depth = 1;  // the application's context
    write_two_stage_template(files_);
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      memory_.push_back(device_().allocate(4096));
      buffers_[i] = memory_.back()->span().address;
    }
  }
  void TearDown() override {
    memory_.clear();
    owner_.reset();
  }

  Device& device_() {
    if (!owner_) owner_ = open();
    return *owner_;
  }
  void launch(const Kernel& kernel, runtime::Stream stream = nullptr) {
    kernel.launch(stream, {{"n", 1000}}, buffers_[0], buffers_[1], buffers_[2], buffers_[3], 7.0f);
  }

  TemporaryFolder files_;
  runtime::Options runtime_options_;
  std::unique_ptr<Device> owner_;
  std::vector<std::unique_ptr<Memory>> memory_;
  std::array<std::uint64_t, 4> buffers_{};  // CUdeviceptr
};

TEST_F(CudaRuntime, QueuesTheBestConfigurationOnTheApplicationsStream) {
  const runtime::Runtime cuda(runtime_options_);
  EXPECT_EQ(cuda.device_name(), "Fake GPU");
  const Kernel kernel =
      cuda.load(files_.path(), write_two_stage_wisdom(files_, {two_stage_entry("Fake GPU", 90, 1000, 128, 2)}));
  std::vector<std::string> seen;
  float factor = 0;
  std::uint64_t input = 0;
  const auto stream = reinterpret_cast<CUstream>(std::uintptr_t{0x1234});
  fake_->on_launch = [&](const fakes::FakeLaunch& made) {
    EXPECT_EQ(made.stream, stream);
    EXPECT_EQ(made.block[0], 128u);
    EXPECT_EQ(made.grid[0], 4u);
    seen.push_back(made.kernel);
    if (made.kernel == "finish") std::memcpy(&factor, made.arguments[4], sizeof factor);
    if (made.kernel == "stage") std::memcpy(&input, made.arguments[0], sizeof input);
  };
  launch(kernel, stream);
  launch(kernel, stream);
  EXPECT_THAT(seen, testing::ElementsAre("stage", "finish", "stage", "finish"));
  EXPECT_EQ(factor, 7);
  EXPECT_EQ(input, buffers_[0]);
  EXPECT_EQ(cuda.counts().compiled, 1);
}

TEST_F(CudaRuntime, LeavesTheApplicationsContextAsItWas) {
  {
    const runtime::Runtime cuda(runtime_options_);
    launch(cuda.load(files_.path()));
    EXPECT_EQ(fake_->current_depth, 1);
  }
  EXPECT_EQ(fake_->open_modules, 0);
  EXPECT_EQ(fake_->open_buffers, 4);  // the application's
  EXPECT_EQ(fake_->open_streams, 1);
}

TEST_F(CudaRuntime, SaysThatNoContextIsCurrent) {
  fake_->current_depth = 0;
  try {
    const runtime::Runtime cuda(runtime_options_);
    FAIL();
  } catch (const runtime::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no CUDA context is current on this thread"));
  }
}

TEST_F(CudaRuntime, ARefusedLaunchNamesTheDriversCodeAndTheNextOneIsTriedAgain) {
  const runtime::Runtime cuda(runtime_options_);
  const Kernel kernel = cuda.load(files_.path());
  fake_->refusals["cuLaunchKernel"] = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  try {
    launch(kernel);
    FAIL();
  } catch (const runtime::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("two_stage: launching stage with grid 32x1x1"));
    EXPECT_THAT(error.what(), HasSubstr("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"));
  }
  fake_->refusals.clear();
  EXPECT_NO_THROW(launch(kernel));
}

TEST_F(CudaRuntime, GivesEachLaunchATensorMapOfItsOwnBuffer) {
  const TemporaryFolder boxes;
  write_boxes_template(boxes);
  const runtime::Runtime cuda(runtime_options_);
  const Kernel kernel = cuda.load(boxes.path());
  std::vector<unsigned char> maps;  // the numbers that the fake writes into them
  fake_->on_launch = [&](const fakes::FakeLaunch& made) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(made.arguments[0]) % 64, 0u);
    maps.push_back(*static_cast<const unsigned char*>(made.arguments[0]));
  };
  for (const std::uint64_t in : {buffers_[0], buffers_[1]})
    kernel.launch(nullptr, {{"ROWS", 20}, {"COLUMNS", 48}}, in, buffers_[2]);
  EXPECT_THAT(maps, testing::ElementsAre(1, 2));
  ASSERT_EQ(fake_->tensor_maps.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(reinterpret_cast<std::uint64_t>(fake_->tensor_maps[i].address), buffers_[i]);
    EXPECT_THAT(fake_->tensor_maps[i].shape, testing::ElementsAre(48, 20));
    EXPECT_THAT(fake_->tensor_maps[i].box, testing::ElementsAre(32, 8));
  }
}

TEST_F(CudaRuntime, SaysWhyABufferCannotHaveATensorMap) {
  const TemporaryFolder boxes;
  write_boxes_template(boxes);
  const runtime::Runtime cuda(runtime_options_);
  const Kernel kernel = cuda.load(boxes.path());
  try {
    kernel.launch(nullptr, {{"ROWS", 20}, {"COLUMNS", 50}}, buffers_[0], buffers_[2]);
    FAIL();
  } catch (const runtime::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("boxes: making a tensor map on cuda:0 (Fake GPU) failed: a stride is 50"));
  }
}

TEST_F(CudaRuntime, FailingToLoadIsForgottenOnceItWorks) {
  const runtime::Runtime cuda(runtime_options_);
  const Kernel kernel = cuda.load(files_.path());
  fake_->refusals["cuModuleLoadData"] = CUDA_ERROR_OUT_OF_MEMORY;
  EXPECT_THROW(launch(kernel), runtime::Error);
  fake_->refusals.clear();
  EXPECT_NO_THROW(launch(kernel));
}

}  // namespace
}  // namespace warptune::tuner
