#pragma once

#include <atomic>

namespace warptune::tuner::cli {

// Turns the first Ctrl-C (or SIGTERM, or SIGHUP when a terminal is closed) into a flag; a second Ctrl-C ends the
// program at once, a second SIGTERM does not. Process-wide.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  const std::atomic<bool>& flag() const;
};

}  // namespace warptune::tuner::cli
