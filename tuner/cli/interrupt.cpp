#include "tuner/cli/interrupt.h"

#include <csignal>

namespace warptune::tuner::cli {

namespace {

std::atomic<bool> signalled{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

void handle(int signal) {
  signalled.store(true);
  std::signal(signal, SIG_DFL);
}

}  // namespace

Interrupt::Interrupt() {
  std::signal(SIGINT, handle);
  std::signal(SIGTERM, handle);
}

Interrupt::~Interrupt() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

const std::atomic<bool>& Interrupt::flag() const {
  return signalled;
}

}  // namespace warptune::tuner::cli
