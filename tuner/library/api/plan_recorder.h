// What a launcher queues, written down as a plan. Private to tuner/library/api.
#pragma once

#include <string>
#include <vector>

#include "tuner/kernel/plan.h"
#include "tuner/library/api/problem.h"

namespace warptune {

// For one call of a launcher.
class PlanRecorder : public RunQueue {
 public:
  // The problem must outlive the recorder.
  explicit PlanRecorder(const Tuner::Problem& problem) : problem_(problem) {}

  void launch(const std::string& kernel, const tuner::LaunchGeometry& geometry,
              std::vector<RunArgument> arguments) override;
  DeviceArray array(const std::string& name) override;
  void clear(const std::string& name) override;

  // Throws std::invalid_argument for an array that is cleared after the last launch.
  std::vector<tuner::PlannedLaunch> take();

 private:
  const Tuner::Problem& problem_;
  std::vector<tuner::PlannedLaunch> launches_;
  std::vector<std::string> to_clear_;  // before the next launch
};

}  // namespace warptune
