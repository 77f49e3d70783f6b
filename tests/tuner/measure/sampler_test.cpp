#include "tuner/measure/sampling/sampler.h"

#include <gtest/gtest.h>

#include <numeric>

#include "search/random.h"
#include "tuner/measure/sampling/energy.h"
#include "tuner/measure/sampling/statistics.h"

namespace warptune::tuner {
namespace {

// A device whose runs take what `next` says, on a clock that advances with them.
struct SimulatedDevice {
  std::function<double()> next;
  double clock_s = 0;
  std::vector<int> runs;      // of each sample
  int throttled_batches = 0;  // so many of the next ones
  int recoveries = 0;

  std::vector<double> time(int count, int samples) {
    std::vector<double> taken;
    for (int i = 0; i < samples; ++i) {
      runs.push_back(count);
      taken.push_back(next() * count);
      clock_s += taken.back() / 1e3;
    }
    return taken;
  }
};

search::Measurement sample_on(SimulatedDevice& device, const MeasurePolicy& policy,
                              const Expectation& expectation = {}) {
  SampleSource source;
  source.timed = [&](int runs, int samples) { return device.time(runs, samples); };
  source.now_s = [&] { return device.clock_s; };
  source.throttled = [&] { return device.throttled_batches-- > 0; };
  source.let_recover = [&] { ++device.recoveries; };
  return sample(source, policy, expectation);
}

TEST(Sampler, StopsAtTheLeastNumberWhenTheTimeIsStable) {
  SimulatedDevice device{[] { return 1.0; }};
  const search::Measurement measurement = sample_on(device, {}, {.first_ms = 1.0});
  EXPECT_EQ(measurement.samples_ms.size(), 3u);
  EXPECT_EQ(device.runs.size(), 3u);
  EXPECT_EQ(measurement.median_ms, 1.0);
  EXPECT_EQ(measurement.relative_error, 0.0);
}

TEST(Sampler, TakesMoreSamplesOfANoisyTime) {
  search::Rng rng(5);
  SimulatedDevice device{[&] { return 1.0 + 0.1 * rng.uniform(); }};
  const search::Measurement measurement = sample_on(device, {});
  EXPECT_GT(measurement.samples_ms.size(), 20u);
  EXPECT_LE(measurement.relative_error, 0.01);
}

TEST(Sampler, StopsAtTheCapOfTime) {
  search::Rng rng(5);
  SimulatedDevice device{[&] { return 100.0 * (1 + rng.uniform()); }};
  MeasurePolicy policy;
  policy.max_seconds = 3;
  const search::Measurement measurement = sample_on(device, policy);
  EXPECT_LT(measurement.samples_ms.size(), 40u);
  EXPECT_GT(measurement.relative_error, 0.01);
}

TEST(Sampler, RepeatsShortRunsWithinASample) {
  SimulatedDevice device{[] { return 0.001; }};
  const search::Measurement measurement = sample_on(device, {});
  EXPECT_EQ(device.runs.back(), 50);
  EXPECT_DOUBLE_EQ(measurement.median_ms, 0.001);
}

TEST(Sampler, TakesSingleRunsWhenTheCacheIsCold) {
  SimulatedDevice device{[] { return 0.001; }};
  MeasurePolicy policy;
  policy.cold_cache = true;
  sample_on(device, policy);
  EXPECT_EQ(device.runs, std::vector<int>(device.runs.size(), 1));
}

TEST(Sampler, LeavesOutWhatTheClockWasStillSettlingIn) {
  double ms = 2;
  SimulatedDevice device{[&] { return ms = std::max(1.0, ms * 0.9); }};
  const search::Measurement measurement = sample_on(device, {}, {.first_ms = 2.5});
  EXPECT_EQ(measurement.median_ms, 1.0);
  EXPECT_EQ(measurement.samples_ms.front(), 1.0);
  EXPECT_GT(device.runs.size(), measurement.samples_ms.size());
}

TEST(Sampler, WarmsUpNoLongerThanItMay) {
  search::Rng rng(2);
  SimulatedDevice device{[&] { return 1 + rng.uniform(); }};  // never settles
  MeasurePolicy policy;
  policy.warmup_seconds = 0.01;
  policy.max_samples = 50;
  const search::Measurement measurement = sample_on(device, policy);
  EXPECT_GE(measurement.samples_ms.size(), 30u);
}

TEST(Sampler, CutsWhatIsHopelesslySlowAfterOneSample) {
  SimulatedDevice device{[] { return 0.4; }};
  const search::Measurement measurement = sample_on(device, {}, {.first_ms = 0.42, .incumbent_ms = 0.1});
  EXPECT_TRUE(measurement.cut_short);
  EXPECT_EQ(measurement.samples_ms, std::vector<double>{0.4});
  EXPECT_GT(measurement.relative_error, 0);
}

TEST(Sampler, CutsALongRunThatItsVerificationShowedToBeHopeless) {
  SimulatedDevice device{[] { return 4.0; }};
  const search::Measurement measurement = sample_on(device, {}, {.first_ms = 4.1, .incumbent_ms = 1.0});
  EXPECT_TRUE(measurement.cut_short);
  EXPECT_EQ(measurement.samples_ms, std::vector<double>{4.1});
  EXPECT_TRUE(device.runs.empty());
}

TEST(Sampler, MeasuresWhatIsClearlySlowerLessPrecisely) {
  const auto noisy = [](double ms) {
    return [ms, rng = search::Rng(7)]() mutable { return ms * (1 + 0.02 * rng.uniform()); };
  };
  SimulatedDevice near{noisy(1.01)}, far{noisy(1.6)}, alone{noisy(1.6)};
  const search::Measurement precise = sample_on(near, {}, {.first_ms = 1.01, .incumbent_ms = 1.0});
  EXPECT_LE(precise.relative_error, 0.01);
  const search::Measurement rough = sample_on(far, {}, {.first_ms = 1.6, .incumbent_ms = 1.0});
  EXPECT_LE(rough.relative_error, 0.15);  // 0.25 of the distance of 0.6
  EXPECT_LT(rough.samples_ms.size(), precise.samples_ms.size());
  EXPECT_GE(rough.samples_ms.size(), 2u);
  MeasurePolicy full;
  full.race = 0;
  EXPECT_LE(sample_on(alone, full, {.first_ms = 1.6, .incumbent_ms = 1.0}).relative_error, 0.01);
}

TEST(Sampler, DoesNotCutWhatMayBeWithinTheFactor) {
  SimulatedDevice device{[] { return 3.1; }};  // within the error of a first sample
  EXPECT_FALSE(sample_on(device, {}, {.first_ms = 3.1, .incumbent_ms = 1.0}).cut_short);
  MeasurePolicy policy;
  policy.race = 0;
  SimulatedDevice slow{[] { return 40.0; }};
  EXPECT_FALSE(sample_on(slow, policy, {.first_ms = 40, .incumbent_ms = 1.0}).cut_short);
}

TEST(Sampler, TakesThrottledSamplesAgainButNotForEver) {
  SimulatedDevice device{[] { return 1.0; }};
  device.throttled_batches = 2;
  const search::Measurement measurement = sample_on(device, {}, {.first_ms = 1.0});
  EXPECT_EQ(measurement.samples_ms.size(), 3u);
  EXPECT_EQ(measurement.discarded_samples, 6);
  EXPECT_EQ(device.recoveries, 2);
  device.throttled_batches = 1000;
  EXPECT_EQ(sample_on(device, {}, {.first_ms = 1.0}).samples_ms.size(), 3u);
}

TEST(ClockWatch, NoticesAClockWellUnderTheHighestSeen) {
  ClockWatch watch;
  EXPECT_FALSE(watch.throttled({1500.0, {}, {}}));
  EXPECT_FALSE(watch.throttled({1980.0, {}, {}}));
  EXPECT_FALSE(watch.throttled({1900.0, {}, {}}));
  EXPECT_TRUE(watch.throttled({1500.0, {}, {}}));
  EXPECT_FALSE(watch.throttled({{}, {}, {}}));
}

TEST(ClockWatch, AcceptsADeviceThatStaysSlow) {
  ClockWatch watch;
  watch.throttled({1980.0, {}, {}});
  int refused = 0;
  while (refused < 100 && watch.throttled({1400.0, {}, {}})) ++refused;
  EXPECT_LT(refused, 100);
  EXPECT_FALSE(watch.throttled({1400.0, {}, {}}));
}

// A device that draws 300 W at work and 100 W while it waits, whose counter moves every 0.1 s. A look at it takes a
// while.
struct EnergyOfRuns {
  double now = 0, busy_until = 0, joules = 0, shown = 0;
  double look_s = 0.0005, run_s = 0.0005;
  int most = 1000, waiting = 0;

