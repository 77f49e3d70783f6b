// Asks the compiler for its version, and the system for cores, load and memory.
#include "tuner/device/backends/host/examinations.h"

#include <fmt/format.h>
#include <stdlib.h>

#include "tuner/device/backends/host/compile/host_compiler.h"
#include "tuner/device/device_error.h"
#include "tuner/system/machine.h"

namespace warptune::tuner::host {

namespace {

constexpr std::int64_t least_memory = std::int64_t{512} << 20;

std::vector<Finding> examine_compiler(const BackendOptions& options) {
  try {
    const HostCompiler compiler(options.host_compiler, 20);
    return {{Health::ok, fmt::format("{} ({})", compiler.version(), options.host_compiler), ""}};
  } catch (const NoDeviceError& error) {
    Finding finding = finding_of(error.what(), Health::error);
    finding.remedy = install_command({"g++", "gcc-c++", "gcc"});
    if (options.host_compiler != "c++") finding.remedy += ", or name another compiler in CXX";
    return {finding};
  }
}

std::vector<Finding> examine_cores(const BackendOptions&) {
  const int cores = permitted_cores();
  const double quota = core_quota();
  if (quota > 0 && quota < cores)
    return {
        {Health::warning, fmt::format("{} cores, of which the control group allows {:.3g}", cores, quota),
         fmt::format("times on the host vary when the quota is used up: limit this program to {:.0f} (`taskset`), or "
                     "raise the container's --cpus",
                     std::max(1.0, quota))}};
  double load = 0;
  getloadavg(&load, 1);
  const std::string what = fmt::format("{} core{}, load {:.1f}", cores, cores == 1 ? "" : "s", load);
  if (load <= cores) return {{Health::ok, what, ""}};
  return {{Health::warning, what, "other programs are running: times on the host will vary more"}};
}

std::vector<Finding> examine_memory(const BackendOptions&) {
  const std::int64_t bytes = available_memory_bytes();
  const std::string what = fmt::format("{:.1f} GiB available", static_cast<double>(bytes) / (1 << 30));
  if (bytes >= least_memory) return {{Health::ok, what, ""}};
  return {{Health::warning, what, "compilers need some 300 MiB each: free memory, or take --compile-jobs 1"}};
}

}  // namespace

std::vector<Examination> examinations() {
  return {{"compiler", examine_compiler}, {"cores", examine_cores}, {"memory", examine_memory}};
}

}  // namespace warptune::tuner::host
