// Samples one configuration: warms up, and stops at the wanted precision, or at once if the configuration is hopeless.
// Detects that a device is throttled, from the clocks that it reports between batches of samples.
#pragma once

#include <functional>
#include <vector>

#include "search/trial.h"
#include "tuner/device/device.h"
#include "tuner/measure/sampling/policy.h"

namespace warptune::tuner {

// The functions through which the sampler uses the device.
struct SampleSource {
  // Takes `samples` samples of `runs` runs back to back and restores the inputs before each. Returns the milliseconds
  // of each sample.
  std::function<std::vector<double>(int runs, int samples)> timed;
  std::function<double()> now_s;      // the clock that the limits on seconds are checked against
  std::function<bool()> throttled;    // whether the device was slowed down during the latest samples
  std::function<void()> let_recover;  // waits a moment for it to cool
  int most_runs = 1000;               // the most runs that `timed` can do back to back
};

// What is known of a configuration before its first sample.
struct Expectation {
  double first_ms = 0;  // the time of the run that verified the configuration, with cold caches; 0: it was not verified
  double incumbent_ms = 0;  // the best configuration's median so far; 0: there is none
};

// Samples one configuration under the stopping rule of `policy`.
search::Measurement sample(const SampleSource& source, const MeasurePolicy& policy,
                           const Expectation& expectation = {});

// Tells when a device runs well under the clock that it has shown it can hold. Samples taken then say more about its
// temperature or its power limit than about the kernel.
class ClockWatch {
 public:
  // Returns whether the device is throttled now. It is called once for each batch of samples. A device whose clock is
  // unknown is never throttled. A device that stays slow counts as normal after a while, since a measurement at a low
  // clock beats none.
  bool throttled(const search::DeviceState& state);

 private:
  double highest_mhz_ = 0;
  int slow_in_a_row_ = 0;
};

}  // namespace warptune::tuner
