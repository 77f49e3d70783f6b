#include "tuner/measure/sampler.h"

#include <algorithm>
#include <cmath>

#include "tuner/measure/statistics.h"

namespace warptune {

namespace {

// Runs until the caches and clocks have settled; the last run's milliseconds.
double warm_up(const std::function<double(int)>& timed, const std::function<double()>& now_s, double seconds) {
  const double start = now_s();
  double last_ms = timed(1);
  while (now_s() - start < seconds) last_ms = std::min(last_ms, timed(1));
  return last_ms;
}

int runs_per_sample(double run_ms, double min_sample_ms) {
  if (run_ms >= min_sample_ms) return 1;
  constexpr double most = 1000;  // a run of "0 ms" must not loop for ever
  return static_cast<int>(std::clamp(std::ceil(min_sample_ms / std::max(run_ms, 1e-9)), 1.0, most));
}

}  // namespace

Measurement sample(const std::function<double(int)>& timed, const std::function<double()>& now_s,
                   const MeasurePolicy& policy) {
  const int runs = runs_per_sample(warm_up(timed, now_s, policy.warmup_seconds), policy.min_sample_ms);
  const double start = now_s();
  Measurement result;
  do {
    result.samples_ms.push_back(timed(runs) / runs);
    const int taken = static_cast<int>(result.samples_ms.size());
    if (taken >= policy.max_samples) break;
    if (taken >= policy.min_samples && relative_error(result.samples_ms) <= policy.precision) break;
  } while (now_s() - start < policy.max_seconds);
  result.median_ms = median(result.samples_ms);
  result.relative_error = relative_error(result.samples_ms);
  return result;
}

}  // namespace warptune
