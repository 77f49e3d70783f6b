// Runs one session of work's: a `warptune tune` in its own process, so that whatever ends it costs one attempt and not
// the node's place in the queue. The session ends with the process that started it, however that ends.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/system/child.h"

namespace warptune::tuner {

class WorkedSession {
 public:
  // Starts `tune` of a program with these arguments. `environment` has settings "NAME=VALUE", which are added to this
  // process's environment. `words` is called on this thread with whole lines that the session writes to stderr. Throws
  // std::system_error.
  WorkedSession(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                const std::vector<std::string>& environment, std::function<void(const std::string&)> words);

  // Waits at most this long for the session's end, and passes its words on meanwhile. Returns whether it has ended.
  bool ended_within(int milliseconds);
  void stop();  // as Ctrl-C does: the session ends by itself and keeps its results
  void kill() { child_.kill(); }

  // Returns the exit code of a session that has ended; 128 plus the signal if a signal ended it.
  int exit_code();
  // Returns the number of the session, if it got so far as to print it.
  std::optional<std::int64_t> session() const;
  // A Best is the best configuration that the session printed, as JSON, with its settled time.
  struct Best {
    std::string configuration;
    std::optional<double> time_ms;
  };
  std::optional<Best> best() const;
  // Returns the last line that the session wrote to stderr, which is the reason if it failed.
  std::string last_words() const;

 private:
  void take_words();

  std::function<void(const std::string&)> words_;
  Child child_;
  FileDescriptor out_, err_;
  std::string printed_, said_;
  std::size_t passed_on_ = 0;  // so many characters of said_ were passed on
};

}  // namespace warptune::tuner
