#include "tuner/device/backends/host/compile/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "tuner/device/backends/host/compile/memory_file.h"
#include "tuner/system/clock.h"

namespace warptune::tuner::host {

namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    read = FileDescriptor(ends[0]);
    write = FileDescriptor(ends[1]);
  }
  FileDescriptor read, write;
};

// What a child inherits: everything, but messages in English, which is what is shown and searched for.
std::vector<char*> english_environment() {
  static char english[] = "LC_ALL=C";
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::strncmp(*variable, "LC_ALL=", 7) != 0) variables.push_back(*variable);
  }
  variables.push_back(english);
  variables.push_back(nullptr);
  return variables;
}

// With `own_group` the child leads a process group of its own, so that all its children can be killed with it.
pid_t spawn(const std::vector<std::string>& command, int in, int out, int err, bool own_group) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  posix_spawn_file_actions_adddup2(&actions, err, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (own_group) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<char*> arguments;
  for (const auto& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  auto environment = english_environment();
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start '" + command[0] + "'");
  return pid;
}

// As poll takes it; an infinite deadline is none.
int remaining_ms(double deadline_s) {
  if (std::isinf(deadline_s)) return -1;
  return static_cast<int>(std::clamp(std::ceil(1e3 * (deadline_s - steady_s())), 0.0, 1e9));
}

// One stream of the child, kept up to a bound and read to its end.
struct Stream {
  FileDescriptor from;
  std::string& to;
  std::size_t bound;
  bool cut = false;

  void read_some() {
    std::array<char, 65536> buffer;
    const ssize_t n = read(from.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) return;
    if (n <= 0) return from.reset();
    const std::size_t room = bound - std::min(bound, to.size());
    to.append(buffer.data(), std::min(room, static_cast<std::size_t>(n)));
    cut |= static_cast<std::size_t>(n) > room;
  }
};

// False if the deadline came before the end of both streams.
bool read_all(std::array<Stream, 2>& streams, double deadline_s) {
  for (;;) {
    std::array<pollfd, 2> polled{};
    for (std::size_t i = 0; i < 2; ++i) polled[i] = {streams[i].from.get(), POLLIN, 0};
    if (polled[0].fd < 0 && polled[1].fd < 0) return true;
    const int ready = poll(polled.data(), polled.size(), remaining_ms(deadline_s));
    if (ready == 0) return false;
    for (std::size_t i = 0; i < 2 && ready > 0; ++i) {
      if (polled[i].revents != 0) streams[i].read_some();
    }
  }
}

// False if the deadline came first. A child may close its streams and go on.
bool wait_for_exit(pid_t pid, double deadline_s) {
  const FileDescriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  pollfd polled{process.get(), POLLIN, 0};
  if (process.get() < 0) return true;  // a kernel before 5.3: waitpid waits without a deadline
  int ready = 0;
  do ready = poll(&polled, 1, remaining_ms(deadline_s));
  while (ready < 0 && errno == EINTR);
  return ready > 0;
}

int reap(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& command, std::string_view input, const ChildLimits& limits) {
  const FileDescriptor in = memory_file("input", input.data(), input.size());
  Pipe out, err;
  const double deadline_s = steady_s() + limits.timeout_s;
  const pid_t pid = spawn(command, in.get(), out.write.get(), err.write.get(), !std::isinf(limits.timeout_s));
  out.write.reset();
  err.write.reset();
  ChildResult result;
  std::array<Stream, 2> streams{Stream{std::move(out.read), result.output, limits.output_bytes},
                                Stream{std::move(err.read), result.log, limits.log_bytes}};
  result.timed_out = !read_all(streams, deadline_s) || !wait_for_exit(pid, deadline_s);
  if (result.timed_out) kill(-pid, SIGKILL);
  result.exit_status = reap(pid);
  if (streams[1].cut) result.log += "\n[further messages left out]\n";
  return result;
}

}  // namespace warptune::tuner::host
