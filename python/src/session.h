// One tuning session for Python: the engine's threads and workers run without the interpreter's lock, and what the
// session has to tell goes to a callable that takes the lock for as long as it runs.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>

#include "tuner/session/request.h"

namespace warptune::python {

// Ends a session from any thread; shared by Python and the session.
class Stop {
 public:
  void set() { flag_.store(true); }
  bool is_set() const { return flag_.load(); }
  const std::atomic<bool>& flag() const { return flag_; }

 private:
  std::atomic<bool> flag_{false};
};

// Told of each event: "start" and the kernel's name, "trial" and the trial, as JSON documents. What it throws ends the
// session and is thrown again at its end.
using Notify = std::function<void(const std::string& event, const std::string& document)>;

// Runs a session to its end; the result is the document of `warptune tune --format json` with every trial and the
// report for people. Throws as warptune::tune does.
std::string run_session(const tuner::TuneRequest& request, const std::filesystem::path& store, Stop& stop,
                        const Notify& notify);

}  // namespace warptune::python
