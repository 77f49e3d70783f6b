// The measuring policy: how results are checked, how times are taken, and when there are enough samples. It is plain
// data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tuner/measure/sampling/same_bits.h"

namespace warptune::tuner {

// Says when a configuration's results are checked against the reference's.
enum class Verify : std::uint8_t {
  always,  // before its samples, and a random choice of the samples
  once,    // before its samples
  never,   // only guard bands and inputs are watched
};

// Says for which configurations the events of a run are counted (device/counters.h). The counted run is none of the
// samples.
enum class Counting : std::uint8_t {
  never,
  finalists,    // after everything that is timed, so it is no part of the session's key
  every_trial,  // after the samples of each trial
};

// Says how the launches of a sample reach the device.
enum class LaunchAs : std::uint8_t {
  automatic,  // short ones as a CUDA graph, where they can be recorded
  stream,     // always one call each, as an application makes them back to back
  graph,      // always as a CUDA graph
};

// Each of these reads its value from its name. They throw std::invalid_argument that lists the known names.
LaunchAs launch_as_from_string(std::string_view text);
Verify verify_from_string(std::string_view text);

// The settings by which configurations are verified and sampled. They are part of a session's key, since figures under
// different policies cannot be compared.
struct MeasurePolicy {
  Verify verify = Verify::always;
  bool cold_cache = false;       // the L2 cache is flushed before each sample, which then is a single run
  double precision = 0.01;       // sampling stops once the median's relative error is at most this,
  int min_samples = 3;           // and there are at least so many samples,
  int max_samples = 200;         // or at the latest after so many samples,
  double max_seconds = 2;        // or after so many seconds of sampling
  double warmup_seconds = 0.02;  // the most that waiting for a settled clock may take
  double min_sample_ms = 0.05;   // shorter runs are repeated back to back within a sample
  double race = 3;  // a configuration so many times slower than the best so far is cut short; 0: none is, and no slack
  double slack = 0.25;  // the error may be this part of a configuration's distance to the best so far
  bool energy = false;  // measure the joules of a run, too; needs a tenth of a second
  Counting counters = Counting::never;
  LaunchAs as = LaunchAs::automatic;
  // The settings of the device while it measures (device/device_settings.h); 0 leaves them as they are.
  int clock_mhz = 0;
  int power_cap_w = 0;
  SameBits same_bits = {};  // the bits that a winner's outputs must have

  bool verifies() const { return verify != Verify::never; }

  // Returns the policy for one visit of a finalist. It takes few samples, since a finalist is visited again and again
  // between the others.
  MeasurePolicy for_finalists() const;

  // Returns the policy as one line, "verify=always cache=warm precision=0.01 …". The text is stable, for it is stored.
  std::string text() const;
};

}  // namespace warptune::tuner
