// Measures the energy of a kernel's run with the device's energy counter.
#pragma once

#include <functional>
#include <limits>
#include <optional>

namespace warptune::tuner {

// A moment at which the device's energy counter was seen to move, and its value then. Runs of `queued_s` seconds at
// `power_w` were still queued.
struct CounterMove {
  double joules = 0, at_s = 0;
  double queued_s = 0, power_w = 0;
};

struct EnergyStretch {
  static constexpr double precise_s = 0.15, rough_s = 0.05;
  double least_s = precise_s;
  // The end of the stretch before this one. If it is 30 ms old at most, and the counter has stood still since, the new
  // stretch begins there. What was queued then counts with its own power. What the device did after that is assumed to
  // take 0.6 times the power of the runs. This saves waiting for a move of the counter, and the error is a tenth at
  // most where a counter moves every 0.1 s.
  std::optional<CounterMove> since = {};
};

struct RunEnergy {
  double joules = 0;  // of one run
  CounterMove end;
};

// The functions that keep the device at work. `queue(n)` queues n runs and waits for none of them, `finish()` waits for
// all. At most `most` runs can be queued at once.
struct QueuedRuns {
  std::function<void(int)> queue;
  std::function<void()> finish;
  int most = std::numeric_limits<int>::max();
};

// Returns the energy of one run of `run_ms`: the mean power over a stretch of runs back to back, multiplied by the time
// of a run. `counter` reads the device's energy counter in joules, `now_s` reads a clock in seconds. Reading the
// counter may take milliseconds, so runs are queued ahead of it: a device that had to wait would draw a fraction of its
// power. The counter stands still for tens of milliseconds (100 ms on data-centre GPUs: Yang et al. 2024, "Accurate and
// Convenient Energy Measurements for GPUs"), so the stretch begins and ends where it moves. Returns nothing if there is
// no counter or it does not move. All runs are finished when the function returns; it passes on what `queue` and
// `finish` throw.
std::optional<RunEnergy> joules_per_run(const QueuedRuns& runs, double run_ms,
                                        const std::function<std::optional<double>()>& counter,
                                        const std::function<double()>& now_s, const EnergyStretch& stretch = {});

}  // namespace warptune::tuner
