// One case on a device: the reference and the candidate, each verified, and perhaps their times side by side.
#pragma once

#include "tuner/results/judge/judge.h"
#include "tuner/session/preparation.h"

namespace warptune::tuner::judge {

// The manifest is written where the request has its own. Fills what became of the case. Compares times if `seconds` is
// not 0 and both are right. A case that cannot be set up is set aside. `notes` gets what is to be said of outputs that
// were not compared in earnest beside others that were. Throws what the engine throws for a size that was asked for,
// but for WorkloadError.
std::optional<Comparison> run_case(const Json& manifest, const TuneRequest& request, double seconds,
                                   const std::atomic<bool>& stop, Case& each, std::vector<std::string>& notes);

}  // namespace warptune::tuner::judge
