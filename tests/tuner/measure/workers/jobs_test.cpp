

#include "tuner/measure/workers/jobs.h"

#include <gtest/gtest.h>

namespace warptune::tuner::workers {
namespace {

Evaluation evaluation(std::uint32_t choice, Purpose purpose = Purpose::trial) {
  return {search::Configuration{{choice}}, purpose};
}

class JobBoardTest : public testing::Test {
 protected:
  static std::vector<JobId> compile_all(JobBoard& board) {
    std::vector<JobId> ids;
    while (const auto id = board.take_for_compiling()) ids.push_back(*id);
    return ids;
  }
  static std::uint32_t finished_choice(JobBoard& board) {
    return board.take_finished().value().configuration.choices[0];
  }
};

TEST_F(JobBoardTest, HandsOutTrialsAsTheyFinish) {
  JobBoard board(false);
  for (std::uint32_t i = 0; i < 3; ++i) board.add(evaluation(i), {});
  const auto ids = compile_all(board);
  board.fail(ids[2], search::Outcome::compile_error, "no");
  board.compiled(ids[1], "code");
  board.finish(*board.take_for_measuring(true));
  EXPECT_EQ(finished_choice(board), 2u);
  EXPECT_EQ(finished_choice(board), 1u);
  EXPECT_FALSE(board.take_finished());
  EXPECT_FALSE(board.empty());
}

TEST_F(JobBoardTest, InOrderALaterTrialWaitsForTheEarlierOnes) {
  JobBoard board(true);
  for (std::uint32_t i = 0; i < 3; ++i) board.add(evaluation(i), {});
  const auto ids = compile_all(board);
  board.compiled(ids[2], "");
  board.compiled(ids[1], "");
  EXPECT_EQ(board.take_for_measuring(true), ids[1]);
  board.finish(ids[1]);
  EXPECT_FALSE(board.take_finished());
  board.fail(ids[0], search::Outcome::timeout, "");
  EXPECT_EQ(finished_choice(board), 0u);
  EXPECT_EQ(finished_choice(board), 1u);
  EXPECT_FALSE(board.take_finished());
}

TEST_F(JobBoardTest, FinalistsGoToOneDeviceOnly) {
  JobBoard board(false);
  board.add(evaluation(0, Purpose::finalist), {});
  board.add(evaluation(1), {});
  const auto ids = compile_all(board);
  for (const JobId id : ids) board.compiled(id, "");
  EXPECT_EQ(board.take_for_measuring(false), ids[1]);
  EXPECT_EQ(board.take_for_measuring(false), std::nullopt);
  EXPECT_EQ(board.take_for_measuring(true), ids[0]);
}

TEST_F(JobBoardTest, MeasuresTheNewestTrialFirstAndEveryFourthTimeTheOldest) {
  JobBoard board(false);
  for (std::uint32_t i = 0; i < 7; ++i) board.add(evaluation(i), {});
  const auto ids = compile_all(board);
  for (const JobId id : ids) board.compiled(id, "");
  for (const std::size_t next : {0, 6, 5, 4, 1, 3, 2}) EXPECT_EQ(board.take_for_measuring(true), ids[next]);
  EXPECT_FALSE(board.take_for_measuring(true));
}

TEST_F(JobBoardTest, InOrderTheOldestTrialIsMeasuredFirst) {
  JobBoard board(true);
  for (std::uint32_t i = 0; i < 5; ++i) board.add(evaluation(i), {});
  const auto ids = compile_all(board);
  for (const std::size_t i : {3, 0, 4, 2, 1}) board.compiled(ids[i], "");
  for (const JobId id : ids) EXPECT_EQ(board.take_for_measuring(true), id);
}

TEST_F(JobBoardTest, FinalistsKeepTheirOrder) {
  JobBoard board(false);
  for (std::uint32_t i = 0; i < 4; ++i) board.add(evaluation(i, Purpose::finalist), {});
  const auto ids = compile_all(board);
  for (const JobId id : ids) board.compiled(id, "");
  for (const JobId id : ids) EXPECT_EQ(board.take_for_measuring(true), id);
}

TEST_F(JobBoardTest, WhatAWorkerHadAlreadyIsMeasuredFirst) {
  JobBoard board(false);
  for (std::uint32_t i = 0; i < 4; ++i) board.add(evaluation(i), {});
  const auto ids = compile_all(board);
  for (const JobId id : ids) board.compiled(id, "");
  ASSERT_EQ(board.take_for_measuring(true), ids[0]);
  ASSERT_EQ(board.take_for_measuring(true), ids[3]);
  board.measure_again(ids[3]);
  board.measure_again(ids[0]);
  for (const std::size_t next : {0, 3, 2, 1}) EXPECT_EQ(board.take_for_measuring(true), ids[next]);
}

TEST_F(JobBoardTest, CancellingKeepsWhatHasBegunAndWhatIsFinished) {
  JobBoard board(false);
  for (std::uint32_t i = 0; i < 4; ++i) board.add(evaluation(i), {});
  const auto ids = compile_all(board);
  board.fail(ids[0], search::Outcome::compile_error, "no");
  for (std::size_t i = 1; i < 3; ++i) board.compiled(ids[i], "");
  const JobId begun = *board.take_for_measuring(true);
  EXPECT_EQ(board.cancel({begun}), 2u);
  EXPECT_EQ(board.find(ids[3]), nullptr);
  EXPECT_EQ(board.take_for_measuring(true), std::nullopt);
  EXPECT_EQ(finished_choice(board), 0u);
  board.finish(begun);
  EXPECT_EQ(finished_choice(board), 1u);
  EXPECT_TRUE(board.empty());
}

TEST_F(JobBoardTest, WhatIsCompiledAheadComesAfterWhatSomebodyWaitsFor) {
  JobBoard board(false);
  board.add_ahead({}, nullptr, "later");
  board.add(evaluation(0), {}, "now");
  const auto ids = compile_all(board);
  ASSERT_EQ(ids.size(), 2u);
  EXPECT_FALSE(board.find(ids[0])->ahead);
  EXPECT_TRUE(board.find(ids[1])->ahead);
}

TEST_F(JobBoardTest, CodeOfANameIsCompiledOnceAndServesWhoeverNeedsIt) {
  JobBoard board(false);
  board.add_ahead({}, nullptr, "a");
  board.add_ahead({}, nullptr, "a");
  const auto ids = compile_all(board);
  ASSERT_EQ(ids.size(), 1u);
  EXPECT_FALSE(board.add(evaluation(1), {}, "a")) << "it is under way";
  EXPECT_FALSE(board.take_for_compiling());
  board.compiled(ids[0], "code");
  EXPECT_TRUE(board.add(evaluation(2), {}, "a"));
  for (const std::uint32_t choice : {1, 2}) {
    const auto id = board.take_for_measuring(true);
    ASSERT_TRUE(id) << choice;
    EXPECT_EQ(board.find(*id)->code, "code");
    board.finish(*id);
    EXPECT_EQ(finished_choice(board), choice);
  }
  EXPECT_TRUE(board.empty());
}

TEST_F(JobBoardTest, KeepsNoMoreCodeThanItMayAndForgetsTheOldest) {
  JobBoard board(false, 11);
  for (const char* name : {"a", "b", "c"}) {
    board.add_ahead({}, nullptr, name);
    board.compiled(*board.take_for_compiling(), "6bytes");
  }
  EXPECT_FALSE(board.has_code("a"));
  EXPECT_FALSE(board.has_code("b"));
  EXPECT_TRUE(board.has_code("c"));
  EXPECT_FALSE(board.add(evaluation(1), {}, "a")) << "it is compiled again";
  board.add_ahead({}, nullptr, "large");
  board.compiled(*board.take_for_compiling(), "6bytes");
  board.compiled(*board.take_for_compiling(), "more than ten bytes");
  EXPECT_TRUE(board.has_code("large")) << "the latest stays";
}

TEST_F(JobBoardTest, WhoWaitsForCodeThatFailsAheadFindsOutWhyByItself) {
  JobBoard board(false);
  board.add_ahead({}, nullptr, "a");
  const auto ahead = compile_all(board);
  board.add(evaluation(1), {}, "a");
  board.fail(ahead[0], search::Outcome::compile_error, "no");
  EXPECT_FALSE(board.is_ahead("a"));
  const auto again = board.take_for_compiling();
  ASSERT_TRUE(again);
  board.fail(*again, search::Outcome::compile_error, "no");
  EXPECT_EQ(board.take_finished().value().message, "no");
}

TEST_F(JobBoardTest, CancellingLeavesWhatIsCompiledAhead) {
  JobBoard board(false);
  board.add_ahead({}, nullptr, "a");
  const auto ahead = compile_all(board);
  board.add(evaluation(1), {}, "b");
  board.add(evaluation(2), {}, "a");
  EXPECT_EQ(board.cancel({}), 0u);
  EXPECT_TRUE(board.empty());
  board.compiled(ahead[0], "code");
  EXPECT_TRUE(board.has_code("a"));
  EXPECT_FALSE(board.take_for_measuring(true)) << "whoever waited for it is cancelled";
}

}  // namespace

namespace {

TEST(KeptCode, IsFoundByName) {
  KeptCode kept(100);
  kept.keep("a", "code of a");
  kept.keep("b", "code of b");
  ASSERT_NE(kept.find("a"), nullptr);
  EXPECT_EQ(*kept.find("a"), "code of a");
  EXPECT_EQ(*kept.find("b"), "code of b");
  EXPECT_EQ(kept.find("c"), nullptr);
}

TEST(KeptCode, ForgetsTheOldestWhereThereIsTooMuch) {
  KeptCode kept(10);
  kept.keep("a", "1234");
  kept.keep("b", "1234");
  kept.keep("c", "1234");
  EXPECT_EQ(kept.find("a"), nullptr);
  EXPECT_NE(kept.find("b"), nullptr);
  EXPECT_NE(kept.find("c"), nullptr);
}

TEST(KeptCode, OfOneNameCountsOnce) {
  KeptCode kept(10);
  for (int i = 0; i < 5; ++i) kept.keep("a", "1234");
  kept.keep("b", "1234");
  EXPECT_NE(kept.find("a"), nullptr);
  EXPECT_NE(kept.find("b"), nullptr);
}

TEST(KeptCode, HasTheLatestHoweverLargeItIs) {
  KeptCode kept(10);
  kept.keep("a", "1234");
  kept.keep("b", std::string(1000, 'b'));
  EXPECT_EQ(kept.find("a"), nullptr);
  EXPECT_NE(kept.find("b"), nullptr);
  kept.keep("c", "1234");
  EXPECT_EQ(kept.find("b"), nullptr);
  EXPECT_NE(kept.find("c"), nullptr);
}

}  // namespace
}  // namespace warptune::tuner::workers
