#include "tuner/session/strategy_thread.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <future>
#include <new>
#include <set>
#include <stdexcept>

namespace {

thread_local bool memory_is_out = false;  // for the next that this thread wants

}  // namespace

void* operator new(std::size_t bytes) {
  void* const memory = std::exchange(memory_is_out, false) ? nullptr : std::malloc(bytes);
  if (!memory) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return std::malloc(bytes);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace warptune::tuner {
namespace {

using search::Configuration;
using search::Trial;

// Proposes 0, 1, 2, … of one parameter.
struct CountingUp : search::Strategy {
  explicit CountingUp(std::uint32_t values) : values_(values) {}
  std::vector<Configuration> ask(std::size_t n) override {
    std::vector<Configuration> result;
    while (result.size() < n && next_ < values_) result.push_back({{next_++}});
    return result;
  }
  void tell(const Trial&) override {
    if (++told_ == broken_at_) throw std::runtime_error("broken");
  }
  std::optional<double> expected_improvement() const override { return 0.5; }

  std::uint32_t values_, next_ = 0, told_ = 0, broken_at_ = 0;
};

// Takes as long to learn of a trial as the test wants.
struct SlowToLearn : CountingUp {
  SlowToLearn(std::uint32_t values, std::shared_future<void> gate) : CountingUp(values), gate_(std::move(gate)) {}
  void tell(const Trial&) override { gate_.wait(); }
  std::shared_future<void> gate_;
};

Trial told_trial(const Configuration& configuration) {
  Trial trial{.configuration = configuration};
  trial.objectives = {1};
  return trial;
}

TEST(StrategyThread, ProposesAllThatTheStrategyDoesAndThenNothing) {
  StrategyThread ahead(std::make_unique<CountingUp>(50), 4);
  std::set<std::uint32_t> seen;
  std::vector<Configuration> in_flight;
  for (;;) {
    for (Configuration& configuration : ahead.ask(3)) {
      EXPECT_TRUE(seen.insert(configuration.choices.front()).second);
      in_flight.push_back(std::move(configuration));
    }
    if (in_flight.empty()) break;
    ahead.tell(told_trial(in_flight.back()));
    in_flight.pop_back();
  }
  EXPECT_EQ(seen.size(), 50u);
}

// Proposes more than its queue has room for, so that memory runs out where the thread holds its lock.
struct OutOfMemoryWithTheLock : CountingUp {
  using CountingUp::CountingUp;
  std::vector<Configuration> ask(std::size_t) override {
    auto many = CountingUp::ask(1000);
    memory_is_out = true;
    return many;
  }
};

TEST(StrategyThread, TellsWhatWentWrongWhileItHeldItsLock) {
  StrategyThread ahead(std::make_unique<OutOfMemoryWithTheLock>(1000), 4);
  EXPECT_THROW(ahead.ask(1), std::bad_alloc);
}

TEST(StrategyThread, NeverWaitsWhileSomethingIsInFlight) {
  std::promise<void> gate;
  StrategyThread ahead(std::make_unique<SlowToLearn>(100, gate.get_future().share()), 4);
  std::vector<Configuration> asked;
  while (asked.empty())
    for (Configuration& one : ahead.ask(1)) asked.push_back(std::move(one));
  ahead.tell(told_trial({{99}}));
  // The thread is busy until the gate opens: nobody waits for it.
  for (int i = 0; i < 100; ++i) EXPECT_LE(ahead.ask(1).size(), 1u);
  gate.set_value();
}

TEST(StrategyThread, ProposesNothingThatWasToldMeanwhile) {
  StrategyThread ahead(std::make_unique<CountingUp>(3), 3);
  ahead.tell(told_trial({{1}}));
  std::set<std::uint32_t> seen;
  for (;;) {
    const auto asked = ahead.ask(1);
    if (asked.empty()) break;
    seen.insert(asked.front().choices.front());
    ahead.tell(told_trial(asked.front()));
  }
  EXPECT_TRUE(seen.contains(0));
  EXPECT_TRUE(seen.contains(2));
}

TEST(StrategyThread, PassesOnWhatTheStrategyThrows) {
  auto counting_up = std::make_unique<CountingUp>(100);
  counting_up->broken_at_ = 1;
  StrategyThread ahead(std::move(counting_up), 1);
  // With nothing in flight, asking waits for a proposal or for what was thrown.
  const auto go_on = [&] {
    for (int i = 0; i < 100; ++i)
      for (const Configuration& asked : ahead.ask(1)) ahead.tell(told_trial(asked));
  };
  EXPECT_THROW(go_on(), std::runtime_error);
}

TEST(StrategyThread, KnowsTheExpectedImprovementOnceItWasAskedForIt) {
  StrategyThread ahead(std::make_unique<CountingUp>(100), 1);
  std::optional<double> expected;
  for (int i = 0; i < 50 && !expected; ++i) {
    expected = ahead.expected_improvement();
    for (const auto& configuration : ahead.ask(1)) ahead.tell(told_trial(configuration));
  }
  EXPECT_EQ(expected, 0.5);
}

}  // namespace
}  // namespace warptune::tuner
