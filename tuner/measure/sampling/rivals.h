// Defines what is known of the other configurations when a trial is measured, so that a hopeless one can be cut short.
#pragma once

#include <algorithm>
#include <vector>

namespace warptune::tuner {

// The time and the energy of one run of a configuration. `ms` is 0 where the time is no objective, so that only the
// energy counts.
struct EnergyPoint {
  double ms = 0, joules = 0;
};

struct Rivals {
  // The time of the best configuration so far, if the time is all that a session minimises; 0: nothing is cut short.
  double best_ms = 0;
  // The configurations that no other one equals or beats in both time and energy. If it is empty, every energy is
  // measured.
  std::vector<EnergyPoint> front = {};
  // The least that a run can take, whatever the kernel: a power for as long as it lasts, and the energy of the work.
  double static_w = 0, work_j = 0;

  // Returns whether a configuration of the front is at least as good in both.
  bool dominate(double ms, double joules) const {
    return std::ranges::any_of(front,
                               [&](const EnergyPoint& point) { return point.ms <= ms && point.joules <= joules; });
  }
  // Returns whether a run of this time is dominated even if its energy is as small as can be, so that measuring it
  // decides nothing.
  bool spare_energy(double ms) const { return dominate(ms, static_w * ms / 1e3 + work_j); }
};

}  // namespace warptune::tuner
