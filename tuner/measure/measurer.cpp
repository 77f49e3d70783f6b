// Keeps the problems of one device, drops old ones for want of memory, and reopens the device after a sticky error.
#include "tuner/measure/measurer.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/device/access_report.h"
#include "tuner/system/clock.h"

namespace warptune::tuner {

const BackendEntry& backend_of(const DeviceInfo& device) {
  const auto found = std::ranges::find(backends(), std::string_view(device.backend), &BackendEntry::name);
  if (found == backends().end()) throw NoDeviceError(fmt::format("there is no backend '{}'", device.backend));
  return *found;
}

Measurer::Measurer(const KernelTemplate& kernel, search::NamedValues constants, const DeviceInfo& device,
                   BackendOptions options, MeasurePolicy policy, Compiler& compiler, CacheOptions cache,
                   std::function<void()> progress, std::unique_ptr<Device> opened)
    : kernel_(kernel),
      constants_(std::move(constants)),
      info_(device),
      backend_(backend_of(device)),
      options_(std::move(options)),
      policy_(policy),
      compiler_(compiler),
      cache_(std::move(cache)),
      progress_(std::move(progress)) {
  if (info_.is_host() && policy_.counters != Counting::never) options_.accesses = std::make_shared<AccessLog>();
  open(std::move(opened));
}

std::unique_ptr<Device> Measurer::release() {
  problems_.clear();
  return std::move(device_);
}

void Measurer::open(std::unique_ptr<Device> opened) {
  release().reset();
  device_ = opened ? std::move(opened) : backend_.open(info_, options_);
  set_up();
}

// Sets up the data of `constants_` as the first of the problems.
void Measurer::set_up() {
  Problem problem{constants_, {}, {}};
  problem.workload =
      std::make_unique<Workload>(kernel_, constants_, *device_, compiler_, options_, policy_.verifies(), cache_);
  const auto now_s = [this] {
    progress_();
    return steady_s();
  };
  problem.runner = std::make_unique<TrialRunner>(kernel_, *problem.workload, *device_, policy_, now_s);
  problem.runner->race_against(rivals_);
  problems_.push_front(std::move(problem));
}

// Returns whether another problem fits beside those that are kept. They may hold less than half of the memory. They go
// first when it is short, so that a kernel gets the memory that it would have alone.
bool Measurer::has_room() const {
  std::size_t bytes = 0;
  for (const Problem& problem : problems_) bytes += problem.workload->held_bytes();
  return bytes < static_cast<std::size_t>(std::max<std::int64_t>(0, info_.total_memory_bytes)) / 2;
}

void Measurer::turn_to(search::NamedValues constants) {
  if (!problems_.empty() && constants == problems_.front().constants) return;
  constants_ = std::move(constants);
  const auto known = std::ranges::find(problems_, constants_, &Problem::constants);
  if (known != problems_.end()) {
    problems_.splice(problems_.begin(), problems_, known);
    return;
  }
  while (!problems_.empty() && !has_room()) problems_.pop_back();
  try {
    set_up();
  } catch (const WorkloadError&) {
    if (problems_.empty()) throw;
    problems_.clear();  // it may succeed with all of the memory
    set_up();
  }
}

void Measurer::race_against(const Rivals& rivals) {
  rivals_ = rivals;
  if (!problems_.empty()) problems_.front().runner->race_against(rivals);
}

void Measurer::run(const MachineCode& code, const search::NamedValues& scope, Purpose purpose, search::Trial& trial) {
  if (!usable()) reopen();
  try {
    problems_.front().runner->run(code, scope, purpose, trial);
    if (purpose == Purpose::trial && policy_.counters == Counting::every_trial && trial.correct())
      add_counters(code, scope, trial);
  } catch (const DeviceError& error) {
    lost_ = error.code();  // the trial says why
  }
}

// Adds counters to a trial that was measured already. An error that ruins the context here does not change the trial's
// outcome.
void Measurer::add_counters(const MachineCode& code, const search::NamedValues& scope, search::Trial& trial) {
  search::Trial counted;
  try {
    problems_.front().runner->run(code, scope, Purpose::counted, counted);
  } catch (const DeviceError& error) {
    lost_ = error.code();
  }
  trial.counters = counters_of_run(std::move(counted));
}

// Opens the device again after a sticky error. CUDA's sticky errors are final for a process; then this throws.
void Measurer::reopen() {
  try {
    open(nullptr);
    lost_.clear();
  } catch (const std::exception& error) {
    throw DeviceLostError(fmt::format(
        "{} was lost to this process by the last trial ({}) and cannot be opened again: {}. Every trial is in the "
        "store, that one too: the same command continues after it.",
        info_.id, lost_, error.what()));
  }
}

}  // namespace warptune::tuner
