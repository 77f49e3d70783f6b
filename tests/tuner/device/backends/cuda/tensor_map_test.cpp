// Tensor maps, over the fake driver.
#include <gmock/gmock.h>

#include "tests/tuner/device/backends/cuda/fake_gpu.h"

namespace warptune::tuner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CudaTensorMaps : public FakeGpu {
 protected:
  // A map of 48 x 96 elements of a buffer that is large enough for doubles.
  TensorMap encode(Device& device, const TensorView& view) {
    const auto memory = device.allocate(48 * 96 * 8);
    address_ = memory->span().address;
    return device.encode_tensor_map(view, memory->span());
  }

  TensorView view_{ElementType::bf16, {48, 96}, {96}, {128, 64}, 128, 256};
  std::uint64_t address_ = 0;
};

TEST_F(CudaTensorMaps, TellTheDriverAllOfIt) {
  const TensorMap map = encode(*open(), view_);
  EXPECT_EQ(map.bytes[0], std::byte{1});
  ASSERT_EQ(fake_->tensor_maps.size(), 1u);
  const fakes::FakeTensorMap& asked = fake_->tensor_maps[0];
  EXPECT_EQ(asked.type, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  EXPECT_EQ(reinterpret_cast<std::uint64_t>(asked.address), address_);
  EXPECT_THAT(asked.shape, ElementsAre(96, 48));
  EXPECT_THAT(asked.strides, ElementsAre(192));
  EXPECT_THAT(asked.box, ElementsAre(64, 128));
  EXPECT_THAT(asked.steps, ElementsAre(1, 1));
  EXPECT_EQ(asked.interleave, CU_TENSOR_MAP_INTERLEAVE_NONE);
  EXPECT_EQ(asked.swizzle, CU_TENSOR_MAP_SWIZZLE_128B);
  EXPECT_EQ(asked.l2_promotion, CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
  EXPECT_EQ(asked.fill, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

TEST_F(CudaTensorMaps, HaveTheElementsOfTheirBuffer) {
  const auto device = open();
  const std::pair<ElementType, CUtensorMapDataType> all[] = {
      {ElementType::f32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32}, {ElementType::f64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64},
      {ElementType::f16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16}, {ElementType::i8, CU_TENSOR_MAP_DATA_TYPE_UINT8},
      {ElementType::u8, CU_TENSOR_MAP_DATA_TYPE_UINT8},    {ElementType::i16, CU_TENSOR_MAP_DATA_TYPE_UINT16},
      {ElementType::u16, CU_TENSOR_MAP_DATA_TYPE_UINT16},  {ElementType::i32, CU_TENSOR_MAP_DATA_TYPE_INT32},
      {ElementType::u32, CU_TENSOR_MAP_DATA_TYPE_UINT32},  {ElementType::i64, CU_TENSOR_MAP_DATA_TYPE_INT64},
      {ElementType::u64, CU_TENSOR_MAP_DATA_TYPE_UINT64},  {ElementType::bf16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16}};
  for (const auto& [type, expected] : all) {
    encode(*device, {type, {48, 96}, {96}, {8, 16}, 0, 0});
    EXPECT_EQ(fake_->tensor_maps.back().type, expected) << to_string(type);
  }
}

TEST_F(CudaTensorMaps, SwizzleAndPromoteAsAsked) {
  const auto device = open();
  view_.box = {128, 16};
  for (const auto& [bytes, swizzle] :
       {std::pair(0, CU_TENSOR_MAP_SWIZZLE_NONE), std::pair(32, CU_TENSOR_MAP_SWIZZLE_32B),
        std::pair(64, CU_TENSOR_MAP_SWIZZLE_64B)}) {
    view_.swizzle_bytes = bytes;
    encode(*device, view_);
    EXPECT_EQ(fake_->tensor_maps.back().swizzle, swizzle);
  }
  for (const auto& [bytes, promotion] :
       {std::pair(0, CU_TENSOR_MAP_L2_PROMOTION_NONE), std::pair(64, CU_TENSOR_MAP_L2_PROMOTION_L2_64B),
        std::pair(128, CU_TENSOR_MAP_L2_PROMOTION_L2_128B)}) {
    view_.l2_promotion_bytes = bytes;
    encode(*device, view_);
    EXPECT_EQ(fake_->tensor_maps.back().l2_promotion, promotion);
  }
}

TEST_F(CudaTensorMaps, ThatBreakARuleAreAResourceLimitBeforeTheDriverSeesThem) {
  view_.box = {512, 64};
  const DeviceError error = error_of([&] { encode(*open(), view_); });
  EXPECT_EQ(error.outcome(), search::Outcome::resource_limit);
  EXPECT_THAT(error.what(), HasSubstr("making a tensor map on cuda:0 (Fake GPU) failed: an extent of the box is 512"));
  EXPECT_TRUE(fake_->tensor_maps.empty());
}

TEST_F(CudaTensorMaps, ThatTheDriverRefusesAreAResourceLimitWithItsWords) {
  fake_->refusals["cuTensorMapEncodeTiled"] = CUDA_ERROR_INVALID_VALUE;
  const DeviceError error = error_of([&] { encode(*open(), view_); });
  EXPECT_EQ(error.outcome(), search::Outcome::resource_limit);
  EXPECT_EQ(error.code(), "CUDA_ERROR_INVALID_VALUE");
  EXPECT_FALSE(error.sticky());
  EXPECT_THAT(error.what(), HasSubstr("cuTensorMapEncodeTiled answers CUDA_ERROR_INVALID_VALUE"));
}

TEST_F(CudaTensorMaps, NeedComputeCapability90) {
  fake_->compute_capability = 86;
  const DeviceError error = error_of([&] { encode(*open(), view_); });
  EXPECT_EQ(error.outcome(), search::Outcome::resource_limit);
  EXPECT_THAT(error.what(), HasSubstr("has compute capability 8.6, bulk copies of tensors need 9.0"));
}

TEST_F(CudaTensorMaps, NeedADriverThatKnowsThemButNothingElseDoes) {
  options_.library_directories = {FAKE_LIBRARIES_DIR "/cuda_without_tensor_maps"};
  const auto device = open();
  device->allocate(8);
  const DeviceError error = error_of([&] { encode(*device, view_); });
  EXPECT_EQ(error.outcome(), search::Outcome::resource_limit);
  EXPECT_THAT(error.what(), HasSubstr("lacks the symbol cuTensorMapEncodeTiled; install a newer NVIDIA driver"));
}

}  // namespace
}  // namespace warptune::tuner
