// Lets the pool's threads wait on one queue of jobs.
#include "tuner/measure/compilation/compile_pool.h"

#include <algorithm>

namespace warptune::tuner {

CompilePool::CompilePool(std::size_t threads) {
  for (std::size_t i = 0; i < std::max<std::size_t>(1, threads); ++i)
    threads_.emplace_back([this](std::stop_token stop) { work(stop); });
}

CompilePool::~CompilePool() {
  {
    const std::lock_guard lock(mutex_);
    jobs_.clear();
  }
  for (auto& thread : threads_) thread.request_stop();
}

void CompilePool::push(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
}

void CompilePool::work(std::stop_token stop) {
  for (;;) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, stop, [this] { return !jobs_.empty(); })) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job();
  }
}

}  // namespace warptune::tuner
