// Runs one case on a device: verifies the reference and the candidate, and perhaps compares their times side by side.
#pragma once

#include "tuner/results/judge/judge.h"
#include "tuner/session/preparation.h"

namespace warptune::tuner::judge {

// Writes the manifest where the request has its own, runs the case and fills in what became of it. Compares times if
// `seconds` is not 0 and both are right. A case that cannot be set up is set aside. `notes` gets what is to be said of
// outputs that were not compared in earnest beside others that were. Throws what the engine throws for a size that was
// asked for, but for WorkloadError. For any other size it throws only if the device is lost or missing.
std::optional<Comparison> run_case(const Json& manifest, const TuneRequest& request, double seconds,
                                   const std::atomic<bool>& stop, Case& each, std::vector<std::string>& notes);

}  // namespace warptune::tuner::judge
