#include "tuner/program/cli/terminal/interrupt.h"

#include <csignal>

namespace warptune::tuner::cli {

namespace {

std::atomic<bool> signalled{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

void handle(int signal) {
  signalled.store(true);
  // A person repeats Ctrl-C. SIGTERM is repeated by launchers, as Slurm tells both srun and what srun has started; who
  // does not end is killed by them.
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
