// Tuning sessions for Python, one or many: the engine's threads and workers run without the interpreter's lock, and
// what sessions have to tell goes to a callable that takes the lock for as long as it runs.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tuner/session/queue/work.h"
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

// Told of each event, with a JSON document: "start" and the kernel's name, "trial" and the trial, "work" and what
// became of it, "words" and what a session wrote for people. What it throws ends the session and is thrown again at its
// end.
using Notify = std::function<void(const std::string& event, const std::string& document)>;

// Runs a session to its end; the result is the document of `warptune tune --format json` with every trial and the
// report for people. Throws as warptune::tune does.
std::string run_session(const tuner::TuneRequest& request, const std::filesystem::path& store, Stop& stop,
                        const Notify& notify);

// Runs the sessions of many problems within one budget; the result is a document with each problem's findings. Throws
// as warptune::tune_sizes does.
std::string run_sizes(const tuner::TuneRequest& request, const std::vector<search::NamedValues>& problems,
                      const std::filesystem::path& store, Stop& stop);

// Takes work of a queue; the result is a document of what was taken. Throws as warptune::work does.
std::string run_work(const tuner::WorkRequest& request, Stop& stop, const Notify& notify);

}  // namespace warptune::python
