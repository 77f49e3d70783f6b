// Declares a pool of threads that compile.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace warptune::tuner {

// Runs queued jobs on threads, in order of submission. Compiling happens there, so that the device never waits for it.
class CompilePool {
 public:
  explicit CompilePool(std::size_t threads);
  // Drops the jobs that have not begun, and waits for those that have.
  ~CompilePool();
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  template <class Job>
  auto submit(Job job) -> std::future<decltype(job())> {
    auto task = std::make_shared<std::packaged_task<decltype(job())()>>(std::move(job));
    auto result = task->get_future();
    push([task] { (*task)(); });
    return result;
  }

  std::size_t threads() const { return threads_.size(); }

 private:
  void push(std::function<void()> job);
  void work(std::stop_token stop);

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::jthread> threads_;
};

}  // namespace warptune::tuner
