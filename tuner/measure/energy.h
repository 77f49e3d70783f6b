#pragma once

#include <functional>
#include <optional>

namespace warptune::tuner {

// Joules of one run of `run_ms`: the mean power over a stretch of runs back to back, times that. `runs(n)` does n runs
// and waits for them; `counter` reads the device's energy counter in joules, `now_s` a clock. The counter stands still
// for tens of milliseconds (100 ms on data-centre GPUs: Yang et al. 2024, "Accurate and Convenient Energy Measurements
// for GPUs"), so the stretch begins and ends where it moves. It ends at an earlier move once `hopeless` says so of the
// least that the energy can be by then. Nothing if there is no counter or it does not move.
std::optional<double> joules_per_run(
    const std::function<void(int)>& runs, double run_ms, const std::function<std::optional<double>()>& counter,
    const std::function<double()>& now_s, const std::function<bool(double)>& hopeless = [](double) { return false; });

}  // namespace warptune::tuner
