#pragma once

#include <atomic>

#include "tuner/metrics/metrics.h"
#include "tuner/preparation.h"

namespace warptune {

// One kernel on one device with one problem size, opened to measure given configurations without a search.
class Remeasurer {
 public:
  // What the request says of strategies and budgets does not matter. Throws ManifestError, RequestError, NoDeviceError,
  // WorkloadError.
  explicit Remeasurer(const TuneRequest& request);

  const KernelTemplate& kernel() const { return problem_.kernel; }
  const SearchSpace& space() const { return space_; }
  // The template's default, as the store holds configurations; empty if today's space lacks it.
  NamedValues fallback() const;

  // Verified, with metrics and objective; in the order given, equal ones once each. What today's space does not hold
  // is a constraint_violation that says so. Throws DeviceLostError.
  std::vector<Trial> measure(const std::vector<NamedValues>& configurations);

 private:
  void complete(Trial& trial) const;

  PreparedProblem problem_;
  std::vector<Objective> objectives_;
  SearchSpace space_;
  const std::atomic<bool> stop_{false};
  OpenEvaluator opened_;
};

}  // namespace warptune
