// A recording small enough to know by heart.
#pragma once

#include "tuner/session/replay/recording.h"

namespace warptune::tuner::replay {

struct Sample {
  std::int64_t x = 0;
  double time_ms = 0;  // of the one run; less than 0: failed to compile
  double compile_ms = 0;
};

inline db::RecordedSpace recorded_space(const std::vector<Sample>& samples) {
  db::RecordedSpace space;
  space.kernel = "add";
  space.device = "Some GPU";
  space.parameters = {{"x", {}}};
  for (const Sample& sample : samples) {
    db::RecordedTrial& trial = space.trials.emplace_back();
    trial.values = {sample.x};
    trial.phases.compile_ms = sample.compile_ms;
    if (sample.time_ms >= 0) {
      trial.times_ms = {sample.time_ms};
      trial.measurements = {{"time", sample.time_ms}};
    } else {
      trial.outcome = search::Outcome::compile_error;
      trial.message = "CompilationFailedConfig";
    }
  }
  db::set_seen_domains(space);
  return space;
}

}  // namespace warptune::tuner::replay
