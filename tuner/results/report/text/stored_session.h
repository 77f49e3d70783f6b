// Writes a session as the store has it, for `warptune show` and the pages of `warptune serve`.
#pragma once

#include <optional>
#include <vector>

#include "tuner/results/report/text/document.h"

namespace warptune::tuner {

// Returns the later measurements of a session's configurations, one a row.
Table check_history(const std::vector<db::TrialCheck>& checks, const db::SessionRecord& session);

// Returns what `show --format json` prints.
Json session_document(const db::SessionRecord& session, const std::vector<db::StoredTrial>& trials,
                      const std::optional<db::Winner>& winner, const std::vector<db::TrialCheck>& checks);

}  // namespace warptune::tuner
