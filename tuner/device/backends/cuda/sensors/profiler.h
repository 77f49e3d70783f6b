// Reads hardware counters by CUPTI's Range Profiler. Each launch is a range of its own, and the caller launches
// everything again for each pass ("user replay"). Rejected: CUPTI's own replay of kernels, which saves and restores all
// memory that a kernel can reach, although the measurer knows what it writes. Rejected: ranges of one's own, which
// count the gaps in them too.
#pragma once

#include <span>

#include "tuner/device/backends/cuda/driver/context.h"
#include "tuner/device/backends/cuda/sensors/counter_metrics.h"
#include "tuner/device/backends/cuda/sensors/cupti.h"
#include "tuner/device/counters.h"

namespace warptune::tuner::cuda {

// Holds CUPTI's knowledge of a chip, and the metrics of it that are to be read together.
class ChipMetrics {
 public:
  // No GPU need be there. If `availability` is null, all that the chip has is available. Throws DeviceError.
  ChipMetrics(const Cupti& cupti, const std::string& chip, const std::uint8_t* availability);
  ~ChipMetrics();
  ChipMetrics(const ChipMetrics&) = delete;
  ChipMetrics& operator=(const ChipMetrics&) = delete;

  // Adds metrics. It must be called once, with all of them: what is added later has passes of its own, and after an
  // unknown metric nothing works.
  cupti::Result add(std::span<const char*> names) const;
  // Returns CUPTI's result of planning to read what was added. `bytes` gets the size of the plan.
  cupti::Result plan(std::size_t& bytes) const;
  void* host() const { return host_; }

 private:
  const Cupti& cupti_;
  void* host_ = nullptr;
};

class CudaProfiler : public Profiler {
 public:
  // Throws DeviceError if CUPTI is missing or too old, or if the device cannot count.
  CudaProfiler(Context& context, int ordinal, const BackendOptions& options);

  // Switches the counters on and off again. CUPTI does not say any earlier whether this user may read them. Throws
  // DeviceError.
  void require_permission();
  std::vector<std::string> lacking() const override { return lacking_; }
  std::vector<CounterValues> count(const CountedWork& work) override;

 private:
  using Image = std::vector<std::uint8_t>;

  void require_support() const;
  void ask_availability();
  void choose_metrics();
  bool choose_metric(const CounterMetric& metric);
  bool has(std::string_view metric) const;
  void make_config();
  Image new_data(void* object, std::size_t ranges);
  void run_passes(void* object, const CountedWork& work);
  void decode(void* object, const Image& data, std::size_t launches) const;
  std::vector<CounterValues> evaluate(const Image& data, std::size_t ranges);

  Context& context_;
  std::shared_ptr<const Cupti> cupti_;
  std::string chip_;
  Image availability_;
  std::unique_ptr<ChipMetrics> metrics_of_chip_;
  Image config_;
  std::size_t passes_ = 0;
  std::vector<std::string_view> counters_;  // the counters that are read
  std::vector<const char*> metrics_;        // their names in CUPTI
  std::vector<std::string> lacking_;
};

}  // namespace warptune::tuner::cuda
