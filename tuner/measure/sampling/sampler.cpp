// Implements the stopping rule: warming up, the race against the best, and a few looks at the precision. Compares each
// clock with the highest one seen, and forgets that one once the device stays slow.
#include "tuner/measure/sampling/sampler.h"

#include <algorithm>
#include <cmath>

#include "tuner/measure/sampling/statistics.h"

namespace warptune::tuner {

namespace {

// The clock counts as settled when a run's time differs from the one before by no more than this share.
constexpr double settled = 0.02;
// The assumed relative error of a first sample, when it alone decides that a configuration is hopeless.
constexpr double first_sample_error = 0.1;
// How much longer the verifying run may take than another one: the driver loads code when it is launched for the first
// time.
constexpr double first_launch_ms = 0.1;
// The largest relative error that a measurement may have, however slow the configuration is.
constexpr double largest_error = 0.25;
// The device time of the samples that are queued at once. A wait between two batches costs some 20 µs.
constexpr double batch_ms = 50;
// How often the samples of a throttled device are taken again, for one configuration.
constexpr int most_retries = 3;

// Returns how many runs make a sample of `min_sample_ms`. `most` bounds the number, which would have no bound for a run
// of 0 ms.
int runs_per_sample(double run_ms, double min_sample_ms, int most) {
  if (run_ms >= min_sample_ms) return 1;
  return static_cast<int>(
      std::clamp(std::ceil(min_sample_ms / std::max(run_ms, 1e-9)), 1.0, static_cast<double>(std::max(1, most))));
}

class Sampler {
 public:
  Sampler(const SampleSource& source, const MeasurePolicy& policy, const Expectation& expectation)
      : source_(source), policy_(policy), start_s_(source.now_s()), expectation_(expectation) {}

  search::Measurement run() {
    estimate_run();
    if (slower_than_race(at_least(run_ms_) - first_launch_ms)) return cut_short();
    if (slower_than_race(run_ms_)) {
      take(1);
      if (slower_than_race(at_least(previous_ms_))) return cut_short();
    }
    // A configuration that is clearly slower needs little precision, and two samples bound its error well enough.
    if (wanted_precision(run_ms_) > policy_.precision) next_look_ = std::min(next_look_, 2);
    while (!enough()) take(std::clamp(wanted() - taken(), 1, most_at_once()));
    result_.median_ms = median(samples());
    result_.relative_error = relative_error(samples());
    return std::move(result_);
  }

 private:
  std::vector<double>& samples() { return result_.samples_ms; }
  int taken() const { return static_cast<int>(result_.samples_ms.size()); }

  // A run that is much shorter than its launch is estimated twice, because the first estimate is mostly the launch.
  void estimate_run() {
    run_ms_ = expectation_.first_ms > 0 ? expectation_.first_ms : source_.timed(1, 1).front();
    if (!policy_.cold_cache && run_ms_ < policy_.min_sample_ms) {
      const int probe = runs_per_sample(run_ms_, policy_.min_sample_ms, source_.most_runs);
      run_ms_ = source_.timed(probe, 1).front() / probe;
      runs_ = runs_per_sample(run_ms_, policy_.min_sample_ms, source_.most_runs);
    }
    previous_ms_ = run_ms_;
  }

  bool slower_than_race(double ms) const {
    return policy_.race > 0 && expectation_.incumbent_ms > 0 && ms > policy_.race * expectation_.incumbent_ms;
  }

  // Returns the relative error to aim at. A configuration that may win is measured precisely. For the others the error
  // may be a part of their distance to the best: that is enough to order them and to learn from them.
  double wanted_precision(double ms) const {
    if (policy_.race <= 0 || expectation_.incumbent_ms <= 0) return policy_.precision;
    const double distance = ms / expectation_.incumbent_ms - 1;
    return std::max(policy_.precision, std::min(policy_.slack * distance, largest_error));
  }

  static double at_least(double ms) { return ms * (1 - first_sample_error); }

  search::Measurement cut_short() {
    samples() = {previous_ms_};
    result_.median_ms = previous_ms_;
    result_.relative_error = first_sample_error;
    result_.cut_short = true;
    return std::move(result_);
  }

  bool enough() {
    if (taken() == 0) return false;
    if (taken() >= policy_.max_samples || source_.now_s() - start_s_ >= policy_.max_seconds) return true;
    return taken() >= next_look_ && relative_error(samples()) <= wanted_precision(median(samples()));
  }

  // Returns the number of samples at the next look at the precision. There are only a few looks: at the least number of
  // samples, and whenever they have grown by two thirds. Looking after each sample would stop at the first lucky
  // streak.
  int wanted() {
    while (next_look_ <= taken())
      next_look_ = next_look_ < policy_.min_samples ? policy_.min_samples : next_look_ + (2 * next_look_ + 2) / 3;
    return std::min(next_look_, policy_.max_samples);
  }

  int most_at_once() const {
    const double most_ms = std::min(batch_ms, policy_.max_seconds * 1e3);
    return static_cast<int>(std::clamp(most_ms / std::max(run_ms_ * runs_, 1e-6), 1.0, 64.0));
  }

  // Takes some samples and drops those from before the clock had settled.
  void take(int count) {
    const std::vector<double> batch = source_.timed(runs_, count);
    if (throttled()) {
      result_.discarded_samples += count;
      return;
    }
    for (const double ms : batch)
      if (warm(ms / runs_)) samples().push_back(ms / runs_);
  }

  bool throttled() {
    if (retries_ >= most_retries || !source_.throttled()) return false;
    ++retries_;
    source_.let_recover();
    return true;
  }

  // Returns whether `ms` counts as a sample. While the clock still settles, a time is only compared with the next one.
  bool warm(double ms) {
    const double near = std::max(settled, wanted_precision(ms)) * ms;
    warm_ = warm_ || std::abs(ms - previous_ms_) <= near || policy_.warmup_seconds <= source_.now_s() - start_s_;
    previous_ms_ = ms;
    return warm_;
  }

  const SampleSource& source_;
  const MeasurePolicy& policy_;
  double start_s_;
  Expectation expectation_;
  double run_ms_ = 0;
  double previous_ms_ = 0;
  int runs_ = 1;
  int next_look_ = std::max(1, policy_.min_samples);
  int retries_ = 0;
  bool warm_ = false;
  search::Measurement result_;
};

}  // namespace

search::Measurement sample(const SampleSource& source, const MeasurePolicy& policy, const Expectation& expectation) {
  return Sampler(source, policy, expectation).run();
}

namespace {

constexpr double well_under = 0.9;  // of the highest clock; boost clocks move by some percent all the time
constexpr int patience = 12;        // in batches: a device that is slow for longer is not throttled any more

}  // namespace

bool ClockWatch::throttled(const search::DeviceState& state) {
  if (!state.clock_mhz) return false;
  highest_mhz_ = std::max(highest_mhz_, *state.clock_mhz);
  if (*state.clock_mhz >= well_under * highest_mhz_) {
    slow_in_a_row_ = 0;
    return false;
  }
  if (++slow_in_a_row_ <= patience) return true;
  highest_mhz_ = *state.clock_mhz;
  slow_in_a_row_ = 0;
  return false;
}

}  // namespace warptune::tuner
