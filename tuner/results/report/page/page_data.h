// Writes what a report's page shows, as one JSON document. It has sessions of the store in columns, since 100,000
// trials as objects would take ten times the room. The page's script (assets/model.js) is its only reader, and `schema`
// is the contract between them: the same document is in a report's file and comes from a live session.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "db/records.h"
#include "tuner/results/report/text/document.h"

namespace warptune::tuner {

// The schema is counted up whenever a page that is open would no longer understand newer data.
inline constexpr char page_schema[] = "warptune-report/1";

// Holds one session, as it was read from the store.
struct PageSession {
  std::string reference;  // by which the command line finds it: "3", "2:7"
  db::SessionRecord session;
  std::vector<db::StoredTrial> trials;  // in recording order
  std::optional<db::Winner> winner = {};
  std::vector<db::TrialCheck> checks = {};
  std::vector<db::Roof> roofs = {};  // of the session's device; empty if they were never measured
  Json explained = {};               // what `explain` found, shown as it is; null if nothing was asked
};

// Returns {"schema", "tool_version", "sessions": [{"session", "winner", "finals", "failures", "parameters", "trials",
// …}]}. Columns of trials have a value a trial, null where there is none, and are null themselves where no trial has
// any. Measured figures have six digits there; the winner's and the finals' have all.
Json page_data(std::span<const PageSession> sessions);

// Returns the same as text that may stand in an HTML script element: without "<", ">" and "&", and without U+2028 and
// U+2029.
std::string page_data_text(std::span<const PageSession> sessions);

// Returns the seconds of tuning until each trial was there. A recording's session has the recording's clock. Where a
// session was continued later, the pause is left out.
std::vector<double> tuning_seconds(const db::SessionRecord& session, std::span<const db::StoredTrial> trials);

}  // namespace warptune::tuner
