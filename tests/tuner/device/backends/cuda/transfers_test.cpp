// Streams, pinned memory and copies beside launches, over the fake driver.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/tuner/device/backends/cuda/fake_gpu.h"

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
  for (const auto kind : {HostMemoryKind::pageable, HostMemoryKind::pinned}) {
    const bool pinned = kind == HostMemoryKind::pinned;
    const auto there = transfers().allocate(100, kind), back = transfers().allocate(100, kind);
    EXPECT_EQ(there->on_device().address, 0u);
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
  auto pageable = transfers().allocate(100, HostMemoryKind::pageable),
       pinned = transfers().allocate(0, HostMemoryKind::pinned);
  EXPECT_EQ(fake_->open_host_buffers, 1);
  EXPECT_THAT(pageable->span(), SizeIs(100));
  EXPECT_THAT(pinned->span(), SizeIs(0));
  pinned.reset();
  EXPECT_EQ(fake_->open_host_buffers, 0);
}

TEST_F(CudaTransfers, GoToTheStreamInUseWithLaunches) {
  const auto memory = device_->allocate(8);
  const auto host = transfers().allocate(8, HostMemoryKind::pinned);
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
  const auto host = transfers().allocate(9, HostMemoryKind::pinned);
  EXPECT_THROW(transfers().copy_in(memory->span(), host->span()), std::invalid_argument);
  EXPECT_THROW(transfers().copy_out(host->span(), memory->span()), std::invalid_argument);
}

TEST_F(CudaTransfers, WithoutMemoryToPinAreAResourceLimit) {
  fake_->refusals["cuMemHostAlloc"] = CUDA_ERROR_OUT_OF_MEMORY;
  const auto error = error_of([&] { transfers().allocate(1 << 20, HostMemoryKind::pinned); });
  EXPECT_EQ(error.outcome(), search::Outcome::resource_limit);
  EXPECT_FALSE(error.sticky());
  EXPECT_THAT(error.what(),
              AllOf(HasSubstr("1048576 bytes of pinned host memory"), HasSubstr("CUDA_ERROR_OUT_OF_MEMORY")));
  EXPECT_NO_THROW(transfers().allocate(1 << 20, HostMemoryKind::pageable));
}

