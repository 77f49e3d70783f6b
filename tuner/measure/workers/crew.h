// Keeps workers between sessions that follow each other.
#pragma once

#include <memory>
#include <vector>

#include "tuner/measure/workers/process.h"

namespace warptune::tuner::workers {

// Keeps the idle workers of one session for the next. A worker starts a driver, opens a device and loads a compiler,
// which takes a second or more: as long as a whole short session. So a session that belongs to a series (one for each
// problem size) leaves its idle workers here, and the next session has them prepare for its own problem. Late messages
// for the session before come first on a worker's channel; its new owner skips them. The class is for one thread.
// Destroying it ends the workers.
class Crew {
 public:
  enum class Role {
    compiles,  // it runs at a lower priority and cannot raise it again
    measures,
  };

  void keep(Role role, std::unique_ptr<Process> process) {
    process->note_service();
    of(role).push_back(std::move(process));
  }

  // Returns the worker that was kept last, or nothing.
  std::unique_ptr<Process> take(Role role) {
    auto& kept = of(role);
    if (kept.empty()) return nullptr;
    auto process = std::move(kept.back());
    kept.pop_back();
    return process;
  }

  std::size_t size() const { return compiling_.size() + measuring_.size(); }

 private:
  std::vector<std::unique_ptr<Process>>& of(Role role) { return role == Role::compiles ? compiling_ : measuring_; }

  std::vector<std::unique_ptr<Process>> compiling_, measuring_;
};

}  // namespace warptune::tuner::workers
