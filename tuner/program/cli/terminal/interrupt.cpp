// Handles the signals of interrupt.h.
#include "tuner/program/cli/terminal/interrupt.h"

#include <csignal>

namespace warptune::tuner::cli {

namespace {

std::atomic<bool> signalled{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

void handle(int signal) {
  signalled.store(true);
  // A person who repeats Ctrl-C wants the program to end at once. SIGTERM is repeated by launchers: Slurm sends it to
  // both srun and what srun has started. Launchers kill a program that does not end.
  if (signal != SIGTERM) std::signal(signal, SIG_DFL);
}

}  // namespace

Interrupt::Interrupt() {
  std::signal(SIGINT, handle);
  std::signal(SIGTERM, handle);
  // Under nohup a closed terminal is no reason to stop.
  if (std::signal(SIGHUP, handle) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

Interrupt::~Interrupt() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  if (std::signal(SIGHUP, SIG_DFL) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

const std::atomic<bool>& Interrupt::flag() const {
  return signalled;
}

}  // namespace warptune::tuner::cli
