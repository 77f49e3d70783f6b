// What ends a worker from within: the loss of its program, and a kernel that hangs.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <thread>

namespace warptune::tuner::workers {

// Exit codes of a worker.
inline constexpr int hang_exit_code = 97;   // a kernel took longer than its time-out
inline constexpr int misuse_exit_code = 2;  // not started by a program of this version

// One a process. No worker outlives its program, however that ended: the kernel's signal about a parent's death comes
// first, and the socket's hang-up serves where that signal cannot (it also comes when merely the thread that started
// the worker has ended, so it must not be trusted alone). Either way the whole group goes: a compiler's own processes
// would not hear of it.
class Watchdog {
 public:
  Watchdog(int socket, pid_t program);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // From now on, `progress` must be called at least every so many seconds while a step is under way.
  void watch_steps(double limit_s);
  void progress();
  // No step is under way.
  void rest();

 private:
  void watch_program(const std::stop_token& stop, int socket);
  void watch_for_hangs(const std::stop_token& stop, double limit_s);

  std::atomic<double> last_progress_s_{0};  // 0: at rest
  std::jthread program_;
  double limit_s_ = 0;  // that `steps_` holds
  std::jthread steps_;
};

}  // namespace warptune::tuner::workers
