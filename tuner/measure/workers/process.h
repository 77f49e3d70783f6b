// A worker as the program sees it: a process of its own group, a socket to it, and its last words.
#pragma once

#include <csignal>
#include <optional>
#include <string>

#include "tuner/measure/workers/channel.h"
#include "tuner/measure/workers/program.h"
#include "tuner/system/child.h"

namespace warptune::tuner::workers {

// Raised with every change of what the messages mean: a worker of another version refuses to begin.
inline constexpr int protocol_version = 9;

// Why a process does not run although it could.
enum class Halt { none, stopped /* SIGSTOP */, traced /* a debugger holds it */ };

class Process {
 public:
  // Spawns the worker. Its stdin is empty; stdout and stderr come here. Throws std::system_error.
  explicit Process(const Program& program);
  // Kills it, with all that it has started, and waits for its end.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return child_.pid(); }
  // It has worked for another session (crew.h).
  bool has_served() const { return has_served_; }
  void note_service() { has_served_ = true; }
  Channel& channel() { return channel_; }
  int output_fd() const { return output_.get(); }

  // Takes in what it has printed, of which the end is kept.
  void read_output();
  const std::string& last_words() const { return last_words_; }

  // Of itself; the last of the above that holds for any process of its group.
  Halt halt() const;
  Halt group_halt() const;
  // Continues what is stopped, in the whole group.
  void go_on() { child_.signal_group(SIGCONT); }

  // The whole process group; returns at once.
  void kill() { child_.kill(); }
  // The status as waitpid gives it, once the process has ended.
  std::optional<int> try_reap();

 private:
  Child child_;
  bool has_served_ = false;
  Channel channel_;
  FileDescriptor output_;
  std::string last_words_;
};

}  // namespace warptune::tuner::workers
