// Puts a recording in a device's place: `--device replay:FILE` tunes on it.
#pragma once

#include <string>

#include "db/records.h"
#include "tuner/session/preparation.h"
#include "tuner/session/replay/recording.h"

namespace warptune::tuner {

bool names_recording(const std::string& device);

// Returns the recording as a problem. Its space is what was recorded, its objective is the recording's primary one, and
// it has neither a source nor a default configuration. Throws RequestError for a request that speaks of a template, of
// sizes or of another objective, and for a file without a trial; db::InterchangeError for one that cannot be read.
PreparedProblem replayed_problem(const TuneRequest& request);

// Returns the session's key, which names the strategy, its options and the seed. Each such run is a session of its own,
// because another run's trials would tell it what it is to find.
db::SessionKey replay_key(const TuneRequest& request, const PreparedProblem& problem);

}  // namespace warptune::tuner
