#include "tuner/measure/sampler.h"

#include <gtest/gtest.h>

#include "search/random.h"

namespace warptune {
namespace {

// A device whose runs take what `next` says, on a clock that advances with them.
struct SimulatedDevice {
  std::function<double()> next;
  double clock_s = 0;
  std::vector<int> runs;

  double time(int count) {
    runs.push_back(count);
    const double ms = next() * count;
    clock_s += ms / 1e3;
    return ms;
  }
};

Measurement sample_on(SimulatedDevice& device, const MeasurePolicy& policy) {
  return sample([&](int runs) { return device.time(runs); }, [&] { return device.clock_s; }, policy);
}

TEST(Sampler, StopsEarlyWhenTheTimeIsStable) {
  SimulatedDevice device{[] { return 1.0; }, 0, {}};
  const Measurement measurement = sample_on(device, {});
  EXPECT_EQ(measurement.samples_ms.size(), 7u);
  EXPECT_EQ(measurement.median_ms, 1.0);
  EXPECT_EQ(measurement.relative_error, 0.0);
}

TEST(Sampler, TakesMoreSamplesOfANoisyTime) {
  Rng rng(5);
  SimulatedDevice device{[&] { return 1.0 + 0.1 * rng.uniform(); }, 0, {}};
  const Measurement measurement = sample_on(device, {});
  EXPECT_GT(measurement.samples_ms.size(), 20u);
  EXPECT_LE(measurement.relative_error, 0.01);
}

TEST(Sampler, StopsAtTheCapOfTime) {
  Rng rng(5);
  SimulatedDevice device{[&] { return 100.0 * (1 + rng.uniform()); }, 0, {}};
  MeasurePolicy policy;
  policy.max_seconds = 3;
  const Measurement measurement = sample_on(device, policy);
  EXPECT_LT(measurement.samples_ms.size(), 40u);
  EXPECT_GT(measurement.relative_error, 0.01);
}

TEST(Sampler, RepeatsShortRunsWithinASample) {
  SimulatedDevice device{[] { return 0.001; }, 0, {}};
  const Measurement measurement = sample_on(device, {});
  EXPECT_EQ(device.runs.back(), 50);
  EXPECT_DOUBLE_EQ(measurement.median_ms, 0.001);
}

}  // namespace
}  // namespace warptune
