// Wakes the workers for each run by a new generation number, and waits for the last of them.
#include "tuner/device/backends/host/execution/host_threads.h"

#include <signal.h>

#include "tuner/system/confinement.h"

namespace warptune::tuner::host {

HostThreads::HostThreads(int count) {
  for (int worker = 1; worker < count; ++worker) threads_.emplace_back([this, worker] { serve(worker); });
}

HostThreads::~HostThreads() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  begin_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void HostThreads::run(int workers, const std::function<void(int)>& work) {
  if (workers <= 1) return work(0);
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    workers_ = workers;
    busy_ = workers - 1;
    ++generation_;
  }
  begin_.notify_all();
  work(0);
  std::unique_lock lock(mutex_);
  end_.wait(lock, [this] { return busy_ == 0; });
}

void HostThreads::serve(int worker) {
  unsigned long seen = 0;
  sigset_t signals;
  pthread_sigmask(SIG_SETMASK, nullptr, &signals);
  for (;;) {
    std::unique_lock lock(mutex_);
    begin_.wait(lock, [&] { return stop_ || generation_ != seen; });
    if (stop_) return;
    seen = generation_;
    if (worker >= workers_) continue;
    const auto& work = *work_;
    lock.unlock();
    confine_this_thread();
    work(worker);
    pthread_sigmask(SIG_SETMASK, &signals, nullptr);  // a kernel may have blocked some
    lock.lock();
    if (--busy_ == 0) end_.notify_one();
  }
}

}  // namespace warptune::tuner::host
