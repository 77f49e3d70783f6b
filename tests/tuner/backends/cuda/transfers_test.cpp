// Streams, pinned memory and copies beside launches, over the fake driver.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/tuner/backends/cuda/fake_gpu.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

class CudaTransfers : public FakeGpu {
 protected:
  void SetUp() override {
    FakeGpu::SetUp();
    device_ = open();
    module_ = device_->load(code({"work"}));
    fake_->on_launch = [this](const fakes::FakeLaunch& launch) { launched_in_.push_back(launch.stream); };
  }
  Transfers& transfers() { return device_->transfers(); }
  void launch() { module_->kernel("work").launch({}, {}); }

  std::unique_ptr<Device> device_;
  std::unique_ptr<Module> module_;
  std::vector<CUstream> launched_in_;
};

TEST_F(CudaTransfers, CarryBytesThereAndBackFromEitherKindOfMemory) {
  const auto memory = device_->allocate(100);
  for (const bool pinned : {false, true}) {
    const auto there = transfers().allocate(100, pinned), back = transfers().allocate(100, pinned);
    std::ranges::fill(there->span(), pinned ? std::byte{7} : std::byte{5});
    transfers().copy_in(memory->span(), there->span());
    transfers().copy_out(back->span(), memory->span());
    device_->synchronize();
    EXPECT_TRUE(std::ranges::equal(there->span(), back->span()));
    ASSERT_THAT(fake_->copies, SizeIs(2));
    EXPECT_EQ(fake_->copies[0].pinned, pinned);
    EXPECT_FALSE(fake_->copies[0].to_host);
    EXPECT_TRUE(fake_->copies[1].to_host);
    fake_->copies.clear();
  }
}

TEST_F(CudaTransfers, PinOnlyWhatIsToBePinnedAndGiveItBack) {
  auto pageable = transfers().allocate(100, false), pinned = transfers().allocate(0, true);
  EXPECT_EQ(fake_->open_host_buffers, 1);
  EXPECT_THAT(pageable->span(), SizeIs(100));
  EXPECT_THAT(pinned->span(), SizeIs(0));
  pinned.reset();
  EXPECT_EQ(fake_->open_host_buffers, 0);
}

TEST_F(CudaTransfers, GoToTheStreamInUseWithLaunches) {
  const auto memory = device_->allocate(8);
  const auto host = transfers().allocate(8, true);
  launch();
  transfers().use_stream(2);
  transfers().copy_in(memory->span(), host->span());
  launch();
  transfers().use_stream(0);
  launch();
  ASSERT_THAT(launched_in_, SizeIs(3));
  EXPECT_EQ(launched_in_[0], launched_in_[2]);
  EXPECT_NE(launched_in_[0], launched_in_[1]);
  EXPECT_EQ(fake_->copies.at(0).stream, launched_in_[1]);
}

TEST_F(CudaTransfers, MakeTheStreamInUseWaitForTheOther) {
  launch();
  transfers().use_stream(1);
  launch();
  transfers().wait_for(0);
  ASSERT_THAT(fake_->waits, SizeIs(1));
  EXPECT_EQ(fake_->waits[0].waiting, launched_in_[1]);
  EXPECT_EQ(fake_->waits[0].waited_for, launched_in_[0]);
}

TEST_F(CudaTransfers, LeaveNothingOpen) {
  transfers().use_stream(3);
  transfers().wait_for(0);
  transfers().use_stream(0);
  module_.reset();
  device_.reset();
  EXPECT_EQ(fake_->open_streams, 0);
  EXPECT_EQ(fake_->open_events, 0);
  EXPECT_EQ(fake_->open_contexts, 0);
}

TEST_F(CudaTransfers, RefuseCopiesOfUnequalSize) {
  const auto memory = device_->allocate(8);
  const auto host = transfers().allocate(9, true);
  EXPECT_THROW(transfers().copy_in(memory->span(), host->span()), std::invalid_argument);
  EXPECT_THROW(transfers().copy_out(host->span(), memory->span()), std::invalid_argument);
}

TEST_F(CudaTransfers, WithoutMemoryToPinAreAResourceLimit) {
  fake_->refusals["cuMemHostAlloc"] = CUDA_ERROR_OUT_OF_MEMORY;
  const auto error = error_of([&] { transfers().allocate(1 << 20, true); });
  EXPECT_EQ(error.outcome(), search::Outcome::resource_limit);
  EXPECT_FALSE(error.sticky());
  EXPECT_THAT(error.what(),
              AllOf(HasSubstr("1048576 bytes of pinned host memory"), HasSubstr("CUDA_ERROR_OUT_OF_MEMORY")));
  EXPECT_NO_THROW(transfers().allocate(1 << 20, false));
}

TEST_F(CudaTransfers, OfPinnedMemoryNeverWaitForAKernelThatNeverEnds) {
  auto memory = device_->allocate(8);
  auto host = transfers().allocate(8, true);
  auto pageable = transfers().allocate(8, false);
  fake_->fault_at = 1;
  fake_->fault = CUDA_ERROR_NOT_READY;
  transfers().use_stream(1);
  launch();
  transfers().copy_in(memory->span(), host->span());
  transfers().use_stream(0);
  EXPECT_EQ(error_of([&] { device_->synchronize(); }).outcome(), search::Outcome::timeout);
  transfers().use_stream(0);  // what cleans up must not throw after a loss
  memory.reset();
  host.reset();
  pageable.reset();
  module_.reset();
  device_.reset();
  EXPECT_EQ(fake_->blocked_calls, 0);
}

TEST_F(CudaTransfers, AreTimedFromTheFirstStreamsBeginningToItsEnd) {
  fake_->launch_ms = 0.5;
  EXPECT_DOUBLE_EQ(device_->time_ms([&] {
    for (const int stream : {1, 2}) {
      transfers().use_stream(stream);
      transfers().wait_for(0);
      launch();
    }
    transfers().use_stream(0);
    for (const int stream : {1, 2}) transfers().wait_for(stream);
  }),
                   1.0);
}

TEST_F(FakeGpu, ADriverWithoutPinnedMemoryIsTooOld) {
  options_.library_directories = {FAKE_LIBRARIES_DIR "/cuda_without_pinning"};
  std::string why_none;
  EXPECT_TRUE(cuda::entry().devices(options_, why_none).empty());
  EXPECT_THAT(why_none, AllOf(HasSubstr("cuMemHostAlloc"), HasSubstr("newer NVIDIA driver")));
}

}  // namespace
}  // namespace warptune::tuner
