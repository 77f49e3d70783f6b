// Whose energy a session measures. An energy takes ten times as long as a time, and only what may join the front of
// times and energies needs one.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "search/trial.h"
#include "tuner/measure/metrics/metrics.h"
#include "tuner/measure/sampling/rivals.h"

namespace warptune::tuner {

// What is known of times and energies so far. Where an objective is a metric that is made of the energy, every energy
// is measured: what it would be at the least power is not known.
class EnergyFront {
 public:
  explicit EnergyFront(const std::vector<Objective>& objectives);

  bool active() const { return joules_at_.has_value(); }
  // To be told of every trial that may win.
  void meet(const search::Trial& trial);
  // What the next trials are measured against.
  Rivals rivals() const;
  // Of trials whose energy is not settled, the one that is the likeliest to be on the front: by the energy that was
  // measured roughly, or by the least that one which was spared can have. Nothing once the front is beyond doubt.
  std::optional<std::size_t> most_doubtful(const std::vector<search::Trial>& trials,
                                           const std::set<std::size_t>& settled) const;
  // As a strategy is to hear of it: an energy that was not measured is that of its time at the most power seen so far,
  // which is worse than something on the front. An infinite one would pass for a failure.
  search::Trial as_told(const search::Trial& trial) const;

 private:
  bool was_spared(const search::Trial& trial) const;
  std::optional<EnergyPoint> point_of(const search::Trial& trial, double spared_at) const;

  std::optional<std::size_t> joules_at_;  // among the objectives
  bool with_time_ = false;
  double most_w_ = 0;
  std::vector<EnergyPoint> measured_;  // with their times, whatever the objectives
  std::vector<EnergyPoint> front_;
};

}  // namespace warptune::tuner
