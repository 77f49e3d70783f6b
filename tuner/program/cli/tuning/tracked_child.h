// A tracked run in a process of its own: a reference that is not tracked, a division by zero or a stack that overflows
// would end the program before it had said anything. Forked, so that the child goes on where the program is. (Rejected:
// a signal handler that reports. It would run on a kernel's stack, with the crash's locks held.)
#pragma once

#include <sys/types.h>

#include <string>

namespace warptune::tuner::cli {

class TrackedChild {
 public:
  // Forks. To be called while this process has one thread. Throws std::system_error.
  TrackedChild();
  ~TrackedChild();
  TrackedChild(const TrackedChild&) = delete;
  TrackedChild& operator=(const TrackedChild&) = delete;

  bool is_this() const { return process_ == 0; }

  // The child's: what it is about to run of the user's (BackendOptions::on_step).
  void note(const std::string& step);

  // The parent's: waits. The status as waitpid gives it, and the latest step.
  int wait();
  std::string step() const;

 private:
  char* step_;  // memory that both share
  pid_t process_ = -1;
};

}  // namespace warptune::tuner::cli
