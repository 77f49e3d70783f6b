// Watches with two threads: one for the program's end, one for hanging steps.
#include "tuner/measure/workers/watchdog.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "tuner/system/clock.h"

namespace warptune::tuner::workers {

namespace {

pid_t expected_parent = 0;

void end_group() {
  kill(0, SIGKILL);
}

void on_parent_death(int) {
  if (getppid() != expected_parent) end_group();
}

void die_with(pid_t program) {
  expected_parent = program;
  struct sigaction action {};
  action.sa_handler = on_parent_death;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGUSR1);
  on_parent_death(SIGUSR1);  // covers a parent that died before the request
}

}  // namespace

Watchdog::Watchdog(int socket, pid_t program) {
  // Kernels often crash this process. Their core files would only cost time and space, so there are none.
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  die_with(program);
  program_ = std::jthread([this, socket](const std::stop_token& stop) { watch_program(stop, socket); });
}

Watchdog::~Watchdog() = default;

void Watchdog::watch_program(const std::stop_token& stop, int socket) {
  while (!stop.stop_requested()) {
    pollfd polled{socket, POLLRDHUP, 0};
    if (poll(&polled, 1, 500) > 0 && !stop.stop_requested()) end_group();
  }
}

void Watchdog::watch_steps(double limit_s) {
  if (limit_s <= 0) return;
  // A thread with the same limit, started for another session's problem, stays: ending it would take as long as it
  // sleeps.
  if (steps_.joinable() && limit_s == limit_s_) return;
  limit_s_ = limit_s;
  steps_ = std::jthread([this, limit_s](const std::stop_token& stop) { watch_for_hangs(stop, limit_s); });
}

void Watchdog::progress() {
  last_progress_s_.store(steady_s(), std::memory_order_relaxed);
}

void Watchdog::rest() {
  last_progress_s_.store(0, std::memory_order_relaxed);
}

void Watchdog::watch_for_hangs(const std::stop_token& stop, double limit_s) {
  const auto period = std::chrono::duration<double>(std::clamp(limit_s / 8, 0.01, 0.5));
  double looked_s = steady_s(), idle_s = 0, seen_s = 0;
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(period);
    const double last_s = last_progress_s_.load(std::memory_order_relaxed);
    // A look that comes much too late was delayed together with the whole process (SIGSTOP, a suspended machine). That
    // time does not count as the kernel's.
    const double passed_s = steady_s() - std::exchange(looked_s, steady_s());
    idle_s = last_s > 0 && last_s == seen_s ? idle_s + std::min(passed_s, 4 * period.count()) : 0;
    seen_s = last_s;
    // The process ends without releasing anything: with a kernel that never ends, CUDA's clean-up would never end
    // either.
    if (idle_s > limit_s) _exit(hang_exit_code);
  }
}

}  // namespace warptune::tuner::workers
