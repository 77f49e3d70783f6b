#pragma once

#include <functional>
#include <optional>

namespace warptune::tuner {

// When the device's energy counter was seen to move, and what it said then.
struct CounterMove {
  double joules = 0, at_s = 0;
};

struct EnergyStretch {
  static constexpr double precise_s = 0.15, rough_s = 0.05;
  double least_s = precise_s;
  // The end of the stretch before this one. If it is 20 ms old at most, and the counter has stood still since, the
  // stretch begins there: what the device did meanwhile is taken for 0.6 times the power of the runs. That saves
  // waiting for a move, and is wrong by a twelfth at most where a counter moves every 0.1 s.
  std::optional<CounterMove> since = {};
};

struct RunEnergy {
  double joules = 0;  // of one run
  CounterMove end;
};

// The energy of one run of `run_ms`: the mean power over a stretch of runs back to back, times that. `runs(n)` does n
// runs and waits for them; `counter` reads the device's energy counter in joules, `now_s` a clock. The counter stands
// still for tens of milliseconds (100 ms on data-centre GPUs: Yang et al. 2024, "Accurate and Convenient Energy
// Measurements for GPUs"), so the stretch begins and ends where it moves. Nothing if there is no counter or it does not
// move.
std::optional<RunEnergy> joules_per_run(const std::function<void(int)>& runs, double run_ms,
                                        const std::function<std::optional<double>()>& counter,
                                        const std::function<double()>& now_s, const EnergyStretch& stretch = {});

}  // namespace warptune::tuner
