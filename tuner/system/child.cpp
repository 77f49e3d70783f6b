// Starts, signals and reaps child processes.
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
#include <cmath>
#include <cstdio>
#include <system_error>
#include <thread>

#include "tuner/system/clock.h"

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

bool Child::ends_by(double deadline_s) const {
  if (std::isinf(deadline_s)) return has_ended(pid_, 0);
  const FileDescriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  while (!has_ended(pid_, WNOHANG)) {
    const double left_ms = std::ceil(1e3 * (deadline_s - steady_s()));
    if (left_ms <= 0) return false;
    pollfd polled{process.get(), POLLIN, 0};
    constexpr double step_ms = 2;  // for a kernel before 5.3, which has no such descriptors
    poll(&polled, 1, static_cast<int>(std::min(left_ms, process.get() < 0 ? step_ms : 1e9)));
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

}  // namespace warptune::tuner
