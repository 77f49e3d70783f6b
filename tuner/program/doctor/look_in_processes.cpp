#include "tuner/program/doctor/look_in_processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "db/bounded_json.h"
#include "tuner/system/clock.h"
#include "tuner/system/file_descriptor.h"

namespace warptune::tuner::doctor {

namespace {

using nlohmann::json;

std::string text_of(const std::vector<Finding>& findings) {
  json all = json::array();
  for (const Finding& finding : findings)
    all.push_back({static_cast<int>(finding.health), finding.what, finding.remedy});
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<Finding> findings_of(const std::string& text) {
  std::vector<Finding> findings;
  for (const json& one : db::parse_json<json>(text))
    findings.push_back({static_cast<Health>(one.at(0).get<int>()), one.at(1), one.at(2)});
  return findings;
}

std::vector<Finding> guarded(const Look& look) {
  try {
    return look();
  } catch (const std::exception& error) {
    return {finding_of(error.what(), Health::error)};
  }
}

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// One look in a child. What the child and its own children print is not the doctor's to say.
class Child {
 public:
  explicit Child(const Look& look) {
    std::array<int, 2> ends{};
    // Closed in what the child starts: a compiler that outlives it must not keep the answer from ending.
    if (::pipe2(ends.data(), O_CLOEXEC) == 0) {
      answers_ = FileDescriptor(ends[0]);
      const FileDescriptor writing(ends[1]);
      process_ = ::fork();
      if (process_ == 0) answer(look, writing.get());
    }
    if (process_ < 0) why_not_ = std::strerror(errno);
  }
  ~Child() { end(0); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  std::vector<Finding> wait(double deadline_s) {
    if (process_ < 0)
      return {{Health::error, "no process can be started for this check: " + why_not_,
               "look at `ulimit -u` and the machine's memory"}};
    if (!read_until(deadline_s))
      return {{Health::error, "this check did not end in time", "whatever it looked at hangs: see the other lines"}};
    const int status = end(10);
    if (WIFSIGNALED(status))
      return {{Health::error, fmt::format("this check crashed: {}", strsignal(WTERMSIG(status))),
               "a library that it opened is broken or of another version: install it again"}};
    try {
      return findings_of(text_);
    } catch (const std::exception& error) {
      return {{Health::error, fmt::format("this check gave no answer ({})", error.what()), "run it again"}};
    }
  }

 private:
  [[noreturn]] static void answer(const Look& look, int to) {
    ::setpgid(0, 0);                     // with the compilers that it starts, to be ended together
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // and not to outlive a doctor that was interrupted
    write_all(to, text_of(guarded(look)));
    ::_exit(0);  // no destructors: they are the parent's
  }

  // To the end of what the child writes; false if it takes too long.
  bool read_until(double deadline_s) {
    std::array<char, 4096> part{};
    for (;;) {
      const double left_ms = std::max(0.0, (deadline_s - steady_s()) * 1e3);
      pollfd wanted{answers_.get(), POLLIN, 0};
      const int ready = ::poll(&wanted, 1, static_cast<int>(left_ms));  // at the deadline still what is there
      if (ready < 0 && errno == EINTR) continue;
      if (ready <= 0) return false;
      const ssize_t got = ::read(answers_.get(), part.data(), part.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return true;
      text_.append(part.data(), static_cast<std::size_t>(got));
    }
  }

  // Its status, if it ends within this time by itself. Else it is killed; one that hangs in the kernel is left behind.
  int end(double patience_s) {
    if (process_ <= 0) return 0;
    const double kill_s = steady_s() + patience_s, leave_s = kill_s + 1;
    while (!has_ended() && steady_s() < leave_s) {
      if (steady_s() >= kill_s) ::kill(-process_, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    // What it started and left: it holds the doctor's own output open. Before reaping, so that the number is still its
    // own.
    ::kill(-process_, SIGKILL);
    int status = 0;
    ::waitpid(process_, &status, WNOHANG);
    process_ = 0;
    return status;
  }

  bool has_ended() const {
    siginfo_t what{};
    return ::waitid(P_PID, static_cast<id_t>(process_), &what, WEXITED | WNOHANG | WNOWAIT) != 0 || what.si_pid != 0;
  }

  FileDescriptor answers_;
  pid_t process_ = -1;
  std::string why_not_;
  std::string text_;
};

}  // namespace

std::vector<std::vector<Finding>> look_in_processes(const std::vector<Look>& looks, double patience_s) {
  const double deadline_s = steady_s() + patience_s;
  std::vector<std::unique_ptr<Child>> children;
  for (const Look& look : looks) children.push_back(std::make_unique<Child>(look));
  std::vector<std::vector<Finding>> answers;
  for (const auto& child : children) answers.push_back(child->wait(deadline_s));
  return answers;
}

}  // namespace warptune::tuner::doctor
