// Starts the session by fork and execve, and reads its words through pipes.
#include "tuner/session/queue/worked_session.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>

namespace warptune::tuner {

namespace {

// Appends what has come through the pipe until now. What comes later is left for the next call.
void take(int pipe, std::string& text) {
  std::array<char, 4096> buffer{};
  for (ssize_t bytes = 0; (bytes = read(pipe, buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(bytes));
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

// The session has a process group of its own, so that a Ctrl-C at the terminal reaches only the worker, which answers
// it. All memory is allocated before the fork: this process may have threads, one of which may hold the heap's lock.
WorkedSession::WorkedSession(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                             const std::vector<std::string>& environment, std::function<void(const std::string&)> words)
    : words_(std::move(words)) {
  std::vector<std::string> command{"warptune", "tune"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::vector<std::string> settings = environment_with(environment);
  const std::vector<char*> command_pointers = pointers_to(command), setting_pointers = pointers_to(settings);
  Pipe out, err;
  child_ = Child::fork(ChildGroup::own, [&] {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    dup2(open("/dev/null", O_RDONLY), 0);
    dup2(out.write.get(), 1);
    dup2(err.write.get(), 2);
    execve(program.c_str(), command_pointers.data(), setting_pointers.data());
    return 1;
  });
  for (const Pipe* pipe : {&out, &err}) fcntl(pipe->read.get(), F_SETFL, O_NONBLOCK);
  out_ = std::move(out.read);
  err_ = std::move(err.read);
}

void WorkedSession::take_words() {
  take(out_.get(), printed_);
  take(err_.get(), said_);
  const std::size_t end = said_.rfind('\n');  // whole lines only, since this process writes to stderr, too
  if (end == std::string::npos || end < passed_on_) return;
  words_(said_.substr(passed_on_, end - passed_on_));
  passed_on_ = end + 1;
}

bool WorkedSession::ended_within(int milliseconds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (!child_.has_been_reaped() && std::chrono::steady_clock::now() < until) {
    std::array<pollfd, 2> pipes{{{out_.get(), POLLIN, 0}, {err_.get(), POLLIN, 0}}};
    poll(pipes.data(), pipes.size(), 20);
    child_.try_reap();
    take_words();  // after try_reap, so that the last words of a session that ended are complete
    // If both pipes are closed, poll returns at once: the session is just ending.
    if ((pipes[0].revents & POLLHUP) && (pipes[1].revents & POLLHUP) && !child_.has_been_reaped()) usleep(1000);
  }
  return child_.has_been_reaped();
}

void WorkedSession::stop() {
  // SIGINT ends the session cleanly, also where a launcher has sent SIGTERM to all processes already.
  child_.signal(SIGINT);
}

int WorkedSession::exit_code() {
  return exit_code_of(child_.reap());
}

std::optional<std::int64_t> WorkedSession::session() const {
  const auto json = nlohmann::json::parse(printed_, nullptr, false);
  if (!json.is_object() || !json.contains("session") || !json["session"].is_object()) return std::nullopt;
  const auto number = json["session"].find("session");
  if (number == json["session"].end() || !number->is_number_integer()) return std::nullopt;
  return number->get<std::int64_t>();
}

std::optional<WorkedSession::Best> WorkedSession::best() const {
  const auto json = nlohmann::json::parse(printed_, nullptr, false);
  if (!json.is_object() || !json.contains("best") || !json["best"].is_array() || json["best"].empty()) return {};
  const auto& best = json["best"].front();
  const auto time_ms = best.value(nlohmann::json::json_pointer("/settled/time_ms"), nlohmann::json());
  return Best{best.value("configuration", nlohmann::json()).dump(),
              time_ms.is_number() ? std::optional(time_ms.get<double>()) : std::nullopt};
}

std::string WorkedSession::last_words() const {
  const std::size_t end = said_.find_last_not_of("\r\n");
  if (end == std::string::npos) return {};
  const std::size_t begin = said_.find_last_of("\r\n", end);
  return said_.substr(begin == std::string::npos ? 0 : begin + 1,
                      end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

}  // namespace warptune::tuner
