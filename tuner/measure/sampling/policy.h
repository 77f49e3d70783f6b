// How results are checked and times are taken, and when there are enough of them. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tuner/measure/sampling/same_bits.h"

namespace warptune::tuner {

// When a configuration's results are checked against the reference's.
enum class Verify : std::uint8_t {
  always,  // before its samples, and a random choice of the samples
  once,    // before its samples
  never,   // only guard bands and inputs are watched
};

// Of which configurations it is counted what a run does (device/counters.h), outside their samples.
enum class Counting : std::uint8_t {
  never,
  finalists,    // behind everything that is timed, so it is no part of the key
  every_trial,  // behind its samples
};

// How the launches of a sample reach the device.
enum class LaunchAs : std::uint8_t {
  automatic,  // short ones as a CUDA graph, where they can be recorded
  stream,     // always one call each, as an application makes them back to back
  graph,      // always as a CUDA graph
};

// Throw std::invalid_argument that lists the words.
LaunchAs launch_as_from_string(std::string_view text);
Verify verify_from_string(std::string_view text);

// How configurations are verified and sampled; part of a session's key, for figures under different policies do not
// compare.
struct MeasurePolicy {
  Verify verify = Verify::always;
  bool cold_cache = false;       // the L2 cache is flushed before each sample, which then is a single run
  double precision = 0.01;       // stop once the median's relative error is at most this …
  int min_samples = 3;           // … and at least so many samples are there,
  int max_samples = 200;         // or at the latest after so many,
  double max_seconds = 2;        // or so long a time of sampling.
  double warmup_seconds = 0.02;  // the most that waiting for a settled clock may take
  double min_sample_ms = 0.05;   // shorter runs are repeated back to back within a sample
  double race = 3;               // cut what is so many times slower than the best so far; 0: nothing, and no slack
  double slack = 0.25;           // the error may be this part of a configuration's distance to the best so far
  bool energy = false;           // measure the joules of a run, too; needs a tenth of a second
  Counting counters = Counting::never;
  LaunchAs as = LaunchAs::automatic;
  // Of the device while it measures (device/device_settings.h); 0: left as they are.
  int clock_mhz = 0;
  int power_cap_w = 0;
  SameBits same_bits = {};  // whose bits a winner must have

  bool verifies() const { return verify != Verify::never; }

  // One visit of a finalist: few samples, for it will be visited again and again between the others.
  MeasurePolicy for_finalists() const;

  // One line, stable: "verify=always cache=warm precision=0.01 …".
  std::string text() const;
};

}  // namespace warptune::tuner
