// Decides whose energy a session measures. An energy takes ten times as long to measure as a time, and only a
// configuration that may join the front of times and energies needs one.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "search/trial.h"
#include "tuner/measure/metrics/metrics.h"
#include "tuner/measure/sampling/rivals.h"

namespace warptune::tuner {

// Keeps what is known of times and energies so far. It is inactive where an objective is a metric that is made of the
// energy: what the metric would be at the least power is not known, so every energy is measured then.
class EnergyFront {
 public:
  explicit EnergyFront(const std::vector<Objective>& objectives);

  bool active() const { return joules_at_.has_value(); }
  // The session calls it with every trial that may win.
  void meet(const search::Trial& trial);
  // Returns what the next trials are measured against.
  Rivals rivals() const;
  // Returns the trial that is the likeliest to be on the front among those whose energy is not settled. It judges a
  // measured trial by its rough energy. A trial is spared if its energy was not measured, and is judged by the least
  // energy that it can have. Returns nothing once the front is beyond doubt.
  std::optional<std::size_t> most_doubtful(const std::vector<search::Trial>& trials,
                                           const std::set<std::size_t>& settled) const;
  // Returns the trial as a strategy is told of it. An energy that was not measured becomes that of the trial's time at
  // the most power seen so far, which is worse than something on the front. An infinite energy would pass for a
  // failure.
  search::Trial as_told(const search::Trial& trial) const;

 private:
  bool was_spared(const search::Trial& trial) const;
  std::optional<EnergyPoint> point_of(const search::Trial& trial, double spared_at) const;

  std::optional<std::size_t> joules_at_;  // the energy's index among the objectives
  bool with_time_ = false;
  double most_w_ = 0;
  std::vector<EnergyPoint> measured_;  // energies with their times, also where the time is no objective
  std::vector<EnergyPoint> front_;
};

}  // namespace warptune::tuner
