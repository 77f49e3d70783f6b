#pragma once

#include <filesystem>
#include <memory>

#include "tuner/measure/device_evaluator.h"
#include "tuner/metrics/metrics.h"

namespace warptune {

// One kernel on one device with one problem size, opened to measure given configurations without a search.
class Remeasurer {
 public:
  // `objectives` as sessions hold them: "time,joules". Throws ManifestError, RequestError, NoDeviceError, WorkloadError.
  Remeasurer(const std::filesystem::path& manifest, const DeviceInfo& device, const NamedValues& sizes,
             const std::string& objectives, EvaluatorOptions options);

  const KernelTemplate& kernel() const { return kernel_; }
  const SearchSpace& space() const { return space_; }
  // The template's default, as the store holds configurations; empty if today's space lacks it.
  NamedValues fallback() const;

  // Verified, with metrics and objective; in the order given, equal ones once each. What today's space does not hold
  // is a constraint_violation that says so. Throws DeviceLostError.
  std::vector<Trial> measure(const std::vector<NamedValues>& configurations);

 private:
  void complete(Trial& trial) const;

  KernelTemplate kernel_;
  NamedValues constants_;
  std::vector<Objective> objectives_;
  SearchSpace space_;
  std::unique_ptr<Evaluator> evaluator_;
};

}  // namespace warptune
