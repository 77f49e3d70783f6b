// Examines whether hardware counters can be read, for --counters.
#include <fmt/format.h>

#include "tuner/device/backends/cuda/driver/context.h"
#include "tuner/device/backends/cuda/driver/device_query.h"
#include "tuner/device/backends/cuda/driver/driver.h"
#include "tuner/device/backends/cuda/examine/examinations.h"
#include "tuner/device/backends/cuda/sensors/profiler.h"

namespace warptune::tuner::cuda {

namespace {

// Everything but --counters works without hardware counters, so nothing here is an error.
Finding examine(const std::shared_ptr<const Driver>& driver, int ordinal, const BackendOptions& options) {
  try {
    Context context(driver, ordinal, fmt::format("cuda:{}", ordinal), options.kernel_timeout_s);
    CudaProfiler profiler(context, ordinal, options);
    profiler.require_permission();
    const std::size_t lacking = profiler.lacking().size();
    return {Health::ok,
            fmt::format("{}: --counters reads {} of {} counters on cuda:{}", load_cupti(cupti_places(options))->text(),
                        counter_metrics().size() - lacking, counter_metrics().size(), ordinal),
            ""};
  } catch (const DeviceError& error) {
    return finding_of(error.what(), Health::warning);
  }
}

}  // namespace

std::vector<Finding> examine_counters(const BackendOptions& options) {
  std::shared_ptr<const Driver> driver;
  std::size_t devices = 0;
  try {
    driver = load_driver(options);
    devices = query_devices(*driver, "").size();
  } catch (const NoDeviceError&) {
    return {};  // the examination of the driver says why
  }
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < devices; ++i) findings.push_back(examine(driver, static_cast<int>(i), options));
  return findings;
}

}  // namespace warptune::tuner::cuda
