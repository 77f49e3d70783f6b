// Forks a child for each look, which writes its findings into a pipe as JSON.
#include "tuner/program/doctor/look_in_processes.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>

#include "db/bounded_json.h"
#include "tuner/system/child.h"
#include "tuner/system/clock.h"

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

// Runs one look in a child. What the child and its own children print is not the doctor's to say.
class LookingChild {
 public:
  // The child has a group of its own, with the compilers that it starts, so that they can be ended together.
  explicit LookingChild(const Look& look) {
    try {
      // Programs that the child starts do not inherit the pipe: a compiler that outlives it must not keep the answer
      // from ending.
      Pipe pipe;
      child_ = Child::fork(ChildGroup::own, [&] {
        write_all(pipe.write.get(), text_of(guarded(look)));
        return 0;
      });
      answers_ = std::move(pipe.read);
    } catch (const std::system_error& error) {
      why_not_ = error.what();
    }
  }
  ~LookingChild() { end(0); }
  LookingChild(const LookingChild&) = delete;
  LookingChild& operator=(const LookingChild&) = delete;

  std::vector<Finding> wait(const Deadline& deadline) {
    if (!why_not_.empty())
      return {{Health::error, "no process can be started for this check: " + why_not_,
               "look at `ulimit -u` and the machine's memory"}};
    if (!read_until(deadline))
      return {{Health::error, "this check did not end in time", "whatever it looked at hangs: see the other lines"}};
    const int status = end(10);
    if (WIFSIGNALED(status))
      return {{Health::error, "this check crashed: it " + describe_end(status),
               "a library that it opened is broken or of another version: install it again"}};
    try {
      return findings_of(text_);
    } catch (const std::exception& error) {
      return {{Health::error, fmt::format("this check gave no answer ({})", error.what()), "run it again"}};
    }
  }

 private:
  // Reads to the end of what the child writes. Returns false if that takes too long.
  bool read_until(const Deadline& deadline) {
    std::array<char, 4096> part{};
    for (;;) {
      pollfd wanted{answers_.get(), POLLIN, 0};
      const int ready = ::poll(&wanted, 1, deadline.left_ms());  // at the deadline, what is there is still read
      if (ready < 0 && errno == EINTR) continue;
      if (ready <= 0) return false;
      const ssize_t got = ::read(answers_.get(), part.data(), part.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return true;
      text_.append(part.data(), static_cast<std::size_t>(got));
    }
  }

  // Returns the child's status, if it ends within this time by itself. Else it is killed; one that hangs in the kernel
  // is left behind.
  int end(double patience_s) {
    if (child_.pid() < 0) return 0;
    if (!child_.has_been_reaped() && !child_.ends_by(Deadline::in_s(patience_s))) {
      child_.kill();
      if (!child_.ends_by(Deadline::in_s(1))) return child_.leave_behind(), 0;
    }
    return child_.reap();
  }

  Child child_;
  FileDescriptor answers_;
  std::string why_not_;
  std::string text_;
};

}  // namespace

std::vector<std::vector<Finding>> look_in_processes(const std::vector<Look>& looks, double patience_s) {
  const Deadline deadline = Deadline::in_s(patience_s);
  std::vector<std::unique_ptr<LookingChild>> children;
  for (const Look& look : looks) children.push_back(std::make_unique<LookingChild>(look));
  std::vector<std::vector<Finding>> answers;
  for (const auto& child : children) answers.push_back(child->wait(deadline));
  return answers;
}

}  // namespace warptune::tuner::doctor
