// The thread passes on what was told, lets the strategy think without the lock, and adds one proposal at a time.
#include "tuner/session/strategy_thread.h"

#include <algorithm>
#include <utility>

namespace warptune::tuner {

StrategyThread::StrategyThread(std::unique_ptr<search::Strategy> strategy, std::size_t ready)
    : strategy_(std::move(strategy)), ready_(ready), thread_([this] { think(); }) {}

StrategyThread::~StrategyThread() {
  {
    const Lock lock(mutex_);
    ended_ = true;
  }
  work_.notify_one();
  thread_.join();
}

std::vector<search::Configuration> StrategyThread::ask(std::size_t n) {
  Lock lock(mutex_);
  const auto idle = [&] { return dry_ && !thinking_ && told_.empty(); };
  if (out_.empty()) news_.wait(lock, [&] { return !proposals_.empty() || failure_ || idle(); });
  require_no_failure();
  std::vector<search::Configuration> result;
  while (result.size() < n && !proposals_.empty()) {
    result.push_back(std::move(proposals_.front()));
    proposals_.pop_front();
    out_.insert(result.back());
  }
  work_.notify_one();
  return result;
}

void StrategyThread::tell(const search::Trial& trial) {
  const Lock lock(mutex_);
  require_no_failure();
  out_.erase(trial.configuration);
  // Something else tried this configuration first, so it must not be proposed any more.
  std::erase(proposals_, trial.configuration);
  told_.push_back(trial);
  dry_ = false;
  work_.notify_one();
}

std::optional<double> StrategyThread::expected_improvement() const {
  const Lock lock(mutex_);
  improvement_wanted_ = true;
  return improvement_;
}

void StrategyThread::require_no_failure() const {
  if (failure_) std::rethrow_exception(failure_);
}

bool StrategyThread::has_work() const {
  return !told_.empty() || (proposals_.size() < ready_ && !dry_);
}

void StrategyThread::think() {
  Lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return ended_ || has_work(); });
    if (ended_) return;
    try {
      think_once(lock);
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();  // it may have failed with or without the lock
      failure_ = std::current_exception();
    }
    news_.notify_one();
    if (failure_) return;
  }
}

// Lets the strategy think once, without the lock. It asks for one proposal at a time, so that each rests on as many
// trials as possible.
void StrategyThread::think_once(Lock& lock) {
  const std::deque<search::Trial> told = std::exchange(told_, {});
  const bool wanting = proposals_.size() < ready_, improvement = improvement_wanted_;
  thinking_ = true;
  lock.unlock();
  for (const search::Trial& trial : told) strategy_->tell(trial);
  std::vector<search::Configuration> asked;
  if (wanting) asked = strategy_->ask(1);
  std::optional<double> expected;
  if (improvement) expected = strategy_->expected_improvement();
  lock.lock();
  thinking_ = false;
  if (improvement) improvement_ = expected;
  if (wanting && told_.empty()) dry_ = asked.empty();
  const auto known = [&](const auto& configuration) {
    return std::ranges::find(told_, configuration, &search::Trial::configuration) != told_.end();
  };
  for (search::Configuration& configuration : asked)
    if (!known(configuration)) proposals_.push_back(std::move(configuration));
}

}  // namespace warptune::tuner
