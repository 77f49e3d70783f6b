// The entry that is built where the CUDA headers were not found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tuner/device/backends/cuda/entry.h"
#include "tuner/device/device_error.h"

namespace warptune::tuner {
namespace {

TEST(CudaWithoutHeaders, SaysSoInsteadOfListingDevices) {
  std::string why_none;
  EXPECT_TRUE(cuda::entry().devices({}, why_none).empty());
  EXPECT_THAT(why_none, testing::HasSubstr("built without the CUDA headers"));
}

TEST(CudaWithoutHeaders, OpensAndCompilesNothing) {
  EXPECT_THROW(cuda::entry().open({}, {}), NoDeviceError);
  EXPECT_THROW(cuda::entry().compiler({}, {}), NoDeviceError);
}

}  // namespace
}  // namespace warptune::tuner
