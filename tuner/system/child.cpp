// Starts, signals and reaps child processes, and reads what they print with poll.
#include "tuner/system/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <system_error>
#include <thread>

#include "tuner/system/clock.h"
#include "tuner/system/file_descriptor.h"

namespace warptune::tuner {

namespace {

class FileActions {
 public:
  explicit FileActions(const ChildProgram& program) {
    posix_spawn_file_actions_init(&actions_);
    for (const auto& [ours, theirs] : program.descriptors) posix_spawn_file_actions_adddup2(&actions_, ours, theirs);
    if (program.closes_others)
      posix_spawn_file_actions_addclosefrom_np(&actions_, program.descriptors.back().second + 1);
  }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

class Attributes {
 public:
  explicit Attributes(ChildGroup group) {
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    const int of_group = group == ChildGroup::own           ? POSIX_SPAWN_SETPGROUP
                         : group == ChildGroup::own_session ? POSIX_SPAWN_SETSID
                                                            : 0;
    posix_spawnattr_setflags(&attributes_,
                             static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | of_group));
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  posix_spawnattr_t* get() { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Returns whether the process has ended. It waits for the end unless `flags` has WNOHANG. If the parent ignores
// SIGCHLD, nobody can wait for the end, and an error counts as ended.
bool has_ended(pid_t pid, int flags) {
  siginfo_t info{};
  int waited = 0;
  do waited = waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT | flags);
  while (waited != 0 && errno == EINTR);
  return waited != 0 || info.si_pid == pid;
}

}  // namespace

Pipe::Pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "making a pipe");
  read = FileDescriptor(ends[0]);
  write = FileDescriptor(ends[1]);
}

std::vector<std::string> environment_with(const std::vector<std::string>& settings) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  for (const std::string& setting : settings) {
    const std::string name = setting.substr(0, setting.find('=') + 1);
    std::erase_if(all, [&](const std::string& entry) { return entry.starts_with(name); });
    all.push_back(setting);
  }
  return all;
}

Child Child::start(const ChildProgram& program, ChildGroup group) {
  const std::vector<char*> command = pointers_to(program.command), environment = pointers_to(program.environment);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, command[0], FileActions(program).get(), Attributes(group).get(), command.data(),
                                 program.environment.empty() ? environ : environment.data());
  if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start '" + program.command[0] + "'");
  return {pid, group};
}

Child Child::fork(ChildGroup group, const std::function<int()>& body) {
  std::fflush(nullptr);  // or both would print what is buffered
  const pid_t parent = getpid(), pid = ::fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "cannot start a process");
  if (pid > 0) return {pid, group};
  if (group == ChildGroup::own) setpgid(0, 0);
  if (group == ChildGroup::own_session) setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // the parent has ended meanwhile
  const int code = body();
  std::fflush(nullptr);
  _exit(code);
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      group_(other.group_),
      status_(std::exchange(other.status_, {})),
      end_is_known_(other.end_is_known_) {}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(group_, other.group_);
  std::swap(status_, other.status_);
  std::swap(end_is_known_, other.end_is_known_);
  return *this;
}

Child::~Child() {
  if (pid_ < 0 || status_) return;
  kill();
  reap();
}

void Child::signal(int number) {
  if (pid_ > 0 && !status_) ::kill(pid_, number);
}

void Child::signal_group(int number) {
  if (pid_ > 0 && !status_) ::kill(group_ == ChildGroup::ours ? pid_ : -pid_, number);
}

void Child::kill() {
  // If the child was forked just now, its group may not be made yet. So the process is signalled, too.
  signal_group(SIGKILL);
  signal(SIGKILL);
}

bool Child::ends_by(const Deadline& deadline) const {
  if (deadline.is_none()) return has_ended(pid_, 0);
  const FileDescriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  while (!has_ended(pid_, WNOHANG)) {
    const int left_ms = deadline.left_ms();
    if (left_ms == 0) return false;
    pollfd polled{process.get(), POLLIN, 0};
    constexpr int step_ms = 2;  // for a kernel before 5.3, which has no such descriptors
    poll(&polled, 1, process.get() < 0 ? deadline.left_ms(step_ms) : left_ms);
  }
  return true;
}

std::optional<int> Child::try_reap() {
  if (!status_ && has_ended(pid_, WNOHANG)) reap();
  return status_;
}

int Child::reap() {
  if (status_) return *status_;
  has_ended(pid_, 0);
  if (group_ != ChildGroup::ours) ::kill(-pid_, SIGKILL);  // while its number still names its group
  int status = 0;
  pid_t reaped = 0;
  do reaped = waitpid(pid_, &status, 0);
  while (reaped < 0 && errno == EINTR);
  end_is_known_ = reaped == pid_;
  return *(status_ = status);
}

void Child::leave_behind() {
  pid_ = -1;
}

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string describe_end(int status) {
  if (WIFEXITED(status)) return fmt::format("ended with exit code {}", WEXITSTATUS(status));
  const char* name = sigabbrev_np(WTERMSIG(status));
  return fmt::format("was killed by SIG{} ({})", name ? name : std::to_string(WTERMSIG(status)),
                     strsignal(WTERMSIG(status)));
}

namespace {

// Reads one stream of the child to its end, and keeps it up to a bound.
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

// Returns false if the deadline came before the end of both streams.
bool read_all(std::array<Stream, 2>& streams, const Deadline& deadline) {
  for (;;) {
    std::array<pollfd, 2> polled{};
    for (std::size_t i = 0; i < 2; ++i) polled[i] = {streams[i].from.get(), POLLIN, 0};
    if (polled[0].fd < 0 && polled[1].fd < 0) return true;
    const int ready = poll(polled.data(), polled.size(), deadline.left_ms());
    if (ready == 0) return false;
    for (std::size_t i = 0; i < 2 && ready > 0; ++i) {
      if (polled[i].revents != 0) streams[i].read_some();
    }
  }
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& command, std::string_view input, const ChildLimits& limits) {
  const FileDescriptor in = memory_file("input", input.data(), input.size());
  Pipe out, err;
  Child child = Child::start({.command = command,
                              .environment = environment_with({"LC_ALL=C"}),  // messages are shown and searched for
                              .descriptors = {{in.get(), 0}, {out.write.get(), 1}, {err.write.get(), 2}}},
                             limits.deadline.is_none() ? ChildGroup::ours : ChildGroup::own);
  out.write.reset();
  err.write.reset();
  ChildResult result;
  std::array<Stream, 2> streams{Stream{std::move(out.read), result.output, limits.output_bytes},
                                Stream{std::move(err.read), result.log, limits.log_bytes}};
  // A child may close its streams and go on.
  result.timed_out = !read_all(streams, limits.deadline) || !child.ends_by(limits.deadline);
  if (result.timed_out) child.kill();
  result.exit_status = exit_code_of(child.reap());
  if (streams[1].cut) result.log += "\n[further messages left out]\n";
  return result;
}

}  // namespace warptune::tuner
