// Declares the OS threads that run the blocks of a launch.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace warptune::tuner::host {

// Keeps `count` workers. The caller of `run` is the first of them; the others sleep in between.
class HostThreads {
 public:
  explicit HostThreads(int count);
  ~HostThreads();
  HostThreads(const HostThreads&) = delete;
  HostThreads& operator=(const HostThreads&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }
  // Calls `work(worker)` on the first `workers` workers, and returns when all are done. `work` must not throw.
  void run(int workers, const std::function<void(int)>& work);

 private:
  void serve(int worker);

  std::mutex mutex_;
  std::condition_variable begin_;
  std::condition_variable end_;
  const std::function<void(int)>* work_ = nullptr;
  int workers_ = 0;
  int busy_ = 0;
  unsigned long generation_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace warptune::tuner::host
