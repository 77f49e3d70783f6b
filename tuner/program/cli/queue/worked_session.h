// One session of `warptune work`: a `warptune tune` of its own process, so that whatever ends it costs one attempt and
// not the node's place in the queue. It ends with the process that started it, however that ends.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/system/child.h"

namespace warptune::tuner::cli {

class WorkedSession {
 public:
  // Starts `tune` with these arguments on the store of this name. Throws std::system_error.
  WorkedSession(const std::vector<std::string>& arguments, const std::filesystem::path& store);

  // Waits so long for its end; passes its words on to stderr meanwhile.
  bool ended_within(int milliseconds);
  void stop();  // as Ctrl-C does: it ends by itself, with all that it has
  void kill() { child_.kill(); }

  // Once it has ended. 128 and the signal that ended it.
  int exit_code();
  // The number of the session, if it got so far.
  std::optional<std::int64_t> session() const;
  // The best configuration that it printed, with its time; empty if none.
  std::string best() const;
  // The last line that it said: the reason, if it failed.
  std::string last_words() const;

 private:
  void take_words();

  Child child_;
  FileDescriptor out_, err_;
  std::string printed_, said_;
  std::size_t passed_on_ = 0;  // of what it said
};

}  // namespace warptune::tuner::cli
