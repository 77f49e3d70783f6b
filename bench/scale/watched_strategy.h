// A strategy, and what it takes of the processor; told of a trial just behind the store, it also sees how long that
// took.
#pragma once

#include <ctime>
#include <utility>

#include "search/strategies/strategy.h"

namespace warptune::tuner::bench {

// Of this thread: what else the machine does counts little.
inline double thread_cpu_s() {
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class WatchedStrategy : public search::Strategy {
 public:
  // `before_tell` is called when a trial has been recorded.
  WatchedStrategy(std::unique_ptr<search::Strategy> strategy, std::function<void()> before_tell)
      : strategy_(std::move(strategy)), before_tell_(std::move(before_tell)) {}

  std::vector<search::Configuration> ask(std::size_t n) override {
    const double before_s = thread_cpu_s();
    auto asked = strategy_->ask(n);
    cpu_s_ += thread_cpu_s() - before_s;
    return asked;
  }
  void tell(const search::Trial& trial) override {
    before_tell_();
    const double before_s = thread_cpu_s();
    strategy_->tell(trial);
    cpu_s_ += thread_cpu_s() - before_s;
  }
  std::optional<double> expected_improvement() const override { return strategy_->expected_improvement(); }

  double cpu_s() const { return cpu_s_; }

 private:
  std::unique_ptr<search::Strategy> strategy_;
  std::function<void()> before_tell_;
  double cpu_s_ = 0;
};

}  // namespace warptune::tuner::bench
