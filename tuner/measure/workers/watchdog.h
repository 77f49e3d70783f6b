// Ends a worker from within when its program is gone or a kernel hangs.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <thread>

namespace warptune::tuner::workers {

// These are the exit codes of a worker.
inline constexpr int hang_exit_code = 97;   // a kernel took longer than its time-out
inline constexpr int misuse_exit_code = 2;  // not started by a program of this version

// Watches the program and the steps of this process, which has one watchdog. No worker outlives its program, however
// that ended. The operating system's signal about a parent's death comes first, and the socket's hang-up serves where
// that signal fails. The signal also comes when only the thread that started the worker has ended, so it is not trusted
// alone. In either case the whole group is killed, since a compiler's own processes would not notice.
class Watchdog {
 public:
  Watchdog(int socket, pid_t program);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // Requires from now on that `progress` is called at least every `limit_s` seconds while a step is under way.
  void watch_steps(double limit_s);
  void progress();
  // Says that no step is under way.
  void rest();

 private:
  void watch_program(const std::stop_token& stop, int socket);
  void watch_for_hangs(const std::stop_token& stop, double limit_s);

  std::atomic<double> last_progress_s_{0};  // 0: at rest
  std::jthread program_;
  double limit_s_ = 0;  // the limit that `steps_` enforces
  std::jthread steps_;
};

}  // namespace warptune::tuner::workers
