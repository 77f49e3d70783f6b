// Prints what a tracked run found and counted: `run --sanitize` and `run --count` on the host.
#pragma once

#include "tuner/program/cli/grammar/context.h"
#include "tuner/session/preparation.h"

namespace warptune::tuner::cli {

// Prints the findings and what the run came to; the exit code is that of a wrong result if there are any.
void show_findings(const TrackedRun& run, Context& context);

// Prints the counts: a table of launches' figures and one of buffers; or in JSON, or CSV.
void show_counts(const TrackedRun& run, Context& context);

}  // namespace warptune::tuner::cli
