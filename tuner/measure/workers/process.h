// Declares a worker as the program sees it: a process in a group of its own, a socket to it, and its last words. Beside
// it are the workers that stay between sessions, and the main function that such a process calls.
#pragma once

#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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
  // Returns whether the worker has served another session (IdleWorkers).
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

// Keeps the idle workers of one session for the next. A worker starts a driver, opens a device and loads a compiler,
// which takes a second or more: as long as a whole short session. So a session that belongs to a series (one for each
// problem size) leaves its idle workers here, and the next session has them prepare for its own problem. Late messages
// for the session before come first on a worker's channel; its new owner skips them. The class is for one thread.
// Destroying it ends the workers.
class IdleWorkers {
 public:
  enum class Role {
    compiles,  // it runs at a lower priority and cannot raise it again
    measures,
  };

  void keep(Role role, std::unique_ptr<Process> process) {
    process->note_service();
    of(role).push_back(std::move(process));
  }

  // Returns the worker that was kept last, or nothing.
  std::unique_ptr<Process> take(Role role) {
    auto& kept = of(role);
    if (kept.empty()) return nullptr;
    auto process = std::move(kept.back());
    kept.pop_back();
    return process;
  }

  std::size_t size() const { return compiling_.size() + measuring_.size(); }

 private:
  std::vector<std::unique_ptr<Process>>& of(Role role) { return role == Role::compiles ? compiling_ : measuring_; }

  std::vector<std::unique_ptr<Process>> compiling_, measuring_;
};

// The main function of a worker: a program that is started as one calls it first and returns its result from main.
// `numbers` are the socket, the program's process and the protocol's version, as Process passes them.
int worker_main(const std::vector<std::string>& numbers);

}  // namespace warptune::tuner::workers
