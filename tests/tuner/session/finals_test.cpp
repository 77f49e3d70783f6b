#include "tuner/session/finals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include "search/random.h"

namespace warptune::tuner {
namespace {

// Visits take what their configuration says, with a little noise; a second each on its clock.
class NoisyEvaluator : public Evaluator {
 public:
  explicit NoisyEvaluator(std::vector<double> ms) : ms_(std::move(ms)) {}
  const DeviceInfo& device() const override { return info_; }
  std::size_t capacity() const override { return 4; }
  void submit(const Evaluation& evaluation) override {
    EXPECT_TRUE(evaluation.purpose == Purpose::finalist || evaluation.purpose == Purpose::proof);
    if (evaluation.purpose == Purpose::finalist) order.push_back(evaluation.configuration.choices[0]);
    queue_.push_back(evaluation);
  }
  search::Trial next() override {
    search::Trial trial;
    trial.configuration = queue_.back().configuration;  // completion order is not the order of submission
    const Purpose purpose = queue_.back().purpose;
    queue_.pop_back();
    if (purpose == Purpose::proof) {
      if (trial.configuration.choices[0] == remembers) trial.outcome = search::Outcome::wrong_result;
      return trial;
    }
    clock_s_ += visit_s;
    if (broken && trial.configuration.choices[0] == *broken) {
      trial.outcome = search::Outcome::crash;
    } else {
      const double ms = ms_[trial.configuration.choices[0]] * (1 + 0.002 * rng_.normal());
      trial.measurement = search::Measurement{{ms}, ms};
    }
    return trial;
  }
  // The visits after `most_visits` never come back.
  bool wait(double seconds) override {
    if (queue_.back().purpose == Purpose::proof) return true;
    if (most_visits > 0) return --most_visits, true;
    clock_s_ += std::max(0.0, seconds);
    return false;
  }
  void race_against(const Rivals&) override {}
  std::size_t cancel() override { return queue_.size(); }
  double now_s() const override { return clock_s_; }

  std::vector<std::uint32_t> order;
  std::optional<std::uint32_t> broken, remembers;
  double visit_s = 0.001;
  std::size_t most_visits = 1'000'000;

 private:
  std::vector<double> ms_;
  DeviceInfo info_;
  std::deque<Evaluation> queue_;
  double clock_s_ = 0;
  search::Rng rng_{9};
};

double time_of(const search::Trial&, const search::Measurement& measurement) {
  return measurement.median_ms;
}

std::vector<search::Trial> trials_of(const std::vector<double>& ms) {
  std::vector<search::Trial> trials;
  for (std::size_t i = 0; i < ms.size(); ++i) {
    search::Trial trial;
    trial.configuration.choices = {static_cast<std::uint32_t>(i)};
    trial.measurement = search::Measurement{{ms[i]}, ms[i], 0.005};
    trial.objectives = {ms[i]};
    trials.push_back(trial);
  }
  return trials;
}

class Finals : public testing::Test {
 protected:
  std::optional<FinalsResult> hold(const std::vector<double>& ms, std::uint64_t seed = 1) {
    evaluator_ = std::make_unique<NoisyEvaluator>(ms);
    evaluator_->broken = broken_;
    evaluator_->remembers = remembers_;
    evaluator_->visit_s = visit_s_;
    evaluator_->most_visits = most_visits_;
    trials_ = trials_of(ms);
    for (search::Trial& trial : trials_) trial.measurement->relative_error = search_error_;
    options_.seed = seed;
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < ms.size(); ++i) all.push_back(i);
    held_ = run_finals(*evaluator_, trials_, all, time_of, options_, stop_, [](std::size_t, std::size_t) {});
    return held_.result;
  }

  FinalsHeld held_;
  FinalsOptions options_{.candidates = 20};
  std::atomic<bool> stop_{false};
  std::optional<std::uint32_t> broken_, remembers_;
  double visit_s_ = 0.001;
  std::size_t most_visits_ = 1'000'000;
  double search_error_ = 0.005;
  std::vector<search::Trial> trials_;
  std::unique_ptr<NoisyEvaluator> evaluator_;
};

TEST_F(Finals, NameTheFasterOneAndByHowMuch) {
  const auto result = hold({1.03, 1.0, 1.1});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->finalists[0].trial, 1u);
  EXPECT_NEAR(result->finalists[0].time_ms, 1.0, 0.003);
  EXPECT_EQ(result->finalists[1].trial, 0u);
  EXPECT_FALSE(result->finalists[1].tied);
  EXPECT_NEAR(result->finalists[1].slower_by, 0.03, 0.005);
  EXPECT_GT(result->finalists[1].slower_low, 0);
  EXPECT_EQ(result->finalists[2].trial, 2u);
}

