// Tunes a kernel for many problems.
#pragma once

#include "tuner/program/cli/grammar/context.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::cli {

// Implements `warptune tune --sizes`: every problem has a session of its own, all within the request's budget
// (session/sizes/sizes_tuning.h). `serve` is as for LivePage.
void tune_sizes(const TuneRequest& request, const std::vector<Problem>& problems, const KernelTemplate& kernel,
                const std::optional<std::string>& serve, Context& context);

}  // namespace warptune::tuner::cli