  void pass(double seconds) {
    while (seconds > 1e-12) {
      const double next_move = (std::floor(now / 0.1 + 1e-6) + 1) * 0.1;
      double step = std::min(seconds, next_move - now);
      if (busy_until > now) step = std::min(step, busy_until - now);
      joules += step * (busy_until > now ? 300 : 100);
      now += step;
      seconds -= step;
      if (now > next_move - 1e-9) shown = joules;
    }
  }
  void queue(int runs) {
    busy_until = std::max(busy_until, now) + run_s * runs;
    EXPECT_LE(std::lround((busy_until - now) / run_s), most);
    pass(5e-6 * runs);  // the time that launching takes
  }
  std::optional<double> counter() {
    pass(look_s);
    return shown;
  }
  std::optional<RunEnergy> measure(const EnergyStretch& stretch) {
    const QueuedRuns runs{[this](int count) { queue(count); }, [this] { pass(std::max(0.0, busy_until - now)); }, most};
    return joules_per_run(
        runs, run_s * 1e3, [this] { return counter(); }, [this] { return now; }, stretch);
  }
};

TEST(JoulesPerRun, AreMeanPowerTimesTheTimeOfARun) {
  EnergyOfRuns device;
  const auto energy = device.measure({});
  ASSERT_TRUE(energy.has_value());
  EXPECT_NEAR(energy->joules, 300 * 0.0005, 300 * 0.0005 * 0.01);
  EXPECT_NEAR(device.now, 0.3, 0.02) << "a move, and two intervals";
}

TEST(JoulesPerRun, DoNotDependOnHowLongALookTakes) {
  for (const double run_s : {4e-5, 0.0005, 0.02, 0.25})
    for (const double look_s : {1e-5, 0.004, 0.015}) {
      EnergyOfRuns device;
      device.run_s = run_s;
      device.look_s = look_s;
      const auto energy = device.measure({});
      ASSERT_TRUE(energy.has_value());
      EXPECT_NEAR(energy->joules, 300 * run_s, 300 * run_s * 0.04) << run_s << " s a run, " << look_s << " s a look";
      EXPECT_LE(device.busy_until, device.now) << "all is finished";
    }
}

TEST(JoulesPerRun, QueueNoMoreThanMayWait) {
  EnergyOfRuns device;
  device.most = 20;
  const auto energy = device.measure({});
  ASSERT_TRUE(energy.has_value());
  EXPECT_NEAR(energy->joules, 300 * 0.0005, 300 * 0.0005 * 0.01);
  device.most = 1;
  EXPECT_TRUE(device.measure({}).has_value());
}

TEST(JoulesPerRun, GoOnFromTheStretchBeforeIfThatHasJustEnded) {
  EnergyOfRuns device;
  const auto before = device.measure({EnergyStretch::rough_s, {}});
  ASSERT_TRUE(before.has_value());
  EXPECT_NEAR(device.now, 0.2, 0.02);
  device.pass(0.01);  // of something else
  const auto energy = device.measure({EnergyStretch::rough_s, before->end});
  ASSERT_TRUE(energy.has_value());
  EXPECT_NEAR(device.now, 0.3, 0.02) << "no move is waited for first";
  EXPECT_NEAR(energy->joules, 300 * 0.0005, 300 * 0.0005 * 0.05);
  device.pass(0.05);
  device.measure({EnergyStretch::rough_s, energy->end});
  EXPECT_NEAR(device.now, 0.5, 0.02) << "too long ago";
  device.pass(0.595 - device.now);
  const CounterMove old{device.shown, 0.59};
  device.pass(0.01);
  device.measure({EnergyStretch::rough_s, old});
  EXPECT_NEAR(device.now, 0.8, 0.02) << "the counter has moved since";
}

TEST(JoulesPerRun, AreUnknownWithoutACounterThatMoves) {
  double now = 0;
  const QueuedRuns runs{[](int) {}, [] {}};
  const auto clock = [&] { return now; };
  EXPECT_FALSE(joules_per_run(
      runs, 1, [] { return std::optional<double>(); }, clock));
  EXPECT_FALSE(joules_per_run(
      runs, 1, [&] { return now += 0.01, std::optional<double>(5.0); }, clock));
}

}  // namespace
}  // namespace warptune::tuner
