// Runs the work once, and reads the log that tracked modules write.
#include "tuner/device/backends/host/host_profiler.h"

#include <fmt/format.h>

#include <algorithm>

namespace warptune::tuner::host {

std::vector<std::string> HostProfiler::lacking() const {
  return lacking_on_the_host();
}

// Counts everything at once, in one pass.
std::vector<CounterValues> HostProfiler::count(const CountedWork& work) {
  work.prepare();
  device_.synchronize();
  log_ = {false, true, work.buffers, {}, {}};
  work.run();
  device_.synchronize();
  const auto wanted = static_cast<std::size_t>(
      std::ranges::count_if(work.kernels, [](const std::string& kernel) { return !kernel.empty(); }));
  if (log_.launches.size() != wanted)
    throw DeviceError(search::Outcome::launch_error, "NOT_TRACKED",
                      fmt::format("{} launches were made, and {} counted: the rest was not compiled to be counted",
                                  wanted, log_.launches.size()));
  std::vector<CounterValues> values(work.kernels.size());
  auto launch = log_.launches.begin();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!work.kernels[i].empty()) values[i] = values_of(launch++->counts);
  return values;
}

}  // namespace warptune::tuner::host
