// Checks whether the techniques of a template have the effects that it states. Each effect is an expression over the
// counts of runs on the host (kernel_template.h, Effect).
#pragma once

#include <string>
#include <vector>

#include "tuner/measure/tracked_run.h"

namespace warptune::tuner {

// Returns the effects that do not hold, with the counts that show it: "techniques.tiled: global_loads ==
// naive.global_loads / TILE_WIDTH does not hold: global_loads = 4096, …". The runs use the sizes of the preset
// `effects`, else of `host`, else the defaults. Throws as TrackedRuns does, and WorkloadError for a technique that does
// not run.
std::vector<std::string> broken_effects(const KernelTemplate& kernel, const DeviceInfo& host,
                                        const BackendOptions& options, Compiler& compiler);

}  // namespace warptune::tuner
