// When enough samples of one configuration are there: after warming up, at the wanted precision, or at once if it is
// hopeless.
#pragma once

#include <functional>
#include <vector>

#include "search/trial.h"
#include "tuner/measure/sampling/policy.h"

namespace warptune::tuner {

// What a sampler sees of the device.
struct SampleSource {
  // Takes `samples` samples of `runs` runs back to back, inputs restored before each; milliseconds of each sample.
  std::function<std::vector<double>(int runs, int samples)> timed;
  std::function<double()> now_s;      // a clock for the caps
  std::function<bool()> throttled;    // whether the device was slowed down during the latest samples
  std::function<void()> let_recover;  // waits a moment for it to cool
  int most_runs = 1000;               // that `timed` can do back to back
};

// What is known before the first sample.
struct Expectation {
  double first_ms = 0;      // of the run that verified the configuration, with cold caches; 0: it was not verified
  double incumbent_ms = 0;  // the best configuration's median so far; 0: there is none
};

// Samples one configuration under the stopping rule of `policy`.
search::Measurement sample(const SampleSource& source, const MeasurePolicy& policy,
                           const Expectation& expectation = {});

}  // namespace warptune::tuner
