// Makes the pages over a store, each from one visit. Only Html turns text of the store into HTML.
#pragma once

#include <span>

#include "tuner/program/serve/visit.h"
#include "tuner/results/report/drift_report.h"
#include "tuner/results/report/page/page.h"

namespace warptune::tuner::serve {

// Returns the page of what happened lately, and what somebody should look at.
std::string overview_page(const Visit& visit);
// Returns a page of all sessions, by filter.
std::string sessions_page(const Visit& visit);
// Returns the page of the best times by size and device, with a table for each kernel.
std::string winners_page(const Visit& visit);
// Returns the page of what became of winners: the checks of each over time.
std::string checks_page(const Visit& visit);

using Found = db::Located<db::SessionRecord>;
std::string session_page(const Visit& visit, const Found& session);
std::string trials_page(const Visit& visit, const Found& session);
std::string trial_page(const Visit& visit, const Found& session, const db::StoredTrial& trial);

// `report_data` returns what a report shows of the sessions, and `report_page` the whole page with its title.
std::string report_data(const Visit& visit, std::span<const Found> sessions);
Response report_page(const Visit& visit, std::span<const Found> sessions, const ChartLibrary& charts);
// Returns the sessions of "3,2:7", in this order; nothing if one is not there.
std::optional<std::vector<Found>> find_sessions(const db::StoreSet& stores, const std::string& references);

// Returns a list of sessions with links to them, and boxes by which several are chosen for one report.
Html session_table(const SessionList& list, const std::string& caption);
// Drifts hold the sessions of a filter whose winners were measured again. Those that are worse now come first.
struct Drifts {
  std::vector<DriftRow> rows;
  std::vector<std::string> references;  // one for each row
};
Drifts find_drifts(const db::StoreSet& stores, db::HistoryFilter filter);
Html drift_section(const Drifts& drifts, const std::string& caption);

// Returns which page of a session's trials a request asks for. Throws search::Error (usage) for what cannot be read.
db::TrialPageRequest trial_request(const Request& request);

// Answers programs with the same as JSON, in the documents of `--format json` where there is one. Returns nothing for
// another path.
std::optional<Response> api(const Visit& visit);

}  // namespace warptune::tuner::serve
