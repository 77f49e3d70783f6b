// A session as the store has it, whoever asks: `warptune show` and the pages of `warptune serve`.
#pragma once

#include <optional>
#include <vector>

#include "tuner/report/document.h"

namespace warptune::tuner {

// Its configurations' later measurements, one a row. `maximised`: the objective (db/objective_value.h).
Table check_history(const std::vector<db::TrialCheck>& checks, const std::string& objective, bool maximised);

// What `show --format json` prints.
Json session_document(const db::SessionRecord& session, const std::vector<db::StoredTrial>& trials,
                      const std::optional<db::Winner>& winner, const std::vector<db::TrialCheck>& checks);

}  // namespace warptune::tuner