TEST_F(CudaTransfers, OfPinnedMemoryNeverWaitForAKernelThatNeverEnds) {
  auto memory = device_->allocate(8);
  auto host = transfers().allocate(8, HostMemoryKind::pinned);
  auto pageable = transfers().allocate(8, HostMemoryKind::pageable);
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

TEST_F(CudaTransfers, GiveKernelsTheAddressOfMappedAndManagedMemory) {
  const auto mapped = transfers().allocate(100, HostMemoryKind::mapped),
             managed = transfers().allocate(0, HostMemoryKind::managed);
  EXPECT_NE(mapped->on_device().address, 0u);
  EXPECT_EQ(mapped->on_device().bytes, 100u);
  EXPECT_EQ(managed->on_device().address, reinterpret_cast<std::uintptr_t>(managed->span().data()));
  EXPECT_EQ(fake_->open_host_buffers, 1);
  EXPECT_EQ(fake_->open_managed_buffers, 1);
}

TEST_F(CudaTransfers, GiveBackManagedMemory) {
  transfers().allocate(100, HostMemoryKind::managed).reset();
  EXPECT_EQ(fake_->open_managed_buffers, 0);
}

TEST_F(CudaTransfers, GiveBackMemoryThatTheDeviceCannotMap) {
  fake_->refusals["cuMemHostGetDevicePointer"] = CUDA_ERROR_INVALID_VALUE;
  EXPECT_THAT(error_of([&] { transfers().allocate(100, HostMemoryKind::mapped); }).what(), HasSubstr("mapped"));
  EXPECT_EQ(fake_->open_host_buffers, 0);
}

TEST_F(CudaTransfers, PrefetchManagedMemoryInTheStreamInUse) {
  const auto managed = transfers().allocate(100, HostMemoryKind::managed);
  launch();
  transfers().prefetch(managed->on_device(), false);
  transfers().use_stream(2);
  transfers().prefetch({managed->on_device().address + 40, 60}, true);
  transfers().prefetch({managed->on_device().address, 0}, true);
  transfers().use_stream(0);
  ASSERT_THAT(fake_->prefetches, SizeIs(2));
  EXPECT_FALSE(fake_->prefetches[0].to_host);
  EXPECT_EQ(fake_->prefetches[0].stream, launched_in_[0]);
  EXPECT_TRUE(fake_->prefetches[1].to_host);
  EXPECT_EQ(fake_->prefetches[1].bytes, 60u);
  EXPECT_NE(fake_->prefetches[1].stream, launched_in_[0]);
}

TEST_F(CudaTransfers, NeverTouchPagesBehindAKernelThatNeverEnds) {
  const auto managed = transfers().allocate(8, HostMemoryKind::managed);
  fake_->fault_at = 1;
  fake_->fault = CUDA_ERROR_NOT_READY;
  launch();
  EXPECT_EQ(error_of([&] { transfers().touch(managed->span()); }).outcome(), search::Outcome::timeout);
  EXPECT_EQ(fake_->blocked_calls, 0);
}

TEST_F(CudaTransfers, WithoutManagedMemoryAreAResourceLimit) {
  const auto refused = [&] {
    const auto error = error_of([&] { transfers().allocate(100, HostMemoryKind::managed); });
    EXPECT_EQ(error.outcome(), search::Outcome::resource_limit);
    EXPECT_FALSE(error.sticky());
    return std::string(error.what());
  };
  fake_->concurrent_managed_access = false;
  EXPECT_THAT(refused(), AllOf(HasSubstr("cuda:0"), HasSubstr("concurrent access"), HasSubstr("choose pageable")));
  fake_->managed_memory = false;
  EXPECT_THAT(refused(), HasSubstr("has no managed memory"));
  fake_->managed_memory = fake_->concurrent_managed_access = true;
  fake_->refusals["cuMemAllocManaged"] = CUDA_ERROR_OUT_OF_MEMORY;
  EXPECT_THAT(refused(), HasSubstr("100 bytes of managed memory"));
  EXPECT_EQ(fake_->open_managed_buffers, 0);
  EXPECT_NO_THROW(transfers().allocate(100, HostMemoryKind::mapped));
}

TEST_F(FakeGpu, ADriverBeforeCuda122PrefetchesByItsFirstVersion) {
  options_.library_directories = {FAKE_LIBRARIES_DIR "/cuda_without_locations"};
  void* library = ::dlopen(FAKE_LIBRARIES_DIR "/cuda_without_locations/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  const auto* fake = reinterpret_cast<decltype(&fake_cuda_control)>(::dlsym(library, "fake_cuda_control"))();
  const auto device = open();
  const auto managed = device->transfers().allocate(100, HostMemoryKind::managed);
  device->transfers().prefetch(managed->on_device(), false);
  device->transfers().prefetch(managed->on_device(), true);
  ASSERT_THAT(fake->prefetches, SizeIs(2));
  EXPECT_FALSE(fake->prefetches[0].to_host);
  EXPECT_TRUE(fake->prefetches[1].to_host);
}

TEST_F(FakeGpu, ADriverWithoutPinnedMemoryIsTooOld) {
  options_.library_directories = {FAKE_LIBRARIES_DIR "/cuda_without_pinning"};
  std::string why_none;
  EXPECT_TRUE(cuda::entry().devices(options_, why_none).empty());
  EXPECT_THAT(why_none, AllOf(HasSubstr("cuMemHostAlloc"), HasSubstr("newer NVIDIA driver")));
}

}  // namespace
}  // namespace warptune::tuner
