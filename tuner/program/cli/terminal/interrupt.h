// Turns signals into a flag, so that verbs can end in good order.
#pragma once

#include <atomic>
#include <stdexcept>

namespace warptune::tuner::cli {

// Turns the first Ctrl-C (or SIGTERM, or SIGHUP when a terminal is closed) into a flag; a second Ctrl-C ends the
// program at once, a second SIGTERM does not. The flag is process-wide.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  const std::atomic<bool>& flag() const;
};

// Verbs throw this if they have nothing to show of what was done so far. The program then ends with the exit code
// `interrupted`.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted; nothing was kept") {}
};

}  // namespace warptune::tuner::cli