TEST_F(Finals, ProveEachOnInputsThatNoRunHasSeen) {
  hold({1, 1, 1, 1.5});
  std::ranges::sort(held_.proved);
  EXPECT_EQ(held_.proved, (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_TRUE(held_.wrong.empty());
}

TEST_F(Finals, HaveNoPlaceForOneThatFailsThere) {
  remembers_ = 1;
  const auto result = hold({1.03, 0.5, 1.1});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->finalists[0].trial, 0u) << "the fastest remembers its answers";
  EXPECT_EQ(result->finalists.size(), 2u);
  ASSERT_EQ(held_.wrong.size(), 1u);
  EXPECT_EQ(held_.wrong.begin()->first, 1u);
}

TEST_F(Finals, LeaveEqualOnesTied) {
  const auto result = hold({1, 1, 1, 1});
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(std::ranges::all_of(result->finalists, &Finalist::tied));
}

TEST_F(Finals, VisitEachOnceARoundInAnOrderThatTheSeedDecides) {
  hold({1, 1, 1, 1, 1});
  const auto first = evaluator_->order;
  hold({1, 1, 1, 1, 1});
  EXPECT_EQ(evaluator_->order, first);
  hold({1, 1, 1, 1, 1}, 2);
  EXPECT_NE(evaluator_->order, first);
  EXPECT_EQ((std::set<std::uint32_t>{first.begin(), first.begin() + 5}).size(), 5u);
  EXPECT_FALSE(std::equal(first.begin(), first.begin() + 5, first.begin() + 5));
}

TEST_F(Finals, GoOnWithoutACandidateThatFails) {
  broken_ = 0;
  const auto result = hold({0.9, 1.0, 1.2});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->finalists.size(), 2u);
  EXPECT_EQ(result->finalists[0].trial, 1u);
}

TEST_F(Finals, EndInTiesWhenTheTimeIsUp) {
  visit_s_ = 10;
  search_error_ = 0.1;
  const auto result = hold({1.0, 1.2});
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->finalists[1].tied);
  EXPECT_TRUE(std::isinf(result->finalists[1].slower_high));
}

TEST_F(Finals, TakeTheSearchsWordWhereTheTimeIsTooShortToTell) {
  visit_s_ = 10;
  const auto result = hold({1.0, 17.0, 1.001});
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->finalists[1].tied);
  EXPECT_EQ(result->finalists[2].trial, 1u);
  EXPECT_TRUE(std::isinf(result->finalists[2].slower_high));
  EXPECT_FALSE(result->finalists[2].tied);
}

TEST_F(Finals, BeginNoRoundThatWouldEndTooLate) {
  visit_s_ = 5;
  options_.max_seconds = 39;
  EXPECT_EQ(hold({1.0, 1.2})->rounds, 3u);
  EXPECT_LE(evaluator_->now_s(), 39);
}

TEST_F(Finals, LeaveOutARoundThatTheTimeCutsShort) {
  most_visits_ = 5;
  options_.max_seconds = 4;
  const auto result = hold({1.0, 1.2});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->rounds, 2u);
  EXPECT_NEAR(evaluator_->now_s(), 4, 0.01);
  most_visits_ = 1;
  EXPECT_FALSE(hold({1.0, 1.2}).has_value()) << "not one round is complete";
}

TEST_F(Finals, GiveNoResultWhenStopped) {
  stop_ = true;
  EXPECT_FALSE(hold({1.0, 1.2}).has_value());
}

TEST(ChooseFinalists, TakesWhatIsCloseOrUncertainAndTheDefault) {
  std::vector<search::Trial> trials = trials_of({1.5, 1.0, 1.02, 1.2, 1.25, 1.01});
  trials[3].measurement->relative_error = 0.2;  // may be as fast as the best
  trials[5].measurement->cut_short = true;
  const FinalsOptions options{.candidates = 20};
  EXPECT_EQ(choose_finalists(trials, {0}, time_of, options), (std::vector<std::size_t>{1, 2, 3, 0}));
  EXPECT_EQ(choose_finalists(trials, {}, time_of, {.candidates = 2}), (std::vector<std::size_t>{1, 2}));
  EXPECT_TRUE(choose_finalists(trials, {0}, time_of, {}).empty());
  EXPECT_TRUE(choose_finalists({}, {}, time_of, options).empty());
}

// Near the best, it was one of many, and lost its place to the time.
TEST(ChooseFinalists, LeavesOutNoneThatIsAlwaysAFinalist) {
  const std::vector<search::Trial> trials = trials_of({1.0, 1.001, 1.02, 1.01, 1.5});
  EXPECT_EQ(choose_finalists(trials, {2}, time_of, {.candidates = 2}), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(choose_finalists(trials, {4, 2}, time_of, {.candidates = 2}), (std::vector<std::size_t>{0, 1, 4, 2}));
  EXPECT_EQ(choose_finalists(trials, {1, 0}, time_of, {.candidates = 2}), (std::vector<std::size_t>{0, 1}));
}

TEST(ChooseFinalists, TakesFewerOfWhatIsSlowToVisit) {
  const std::vector<search::Trial> trials = trials_of(std::vector<double>(20, 200));
  EXPECT_LT(choose_finalists(trials, {}, time_of, {.candidates = 20}).size(), 10u);
  EXPECT_TRUE(choose_finalists(trials, {}, time_of, {.candidates = 20, .max_seconds = 0.1}).empty())
      << "not even two could be visited once";
}

}  // namespace
}  // namespace warptune::tuner
