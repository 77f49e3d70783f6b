// What a trial is measured against: beside what is known already, a hopeless one need not be measured to the end.
#pragma once

#include <algorithm>
#include <vector>

namespace warptune::tuner {

// One run of a configuration. `ms` is 0 where the time is no objective, so that only the energy counts.
struct EnergyPoint {
  double ms = 0, joules = 0;
};

struct Rivals {
  // The time of the best configuration so far, while the time is all that a session minimises; 0: nothing is cut short.
  double best_ms = 0;
  // Times and energies that none of the others is as good as in both. Empty: every energy is measured.
  std::vector<EnergyPoint> front = {};
  // What a run takes at least, whoever does its work: a power for as long as it lasts, and the energy of the work.
  double static_w = 0, work_j = 0;

  // Whether something is as good in both.
  bool dominate(double ms, double joules) const {
    return std::ranges::any_of(front,
                               [&](const EnergyPoint& point) { return point.ms <= ms && point.joules <= joules; });
  }
  // Whether the energy of a run of this time decides nothing, even if it is as small as can be.
  bool spare_energy(double ms) const { return dominate(ms, static_w * ms / 1e3 + work_j); }
};

}  // namespace warptune::tuner
