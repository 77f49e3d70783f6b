// Lets the pool's threads wait on one queue of jobs, and limits the simultaneous compiles by the cores and by the
// memory that a compile takes.
#include "tuner/measure/compilation/compile_pool.h"

#include <algorithm>

#include "tuner/system/machine.h"

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

namespace {

constexpr std::uint64_t bytes_a_compile = std::uint64_t{400} << 20;
constexpr std::size_t most_a_core = 4;

}  // namespace

std::size_t default_jobs() {
  return static_cast<std::size_t>(available_cores());
}

CompileRoom compile_room() {
  return {default_jobs(), static_cast<std::uint64_t>(available_memory_bytes())};
}

std::size_t compile_jobs(std::size_t wanted, const CompileRoom& room) {
  std::size_t most = most_a_core * room.cores;
  if (room.available_bytes > 0)
    most = std::min<std::size_t>(most, static_cast<std::size_t>(room.available_bytes / bytes_a_compile));
  return std::max<std::size_t>(1, std::min(wanted > 0 ? wanted : room.cores, most));
}

}  // namespace warptune::tuner
