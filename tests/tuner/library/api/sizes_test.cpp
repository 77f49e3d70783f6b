// tune_sizes() on the host backend, and what work() refuses; cluster_test.cpp has a queue.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/small_template.h"
#include "tests/support/temporary_folder.h"
#include "tuner/library/api/tune.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class TunedSizes : public testing::Test {
 protected:
  TunedSizes() {
    write_doubling_template(folder_);
    request_.manifest = folder_.path();
    request_.device = "host";
    request_.strategy = "random";
    request_.restrictions = {"MODE == 'good'"};
    request_.evaluator.policy.precision = 1;
    request_.budget.trials = 6;
  }
  std::string refusal(const std::vector<search::NamedValues>& problems) const {
    try {
      tune_sizes(request_, problems);
    } catch (const search::Error& error) {
      EXPECT_EQ(error.kind(), search::ErrorKind::request);
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
  TuneRequest request_;
};

TEST_F(TunedSizes, ShareTheBudgetAndLeaveASessionEach) {
  const std::string store = folder_.path() / "s.db";
  const SizesResult result = tune_sizes(request_, {{{"n", 100}}, {{"n", 5000}}}, {.store = store});
  EXPECT_FALSE(result.interrupted);
  ASSERT_THAT(result.sizes, SizeIs(2));
  EXPECT_EQ(result.sizes[0].trials + result.sizes[1].trials, 6u);
  EXPECT_NE(result.sizes[0].session, result.sizes[1].session);
  EXPECT_EQ(result.sizes[1].problem, (search::NamedValues{{"n", 5000}}));
  for (const TunedSize& size : result.sizes) {
    ASSERT_TRUE(size.best);
    EXPECT_GT(size.best_ms, 0);
    EXPECT_GT(size.default_ms.value_or(0), 0);
    EXPECT_GT(size.seconds, 0);
  }
  // The same call goes on with the same sessions.
  EXPECT_EQ(tune_sizes(request_, {{{"n", 100}}, {{"n", 5000}}}, {.store = store}).sizes[1].session,
            result.sizes[1].session);
}

TEST_F(TunedSizes, TellOneObserverOfEachTrial) {
  struct Count : SessionObserver {
    void on_trial(const search::Trial&, const SessionProgress&) override { ++trials; }
    std::size_t trials = 0;
  } count;
  tune_sizes(request_, {{{"n", 100}}, {{"n", 200}}}, {.observer = &count});
  EXPECT_EQ(count.trials, 6u);
}

TEST_F(TunedSizes, EndTogetherWhenTheyAreStopped) {
  const std::atomic<bool> stop{true};
  const SizesResult result = tune_sizes(request_, {{{"n", 100}}, {{"n", 200}}}, {.stop = &stop});
  EXPECT_TRUE(result.interrupted);
  ASSERT_THAT(result.sizes, SizeIs(2));
  EXPECT_FALSE(result.sizes[1].best);
  EXPECT_EQ(result.sizes[1].session, 0);
}

TEST_F(TunedSizes, ThatCannotBeTunedAreRefusedBeforeTheFirstTrial) {
  EXPECT_THAT(refusal({}), HasSubstr("the list of problems is empty"));
  EXPECT_THAT(refusal({{{"n", 100}}, {{"n", 100}}}), HasSubstr("name each problem once"));
  EXPECT_THAT(refusal({{{"n", 1000}}, {}}), HasSubstr("n=1000 twice"));  // the template's own size
  EXPECT_THAT(refusal({{{"m", 100}}}), HasSubstr("m"));
  request_.same_bits_as = "3";
  EXPECT_THAT(refusal({{{"n", 100}}}), HasSubstr("the output bits of session 3"));
  request_.same_bits_as.clear();
  request_.device = "replay:recording.json";
  EXPECT_THAT(refusal({{{"n", 100}}}), HasSubstr("a recording is of one problem"));
}

TEST(WorkOfAQueue, IsNotInAFile) {
  const TemporaryFolder folder;
  try {
    work({.store = folder.path() / "s.db"});
    FAIL() << "a file has no queue";
  } catch (const search::Error& error) {
    EXPECT_EQ(error.kind(), search::ErrorKind::store);
    EXPECT_THAT(error.what(), HasSubstr("s.db"));
  }
}

}  // namespace
}  // namespace warptune::tuner
