#pragma once

#include <atomic>
#include <stdexcept>

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

// Thrown by verbs that have nothing to show of what was done so far; the program ends with its code for it.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted; nothing was kept") {}
};

}  // namespace warptune::tuner::cli
