// Writes down what a launcher queues, as a plan. It is private to tuner/library/api.
#pragma once

#include <string>
#include <vector>

#include "tuner/kernel/plan.h"
#include "tuner/library/api/problem.h"

namespace warptune {

// A PlanRecorder is for one call of a launcher.
class PlanRecorder : public RunQueue {
 public:
  // The problem must outlive the recorder.
  explicit PlanRecorder(const Tuner::Problem& problem) : problem_(problem) {}

  void launch(const std::string& kernel, const tuner::LaunchGeometry& geometry,
              std::vector<RunArgument> arguments) override;
  DeviceArray array(const std::string& name) override;
  void clear(const std::string& name) override;

  // Returns the launches. Throws std::invalid_argument if there are none, and for an array that is cleared after the
  // last launch.
  std::vector<tuner::PlannedLaunch> take();

 private:
  const Tuner::Problem& problem_;
  std::vector<tuner::PlannedLaunch> launches_;
  std::vector<std::string> to_clear_;  // before the next launch
};

}  // namespace warptune
