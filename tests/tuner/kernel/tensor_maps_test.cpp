// Tensor maps in manifests and plans, and the rules that a view must keep.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/boxes_template.h"
#include "tuner/device/tensor_map.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/plan.h"

namespace warptune::tuner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

KernelTemplate boxes(const std::vector<std::pair<std::string, std::string>>& changes = {}) {
  const TemporaryFolder folder;
  write_boxes_template(folder, changes);
  return load_manifest(folder.path());
}

std::string tensor_maps_error_after(const std::string& from, const std::string& to) {
  try {
    boxes({{from, to}});
  } catch (const ManifestError& error) {
    return error.what();
  }
  return "";
}

PlannedArgument first_argument(const KernelTemplate& kernel) {
  const search::NamedValues scope = {{"ROWS", std::int64_t{50}},
                                     {"COLUMNS", std::int64_t{36}},
                                     {"BOX", std::int64_t{8}},
                                     {"SWIZZLE", std::int64_t{128}}};
  return make_plan(kernel, scope).launches.at(0).arguments.at(0);
}

TEST(TensorMaps, AreViewsOfTheirBufferInItsOwnShapeUnlessGiven) {
  const PlannedArgument planned = first_argument(boxes());
  EXPECT_EQ(planned.buffer, "in");
  ASSERT_TRUE(planned.view);
  EXPECT_EQ(planned.view->type, ElementType::f32);
  EXPECT_THAT(planned.view->shape, ElementsAre(50, 36));
  EXPECT_THAT(planned.view->strides, ElementsAre(36));
  EXPECT_THAT(planned.view->box, ElementsAre(8, 32));
  EXPECT_EQ(planned.view->swizzle_bytes, 128);
  EXPECT_EQ(planned.view->l2_promotion_bytes, 256);
}

TEST(TensorMaps, MayHaveAShapeAndStridesOfTheirOwn) {
  const PlannedArgument planned = first_argument(
      boxes({{"box = [\"BOX\", 32]", "shape = [5, \"ROWS // 5\", \"COLUMNS // 2\"]\nbox = [1, \"BOX\", 32]"}}));
  EXPECT_THAT(planned.view->shape, ElementsAre(5, 10, 18));
  EXPECT_THAT(planned.view->strides, ElementsAre(180, 18));
  const PlannedArgument strided =
      first_argument(boxes({{"box =", "shape = [25, \"COLUMNS\"]\nstrides = [\"2 * COLUMNS\"]\nbox ="}}));
  EXPECT_THAT(strided.view->strides, ElementsAre(72));
}

TEST(TensorMaps, OfTemporariesAreTakenToo) {
  const KernelTemplate kernel = boxes({{"of = \"in\"", "of = \"work\""},
                                       {"[tensor_maps.in_map]",
                                        "[temporaries.work]\ntype = \"bfloat16\"\nshape = "
                                        "[\"ROWS\", \"COLUMNS * BOX\"]\n[tensor_maps.in_map]"}});
  EXPECT_THAT(first_argument(kernel).view->shape, ElementsAre(50, 288));
  EXPECT_EQ(first_argument(kernel).view->type, ElementType::bf16);
}

TEST(TensorMaps, ThatMakeNoSenseAreRefusedWithTheirLine) {
  EXPECT_THAT(tensor_maps_error_after("of = \"in\"", "of = \"rows\""),
              HasSubstr("tensor_maps.in_map.of: expected a buffer"));
  EXPECT_THAT(tensor_maps_error_after("of = \"in\"", "of = \"nothing\""), HasSubstr("expected a buffer"));
  EXPECT_THAT(tensor_maps_error_after("box = [\"BOX\", 32]", "box = [32]"), HasSubstr("expected 2 extents"));
  EXPECT_THAT(tensor_maps_error_after("box =", "strides = [36, 1]\nbox ="),
              HasSubstr("expected 1, of all dimensions but"));
  EXPECT_THAT(tensor_maps_error_after("box =", "shape = [1, 1, 1, 1, 1, 1]\nbox ="),
              HasSubstr("one to five dimensions"));
  EXPECT_THAT(tensor_maps_error_after("box = [\"BOX\", 32]", "box = [\"BEX\", 32]"),
              HasSubstr("'BEX' means nothing here"));
  EXPECT_THAT(tensor_maps_error_after("l2_promotion", "promotion"),
              HasSubstr("unknown key (did you mean l2_promotion?); expected one of of, shape, strides"));
  EXPECT_THAT(tensor_maps_error_after("[tensor_maps.in_map]", "[tensor_maps.in]"), HasSubstr("has the same name"));
}

TEST(TensorMaps, AreArgumentsOfMeasuredKernelsOnly) {
  EXPECT_THAT(tensor_maps_error_after("block = 32\n", "block = 32\nclear = [\"in_map\"]\n"),
              HasSubstr("no such argument"));
  EXPECT_THAT(tensor_maps_error_after("arguments = [\"in\", \"out\", \"count\"]",
                                      "arguments = [\"in_map\", \"out\", \"count\"]"),
              HasSubstr("no such argument"));
}

TensorView matrix() {
  return {ElementType::bf16, {100, 64}, {64}, {128, 64}, 128, 256};
}

std::string fault_of(const TensorView& view, std::uint64_t address = 0x1000, std::size_t bytes = 100 * 64 * 2) {
  return tensor_view_fault(view, address, bytes);
}

TEST(TensorViews, ThatKeepAllRulesHaveNoFault) {
  EXPECT_EQ(fault_of(matrix()), "");
  EXPECT_EQ(fault_of({ElementType::f32, {64}, {}, {256}, 0, 0}, 16, 256), "");
}

TEST(TensorViews, SayWhichRuleTheyBreak) {
  const auto fault_with = [](auto change) {
    TensorView view = matrix();
    change(view);
    return fault_of(view);
  };
  EXPECT_THAT(fault_with([](auto& view) { view.box = {257, 64}; }), HasSubstr("box is 257, expected 1 to 256"));
  EXPECT_THAT(fault_with([](auto& view) { view.box = {8, 4}; }), HasSubstr("8 bytes, expected a multiple of 16"));
  EXPECT_THAT(fault_with([](auto& view) {
                view.box = {8, 128};
              }),
              HasSubstr("256 bytes, more than the swizzle's span"));
  EXPECT_THAT(fault_with([](auto& view) { view.strides = {63}; }), HasSubstr("a stride is 63 elements of 2 bytes"));
  EXPECT_THAT(fault_with([](auto& view) { view.swizzle_bytes = 16; }), HasSubstr("expected 0, 32, 64 or 128"));
  EXPECT_THAT(fault_with([](auto& view) { view.l2_promotion_bytes = 32; }), HasSubstr("L2 promotion is 32 bytes"));
  EXPECT_THAT(fault_with([](auto& view) { view.strides.clear(); }), HasSubstr("strides are of all but the innermost"));
  EXPECT_THAT(fault_of(matrix(), 0x1008), HasSubstr("address 0x1008 is no multiple of 16"));
  EXPECT_THAT(fault_of(matrix(), 0x1000, 12799), HasSubstr("spans 12800 bytes of a buffer of 12799"));
}

}  // namespace
}  // namespace warptune::tuner
