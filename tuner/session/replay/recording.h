// Makes a recorded space ready to answer: it has a search space, and a trial for each configuration.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "db/interchange/recorded_space.h"
#include "search/compare/scored_space.h"
#include "search/space/search_space.h"
#include "tuner/device/device_info.h"

namespace warptune::tuner::replay {

enum class Detail {
  full,
  lean,  // trials without samples and metrics: cheap to hand out by the million, and enough for most strategies
};

// A recording is immutable and safe to read from many threads. One serves any number of evaluators.
class Recording {
 public:
  // `name` is what messages and --device call it ("replay:NAME"). Every recorded configuration is in the space, failed
  // ones included; one that was recorded twice counts as recorded last. Throws search::DataError without a
  // trial, or if its values are no space.
  Recording(const db::RecordedSpace& recorded, std::string name, Detail detail = Detail::full);

  const std::string& name() const { return name_; }
  const std::string& kernel() const { return kernel_; }
  const std::vector<std::string>& objectives() const { return objectives_; }
  const std::vector<search::Value>& problem_size() const { return problem_size_; }
  const DeviceInfo& device() const { return device_; }
  const search::SearchSpace& space() const { return space_; }

  // Trials are in the order of the space: trial(i) is of space().at(i).
  std::size_t size() const { return trials_.size(); }
  const search::Trial& trial(std::size_t index) const { return trials_[index]; }
  // Returns nullptr for a configuration that was not recorded.
  const search::Trial* find(const search::Configuration& configuration) const;

 private:
  std::string name_, kernel_;
  std::vector<std::string> objectives_;
  std::vector<search::Value> problem_size_;
  DeviceInfo device_;
  search::SearchSpace space_;
  std::vector<search::Trial> trials_;
};

// Returns the seconds that an evaluation takes: compiling, verifying, the runs and the framework.
double cost_s(const search::Trial& trial);

// Returns the recording as a yardstick for strategies, by its primary objective. Ids are the recording's indices.
// Throws search::DataError for a recording that cannot be scored.
search::compare::ScoredSpace scored_space(const Recording& recording, const search::compare::Cutoff& cutoff = {});

}  // namespace warptune::tuner::replay
