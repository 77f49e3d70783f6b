#include "tuner/kernel/capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/small_template.h"
#include "tuner/kernel/manifest.h"
#include "tuner/kernel/npy.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner {
namespace {

class CaptureTest : public testing::Test {
 protected:
  CaptureTest() {
    write_doubling_template(folder_);
    kernel_ = load_manifest(folder_.path());
    capture_.kernel = "doubling";
    capture_.sizes = {{"n", std::int64_t{3}}};
    capture_.arguments["in"] = folder_.path() / "call.in.npy";
    write_npy(capture_.arguments["in"], ElementType::f32, {3}, std::vector<std::byte>(12));
  }

  TemporaryFolder folder_;
  KernelTemplate kernel_;
  Capture capture_;
};

TEST_F(CaptureTest, ComesBackFromItsFile) {
  const auto file = folder_.path() / "call.json";
  write_capture(file, capture_);
  const Capture read = read_capture(file);
  EXPECT_EQ(read.kernel, "doubling");
  EXPECT_EQ(read.sizes, capture_.sizes);
  EXPECT_EQ(read.arguments, capture_.arguments);
}

TEST_F(CaptureTest, ReplacesInputsAndConstantsOfTheTemplate) {
  kernel_.arguments.push_back({"factor", ElementType::f32, Role::scalar, search::Expression::constant(1.0)});
  capture_.scalars = {{"factor", 2.5}};
  apply_capture(capture_, kernel_);
  EXPECT_EQ(kernel_.find_argument("in")->fill.kind, Fill::Kind::npy);
  EXPECT_EQ(kernel_.find_argument("in")->fill.file, capture_.arguments["in"]);
  EXPECT_EQ(search::to_double(kernel_.find_argument("factor")->value->evaluate(search::NamedValues{})), 2.5);
}

TEST_F(CaptureTest, RefusesAnotherKernelAndUnknownNames) {
  Capture other = capture_;
  other.kernel = "gemm";
  EXPECT_THROW(apply_capture(other, kernel_), RequestError);
  other = capture_;
  other.scalars = {{"in", 1.0}};
  EXPECT_THROW(apply_capture(other, kernel_), RequestError);
  EXPECT_THROW(read_capture(folder_.path() / "template.toml"), RequestError);
  EXPECT_THROW(read_capture(folder_.path() / "missing.json"), RequestError);
}

TEST_F(CaptureTest, OtherDataHasAnotherHash) {
  const std::string before = capture_hash(capture_);
  EXPECT_EQ(capture_hash(capture_), before);
  write_npy(capture_.arguments["in"], ElementType::f32, {3}, std::vector<std::byte>(12, std::byte{1}));
  EXPECT_NE(capture_hash(capture_), before);
}

}  // namespace
}  // namespace warptune::tuner
