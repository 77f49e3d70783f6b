// A recording in a device's place: what `--device replay:FILE` tunes on.
#pragma once

#include <string>

#include "db/records.h"
#include "tuner/session/preparation.h"
#include "tuner/session/replay/recording.h"

namespace warptune::tuner {

bool names_recording(const std::string& device);

// The recording as a problem: its space is what was recorded, its objective the recording's primary one, and there is
// neither a source nor a default configuration. Throws RequestError for a request that speaks of a template, of sizes
// or of another objective, and for a file without a trial; db::InterchangeError for one that cannot be read.
PreparedProblem replayed_problem(const TuneRequest& request);

// A run of one strategy under one seed is a session: another's trials would tell it what it is to find.
db::SessionKey replay_key(const TuneRequest& request, const PreparedProblem& problem);

}  // namespace warptune::tuner
