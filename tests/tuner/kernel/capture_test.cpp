#include "tuner/kernel/capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "tests/support/small_template.h"
#include "tuner/kernel/data/npy.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/plan.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

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

TEST_F(CaptureTest, ConstantsThatJsonHasNoNumberForComeBack) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto file = folder_.path() / "call.json";
  const std::vector<std::pair<ElementType, search::Value>> constants = {
      {ElementType::f32, inf},
      {ElementType::f64, -inf},
      {ElementType::f16, std::numeric_limits<double>::quiet_NaN()},
      {ElementType::u64, std::string("18446744073709551615")},
      {ElementType::u64, std::string("9223372036854775808")},
      {ElementType::i64, std::numeric_limits<std::int64_t>::min()}};
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const std::string name = "c" + std::to_string(i);
    kernel_.arguments.push_back({name, constants[i].first, Role::scalar, search::Expression::constant(1.0)});
    capture_.scalars.emplace_back(name, constants[i].second);
  }
  write_capture(file, capture_);
  apply_capture(read_capture(file), kernel_);
  const auto bytes = [&](const char* name) {
    const Argument& argument = *kernel_.find_argument(name);
    return scalar_bytes(argument.type, argument.value->evaluate(search::NamedValues{}));
  };
  EXPECT_EQ(bytes("c0"), scalar_bytes(ElementType::f32, inf));
  EXPECT_EQ(bytes("c1"), scalar_bytes(ElementType::f64, -inf));
  EXPECT_EQ(bytes("c2"), scalar_bytes(ElementType::f16, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(bytes("c3")), ~std::uint64_t{0});
  EXPECT_EQ(std::bit_cast<std::uint64_t>(bytes("c4")), std::uint64_t{1} << 63);
  EXPECT_EQ(bytes("c5"), scalar_bytes(ElementType::i64, std::numeric_limits<std::int64_t>::min()));
}

TEST_F(CaptureTest, SaysWhatIsWrongInItsOwnWords) {
  const auto error_of = [&](const std::string& text) -> std::string {
    try {
      apply_capture(read_capture(folder_.write("bad.json", text)), kernel_);
    } catch (const RequestError& error) {
      return error.what();
    }
    return "no error";
  };
  const auto with = [](const std::string& scalar) {
    return R"({"schema": "warptune-capture/1", "kernel": "doubling", "sizes": {"n": 3}, "scalars": {"f": )" + scalar +
           "}}";
  };
  kernel_.arguments.push_back({"f", ElementType::f32, Role::scalar, search::Expression::constant(1.0)});
  EXPECT_THAT(error_of(with("null")), HasSubstr("bad.json: expected the constant 'f' to be a number"));
  EXPECT_THAT(error_of(with("\"x\"")), HasSubstr("the capture's constant 'f' is 'x', which is no float"));
  for (const char* text : {"[1, 2", R"({"schema": "warptune-capture/1", "kernel": 3})"})
    EXPECT_THAT(error_of(text), AllOf(HasSubstr("bad.json: this is no capture"), Not(HasSubstr("json.exception"))));
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
