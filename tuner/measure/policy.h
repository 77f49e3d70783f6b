#pragma once

#include <string>

namespace warptune {

// How configurations are verified and sampled; part of a session's key, for figures under different policies do not
// compare.
struct MeasurePolicy {
  bool verify = true;
  double precision = 0.01;       // stop once the median's relative error is at most this …
  int min_samples = 7;           // … and at least so many samples are there,
  int max_samples = 200;         // or at the latest after so many,
  double max_seconds = 2;        // or so long a time of sampling.
  double warmup_seconds = 0.01;  // launches before the first sample, one at least
  double min_sample_ms = 0.05;   // shorter runs are repeated back to back within a sample, to hide the launch gap

  // One visit of a finalist: few samples, for it will be visited again and again between the others.
  MeasurePolicy for_finalists() const;

  // One line, stable: "verify=1 precision=0.01 …".
  std::string text() const;
};

}  // namespace warptune
