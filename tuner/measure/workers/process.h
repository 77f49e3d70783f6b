// Declares a worker as the program sees it: a process in a group of its own, a socket to it, and its last words.
#pragma once

#include <csignal>
#include <optional>
#include <string>

#include "tuner/measure/workers/channel.h"
#include "tuner/measure/workers/program.h"
#include "tuner/system/child.h"

namespace warptune::tuner::workers {

// The version of the protocol. It is raised with every change of what the messages mean; a worker of another version
// refuses to begin.
inline constexpr int protocol_version = 9;

// Says why a process does not run although it could.
enum class Halt { none, stopped /* SIGSTOP */, traced /* a debugger holds it */ };

class Process {
 public:
  // Spawns the worker. Its stdin is empty; its stdout and stderr are read by `read_output`. Throws std::system_error.
  explicit Process(const Program& program);
  // Kills the worker with all that it has started, and waits for its end.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return child_.pid(); }
  // Returns whether the worker has served another session (crew.h).
  bool has_served() const { return has_served_; }
  void note_service() { has_served_ = true; }
  Channel& channel() { return channel_; }
  int output_fd() const { return output_.get(); }

  // Reads what the worker has printed, and keeps the end of it.
  void read_output();
  const std::string& last_words() const { return last_words_; }

  // `halt` returns the state of the worker itself. `group_halt` returns the last of the values above that holds for any
  // process of its group.
  Halt halt() const;
  Halt group_halt() const;
  // Continues all stopped processes of the group.
  void go_on() { child_.signal_group(SIGCONT); }

  // Kills the whole process group; returns at once.
  void kill() { child_.kill(); }
  // Returns the status as waitpid gives it, once the process has ended; nothing before that.
  std::optional<int> try_reap();

 private:
  Child child_;
  bool has_served_ = false;
  Channel channel_;
  FileDescriptor output_;
  std::string last_words_;
};

}  // namespace warptune::tuner::workers
