// Declares a pool of threads that compile, and chooses how many jobs, and how many compiles, run at once.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
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

// Returns the number of cores that this process may use; at least one. It is the one default number of threads, workers
// and compilers.
std::size_t default_jobs();

// The cores and the memory that this machine has for compilers.
struct CompileRoom {
  std::size_t cores = 1;
  std::uint64_t available_bytes = 0;  // 0: unknown
};
// Returns the room within the affinity mask and the control group (`tuner/system/machine.h`).
CompileRoom compile_room();

// Returns `wanted`, or the number of cores if it is 0. It is at least one, at most four for each core, and at most what
// memory holds: a compiler takes some 400 MB at its height, and one that the system kills for want of memory helps
// nobody.
std::size_t compile_jobs(std::size_t wanted, const CompileRoom& room = compile_room());

}  // namespace warptune::tuner
