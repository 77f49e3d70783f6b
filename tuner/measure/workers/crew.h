// Workers that stay between sessions which follow each other.
#pragma once

#include <memory>
#include <vector>

#include "tuner/measure/workers/process.h"

namespace warptune::tuner::workers {

// A worker starts a driver, opens a device and loads a compiler, which takes a second or more: as long as a whole short
// session. So a session that belongs to a row of them (one for each problem size) leaves its idle workers here, and the
// next one has them prepare themselves for its own problem. What a worker still has to say of the session before comes
// first on its channel; whoever takes it passes over that. For one thread. Destroying it ends the workers.
class Crew {
 public:
  enum class Role {
    compiles,  // at a lower priority, so it stays one
    measures,
  };

  void keep(Role role, std::unique_ptr<Process> process) {
    process->note_service();
    of(role).push_back(std::move(process));
  }

  // The one that was kept last, or nothing.
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
