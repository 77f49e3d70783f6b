// Whether NVIDIA's own library knows our metrics, chip by chip: that needs the library and no GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tuner/device/backends/cuda/sensors/counter_metrics.h"
#include "tuner/device/backends/cuda/sensors/cupti.h"
#include "tuner/device/backends/cuda/sensors/profiler.h"
#include "tuner/device/counters.h"

namespace warptune::tuner::cuda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class CuptiChips : public testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP()
        << "CUPTI opens a library with RTLD_DEEPBIND, which the address sanitizer refuses by ending the program";
#endif
    BackendOptions options;
    options.library_directories = {WARPTUNE_CUDA_ROOT "/lib64", WARPTUNE_CUDA_ROOT "/lib"};
    try {
      cupti_ = load_cupti(cupti_places(options));
    } catch (const DeviceError& error) {
      GTEST_SKIP() << error.what();
    }
  }

  bool has(const char* chip, std::string_view metric) {
    const char* names[] = {metric.data()};
    const ChipMetrics alone(*cupti_, chip, nullptr);
    std::size_t bytes = 0;
    return !metric.empty() && alone.add(names) == 0 && alone.plan(bytes) == 0;
  }

  std::vector<std::string_view> lacking(const char* chip) {
    std::vector<std::string_view> names;
    for (const CounterMetric& metric : counter_metrics())
      if (!has(chip, metric.metric) && !has(chip, metric.further)) names.push_back(metric.counter);
    return names;
  }

  // For all that the chip has, read together.
  std::size_t passes(const char* chip) {
    std::vector<const char*> names;
    for (const CounterMetric& metric : counter_metrics())
      for (const std::string_view name : {metric.metric, metric.further})
        if (has(chip, name)) names.push_back(name.data());
    const ChipMetrics all(*cupti_, chip, nullptr);
    std::size_t bytes = 0;
    EXPECT_EQ(all.add(names), 0);
    EXPECT_EQ(all.plan(bytes), 0);
    std::vector<std::uint8_t> config(bytes);
    cupti::ConfigImage image;
    image.host = all.host();
    image.bytes = bytes;
    image.image = config.data();
    cupti_->call(cupti_->host_get_config_image, image, chip);
    cupti::NumberOfPasses asked;
    asked.bytes = bytes;
    asked.image = config.data();
    cupti_->call(cupti_->host_get_number_of_passes, asked, chip);
    return asked.passes;
  }

  std::shared_ptr<const Cupti> cupti_;
};

TEST_F(CuptiChips, HaveEveryCounter) {
  // Compute capabilities 7.5, 8.0, 8.6, 8.9, 9.0, and, of CUDA 12.8 and later, 10.0 and 12.0.
  for (const char* chip : {"TU102", "TU104", "GA100", "GA102", "AD102", "GH100"})
    EXPECT_THAT(lacking(chip), IsEmpty()) << chip;
  if (cupti_->version < 130000) return;
  for (const char* chip : {"GB100", "GB202"}) EXPECT_THAT(lacking(chip), IsEmpty()) << chip;
}

TEST_F(CuptiChips, ReadThemInFewPasses) {
  for (const char* chip : {"TU102", "GA100", "GH100"}) {
    EXPECT_GT(passes(chip), 1u) << chip;
    EXPECT_LE(passes(chip), 16u) << chip;
  }
}

TEST_F(CuptiChips, WithoutMemoryOfTheirOwnLackItsCounters) {
  if (cupti_->version < 130000) GTEST_SKIP() << cupti_->text() << " does not know Jetson Thor";
  EXPECT_THAT(lacking("GB10B"), ElementsAre("dram_read_bytes", "dram_write_bytes", "dram_throughput"));
}

// Every counter is in the one list, and every one of a GPU that follows from no other has a metric.
TEST(CounterMetrics, NameCountersOfTheList) {
  for (const CounterMetric& metric : counter_metrics()) {
    const CounterInfo* counter = find_counter(metric.counter);
    ASSERT_NE(counter, nullptr) << metric.counter;
    EXPECT_TRUE(counter->counted == Counted::sum || counter->counted == Counted::mean) << metric.counter;
    // A rate of CUPTI's is a mean of ours, and a sum of its is one.
    const bool adds_up = metric.metric.ends_with(".sum") || metric.metric.ends_with(".max");
    EXPECT_EQ(counter->counted == Counted::sum, adds_up) << metric.counter;
  }
}

}  // namespace
}  // namespace warptune::tuner::cuda
