// What a session found, as the package's Findings and Trial read it: the command line's document, with what only a
// program can use. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/records.h"
#include "tuner/results/report/text/document.h"

namespace warptune::python {

// With `samples_ms`, `error`, and `objectives` as the store keeps them, to be minimised.
tuner::Json json_of_trial(const db::StoredTrial& stored, const std::optional<db::Winner>& winner,
                          const db::SessionRecord& session);
// A document of this verb, with every trial.
tuner::Json findings(const std::string& verb, const db::SessionRecord& session,
                     const std::vector<db::StoredTrial>& trials, const std::optional<db::Winner>& winner);

}  // namespace warptune::python
