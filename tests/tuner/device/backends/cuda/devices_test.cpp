// Finding devices, and saying why there are none.
#include <gmock/gmock.h>

#include "tests/tuner/device/backends/cuda/fake_gpu.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class CudaDevices : public FakeGpu {
 protected:
  std::vector<DeviceInfo> devices() { return cuda::entry().devices(options_, why_none_); }
  std::string why_none_;
};

TEST_F(CudaDevices, AreListedInTheDriversOrder) {
  fake_->devices = 3;
  const auto found = devices();
  ASSERT_EQ(found.size(), 3);
  EXPECT_EQ(found[0].id, "cuda:0");
  EXPECT_EQ(found[2].id, "cuda:2");
  EXPECT_EQ(found[2].uuid, "GPU-f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfe02");
  EXPECT_THAT(why_none_, IsEmpty());
}

TEST_F(CudaDevices, TellEveryLimit) {
  const DeviceInfo info = devices().at(0);
  for (const auto& [name, value] : info.limits()) EXPECT_GT(std::get<std::int64_t>(value), 0) << name;
  EXPECT_EQ(info.name, "Fake GPU");
  EXPECT_EQ(info.backend, "cuda");
  EXPECT_EQ(info.architecture, "sm_90");
  EXPECT_EQ(info.compute_capability, 90);
  EXPECT_EQ(info.max_block_z, 64);
  EXPECT_EQ(info.max_shared_memory_per_block_optin, 227 * 1024);
  EXPECT_NEAR(info.memory_bandwidth_gbs(), 4917, 1);
}

TEST_F(CudaDevices, CarryTheDriversOwnVersionFromNvml) {
  EXPECT_EQ(devices().at(0).driver, "999.42.01 (CUDA 13.0)");
}

TEST_F(CudaDevices, AreNoneIfTheDriverFindsNone) {
  fake_->init = CUDA_ERROR_NO_DEVICE;
  EXPECT_THAT(devices(), IsEmpty());
  EXPECT_THAT(why_none_, AllOf(HasSubstr("cuInit"), HasSubstr("CUDA_ERROR_NO_DEVICE"), HasSubstr("nvidia-smi")));
}

TEST_F(CudaDevices, AreNoneIfAllAreHidden) {
  fake_->devices = 0;
  EXPECT_THAT(devices(), IsEmpty());
  EXPECT_THAT(why_none_, HasSubstr("CUDA_VISIBLE_DEVICES"));
}

TEST_F(CudaDevices, OfATooOldDriverAreNoneAndTheSymbolIsNamed) {
  options_.library_directories = {FAKE_LIBRARIES_DIR "/old_cuda"};
  EXPECT_THAT(devices(), IsEmpty());
  EXPECT_THAT(why_none_, AllOf(HasSubstr("cuDeviceGetUuid_v2"), HasSubstr("CUDA 13.0"), HasSubstr("old_cuda"),
                               HasSubstr("newer NVIDIA driver")));
}

TEST_F(CudaDevices, ThatAreNotThereCannotBeOpened) {
  fake_->devices = 1;
  try {
    open("cuda:7");
    FAIL() << "opened a device that does not exist";
  } catch (const NoDeviceError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("cuda:7"), HasSubstr("lists 1")));
  }
}

TEST_F(CudaDevices, OfAWorkerAreWhatTheEnvironmentSays) {
  ::setenv("FAKE_CUDA_DEVICES", "2", 1);
  EXPECT_EQ(devices().size(), 2);
  ::unsetenv("FAKE_CUDA_DEVICES");
}

}  // namespace
}  // namespace warptune::tuner
