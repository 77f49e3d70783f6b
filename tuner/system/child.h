// Starts child processes, which are programs or forks of this process that run a function, and runs programs to their
// ends. A child's number is never signalled after its end was seen, for it may be another process's by then.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/system/clock.h"
#include "tuner/system/file_descriptor.h"

namespace warptune::tuner {

// A Pipe is both ends of a pipe, which no started program inherits. Its constructor throws std::system_error.
struct Pipe {
  Pipe();
  FileDescriptor read, write;
};

// Returns this process's environment, with each setting "NAME=VALUE" in the place of what it says of NAME.
std::vector<std::string> environment_with(const std::vector<std::string>& settings);

// Says which process group a child is in: a Ctrl-C at the terminal reaches this process's group, and kill() reaches all
// of a child's own.
enum class ChildGroup { ours, own, own_session };

struct ChildProgram {
  std::vector<std::string> command;           // looked up in PATH if it has no slash, and its arguments
  std::vector<std::string> environment = {};  // "NAME=VALUE"; empty: this process's
  // Each pair is a descriptor of ours, and the number that it gets in the child. They are duplicated in this order,
  // since one may have the number that another is to take.
  std::vector<std::pair<int, int>> descriptors = {};
  bool closes_others = false;  // closes all with numbers above the last of those, of which there is one at least
};

// A Child is not thread-safe.
class Child {
 public:
  Child() = default;  // no process
  // Starts a program with no signal blocked or ignored. Throws std::system_error.
  static Child start(const ChildProgram& program, ChildGroup group);
  // Forks this process, which must have one thread only. The child runs `body` and exits with what it returns, without
  // destructors, which are the parent's. What the body throws goes on from here in the child. The child ends with this
  // process, however that ends. Throws std::system_error.
  static Child fork(ChildGroup group, const std::function<int()>& body);

  // Kills it and waits for its end.
  ~Child();
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;

  pid_t pid() const { return pid_; }
  // Sends a signal to the process alone. Does nothing once its end was seen.
  void signal(int number);
  // Sends a signal to its whole group if that is its own, else to the process alone.
  void signal_group(int number);
  void kill();  // sends SIGKILL to its group

  // Waits for its end, and returns false if that has not come by the deadline.
  bool ends_by(const Deadline& deadline) const;
  // Returns the status as waitpid gives it, once the process has ended. What it leaves behind in a group of its own is
  // killed.
  std::optional<int> try_reap();
  int reap();  // waits for the end
  bool has_been_reaped() const { return status_.has_value(); }
  // Returns false if nobody can know how the process ended, because this process ignores SIGCHLD. The status is 0 then.
  bool end_is_known() const { return end_is_known_; }
  // Gives up a process that hangs where not even SIGKILL reaches it. Nobody waits for it then.
  void leave_behind();

 private:
  Child(pid_t pid, ChildGroup group) : pid_(pid), group_(group) {}

  pid_t pid_ = -1;  // -1: none, or given up
  ChildGroup group_ = ChildGroup::ours;
  std::optional<int> status_;
  bool end_is_known_ = true;
};

// Returns the exit code as a shell tells it: 128 plus the signal's number if a signal ended the process.
int exit_code_of(int status);
// Returns how the process ended: "was killed by SIGSEGV (segmentation fault)", "ended with exit code 3".
std::string describe_end(int status);

struct ChildResult {
  int exit_status = -1;    // 128 + signal if it was killed
  bool timed_out = false;  // it and all its children were killed
  std::string output;      // stdout, bounded
  std::string log;         // stderr, bounded; says so where it was cut
};

struct ChildLimits {
  // Without a deadline the child stays in this process's group, so that whoever ends the group ends it too.
  Deadline deadline = {};
  std::size_t output_bytes = std::size_t{64} << 20;
  std::size_t log_bytes = std::size_t{64} << 10;
};

// `command[0]` is looked up in PATH. `input` becomes its stdin; its messages are in English. Throws std::system_error
// if it cannot be started.
ChildResult run_child(const std::vector<std::string>& command, std::string_view input, const ChildLimits& limits);

}  // namespace warptune::tuner
