// A child process: a program that was started, or a fork of this one that runs a function. Its number is never
// signalled after its end was seen, for it may be another's by then.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/system/file_descriptor.h"

namespace warptune::tuner {

// Both ends of a pipe, which no started program inherits. Throws std::system_error.
struct Pipe {
  Pipe();
  FileDescriptor read, write;
};

// This process's environment, with "NAME=VALUE" in the place of what it says of NAME.
std::vector<std::string> environment_with(const std::string& setting);

// Which group of processes a child is in: a Ctrl-C at the terminal reaches this process's group, and kill() reaches all
// of a child's own.
enum class ChildGroup { ours, own, own_session };

struct ChildProgram {
  std::vector<std::string> command;           // looked up in PATH if it has no slash, and its arguments
  std::vector<std::string> environment = {};  // "NAME=VALUE"; empty: this process's
  // Ours, and the number that it gets there; in this order, since one may have the number that another is to take.
  std::vector<std::pair<int, int>> descriptors = {};
  bool closes_others = false;  // all whose numbers are higher than the last of those
};

// Not thread-safe.
class Child {
 public:
  Child() = default;  // none
  // Starts a program with no signal blocked or ignored. Throws std::system_error.
  static Child start(const ChildProgram& program, ChildGroup group);
  // Forks, which a process with one thread may. The child runs `body` and exits with what it returns, without
  // destructors, which are the parent's; what the body throws goes on from here in the child. The child ends with this
  // process, however that ends. Throws std::system_error.
  static Child fork(ChildGroup group, const std::function<int()>& body);

  // Kills it and waits for its end.
  ~Child();
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;

  pid_t pid() const { return pid_; }
  // To the process alone; nothing once its end was seen.
  void signal(int number);
  // The same to its whole group, if that is its own.
  void signal_group(int number);
  void kill();  // SIGKILL to its group

  // Waits for its end; false if that has not come by then. Infinite: no deadline.
  bool ends_by(double deadline_s) const;
  // The status as waitpid gives it, once the process has ended; what it leaves behind in a group of its own is killed.
  std::optional<int> try_reap();
  int reap();  // waits
  bool has_been_reaped() const { return status_.has_value(); }
  // It hangs where not even SIGKILL reaches it: it is nobody's to wait for.
  void leave_behind();

 private:
  Child(pid_t pid, ChildGroup group) : pid_(pid), group_(group) {}

  pid_t pid_ = -1;  // none, or no more ours
  ChildGroup group_ = ChildGroup::ours;
  std::optional<int> status_;
};

// The exit code as a shell tells it: 128 and the signal's number if one ended it.
int exit_code_of(int status);
// "was killed by SIGSEGV (segmentation fault)", "ended with exit code 3".
std::string describe_end(int status);

}  // namespace warptune::tuner
