#include "tuner/kernel/capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/tuner/library/runtime/two_stage_template.h"
#include "tuner/kernel/data/npy.h"
#include "tuner/kernel/problem.h"
#include "tuner/library/runtime/host.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner {
namespace {

class RuntimeCapture : public testing::Test {
 protected:
  RuntimeCapture() { write_two_stage_template(folder_); }

  void launch(float factor) {
    kernel_.launch(nullptr, {{"n", 300}}, in_.data(), &offset_, out_.data(), &used_, factor);
  }

  TuneRequest tune_request() const {
    TuneRequest request;
    request.manifest = folder_.path();
    request.capture = file_;
    request.device = "host";
    request.budget.trials = 1;
    request.evaluator.policy.max_samples = 7;
    return request;
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "call.json";
  runtime::Runtime runtime_ = runtime::host_runtime();
  runtime::Kernel kernel_ = [this] {
    write_two_stage_template(folder_);
    return runtime_.load(folder_.path());
  }();
  std::vector<float> in_ = std::vector<float>(300, 0.25f), out_ = std::vector<float>(300);
  float offset_ = -1;
  int used_ = 0;
  db::Store store_ = db::Store::open(folder_.path() / "s.db", db::OpenMode::read_write);
  const std::atomic<bool> stop_{false};
};

TEST_F(RuntimeCapture, RecordsOneCallAndOnlyWhenAsked) {
  launch(2);
  EXPECT_FALSE(std::filesystem::exists(file_));
  kernel_.capture_next(file_);
  launch(3);
  launch(4);
  const Capture capture = read_capture(file_);
  EXPECT_EQ(search::to_text(capture.sizes), "n=300");
  EXPECT_EQ(search::to_text(capture.scalars), "factor=3.0");
  EXPECT_TRUE(capture.arguments.empty());
  EXPECT_EQ(out_[0], 0);  // 4 * 0.25 - 1
}

TEST_F(RuntimeCapture, RecordsInputsAsTheyWereBeforeTheLaunch) {
  used_ = 77;
  kernel_.capture_next(file_, {true});
  launch(2);
  const Capture capture = read_capture(file_);
  ASSERT_TRUE(capture.arguments.contains("in") && capture.arguments.contains("used"));
  EXPECT_FALSE(capture.arguments.contains("out"));
  const auto bytes = read_npy(capture.arguments.at("used"), ElementType::i32, 1);
  EXPECT_EQ(static_cast<int>(bytes[0]), 77);
}

TEST_F(RuntimeCapture, EachCaptureHasDataOfItsOwnWhateverItsName) {
  for (const char* name : {"step.1", "step.2"}) {
    used_ = name[5];
    kernel_.capture_next(folder_.path() / name, {true});
    launch(2);
  }
  for (const char* name : {"step.1", "step.2"}) {
    const auto file = read_capture(folder_.path() / name).arguments.at("used");
    EXPECT_EQ(static_cast<char>(read_npy(file, ElementType::i32, 1)[0]), name[5]) << file;
  }
}

TEST_F(RuntimeCapture, ComesBackWithAnInfiniteConstantAndIsTunedOn) {
  kernel_.capture_next(file_);
  launch(-std::numeric_limits<float>::infinity());
  EXPECT_EQ(search::to_text(read_capture(file_).scalars), "factor=-inf");
  EXPECT_TRUE(std::isinf(out_[0]));
  Tuning tuning(tune_request(), store_, stop_, nullptr);
  tuning.session().run();
  EXPECT_TRUE(tuning.session().result().best.has_value());
}

TEST_F(RuntimeCapture, AnArgumentWithoutASignIsNeverNegative) {
  std::string manifest = two_stage_manifest;
  manifest.insert(manifest.find("[temporaries"), "[arguments.key]\ntype = \"uint64\"\nvalue = 1\n");
  folder_.write("template.toml", manifest);
  const runtime::Kernel keyed = runtime_.load(folder_.path());
  const auto launch = [&](auto key) {
    keyed.launch(nullptr, {{"n", 300}}, in_.data(), &offset_, out_.data(), &used_, 2.0f, key);
  };
  EXPECT_THROW(launch(-1), std::invalid_argument);
  keyed.capture_next(file_);
  launch(~std::uint64_t{0});
  EXPECT_EQ(search::to_text(read_capture(file_).scalars), "factor=2.0,key=18446744073709551615");
}

TEST_F(RuntimeCapture, AFileThatCannotBeWrittenIsAnErrorAndLaunchesNothing) {
  kernel_.capture_next(folder_.path() / "no/such/call.json");
  EXPECT_THROW(launch(2), runtime::Error);
  EXPECT_EQ(used_, 0);
  launch(2);
  EXPECT_EQ(used_, 32);
}

TEST_F(RuntimeCapture, IsWhatTuningWorksOn) {
  kernel_.capture_next(file_, {true});
  launch(3);
  Tuning tuning(tune_request(), store_, stop_, nullptr);
  tuning.session().run();
  EXPECT_TRUE(tuning.session().result().best.has_value());
  EXPECT_EQ(tuning.problem().text(), "n=300");
  EXPECT_EQ(tuning.kernel().find_argument("in")->fill.kind, Fill::Kind::npy);
  EXPECT_EQ(store_.session(tuning.id())->key.capture, capture_hash(read_capture(file_)));
  EXPECT_EQ(store_.session(tuning.id())->capture_file, file_);
  TuneRequest other = tune_request();
  other.sizes = {{"n", std::int64_t{10}}};
  EXPECT_THROW(Tuning(other, store_, stop_, nullptr), RequestError);
}

}  // namespace
}  // namespace warptune::tuner
