// Tunes a kernel for many problems.
#pragma once

#include "tuner/program/cli/grammar/context.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::cli {

// Implements `warptune tune --sizes`: every problem has a session of its own, all within the request's budget. One
// model searches all of them (session/sizes/shared_sizes.h; session/sizes/size_plan.h says who gets how much of the
// budget). With another strategy than `auto`, without a budget or for several variants, each is searched by itself
// (session/sizes/size_budget.h). A slice continues its size's session from the store. `serve` is as for LivePage.
void tune_sizes(const TuneRequest& request, const std::vector<Problem>& problems, const KernelTemplate& kernel,
                const std::optional<std::string>& serve, Context& context);

}  // namespace warptune::tuner::cli
