// The pages over a store, each from one visit. Text of the store becomes HTML by Html alone.
#pragma once

#include <span>

#include "tuner/program/serve/visit.h"
#include "tuner/results/report/drift_report.h"
#include "tuner/results/report/page/page.h"

namespace warptune::tuner::serve {

// What happened lately, and what somebody should look at.
std::string overview_page(const Visit& visit);
// All sessions, by filter, in pages.
std::string sessions_page(const Visit& visit);
// The best times by size and device, a table a kernel.
std::string winners_page(const Visit& visit);
// What became of winners: the checks of each over time.
std::string checks_page(const Visit& visit);

using Found = db::Located<db::SessionRecord>;
std::string session_page(const Visit& visit, const Found& session);
std::string trials_page(const Visit& visit, const Found& session);
std::string trial_page(const Visit& visit, const Found& session, const db::StoredTrial& trial);

// What a report shows of them, and the title of its page.
std::string report_data(const Visit& visit, std::span<const Found> sessions);
Response report_page(const Visit& visit, std::span<const Found> sessions, const ChartLibrary& charts);
// The sessions of "3,2:7", in this order; nothing if one is not there.
std::optional<std::vector<Found>> find_sessions(const db::StoreSet& stores, const std::string& references);

// A list of sessions with links to them, and boxes by which several are chosen for one report.
Html session_table(const SessionList& list, const std::string& caption);
// The sessions whose winners were measured again, as a filter has them; those that are worse now first.
struct Drifts {
  std::vector<DriftRow> rows;
  std::vector<std::string> references;  // a row each
};
Drifts find_drifts(const db::StoreSet& stores, db::HistoryFilter filter);
Html drift_section(const Drifts& drifts, const std::string& caption);

// Which page of a session's trials a request asks for; search::Error (usage) for what cannot be read.
db::TrialPageRequest trial_request(const Request& request);

// Programs' side: the same as JSON, in the documents of `--format json` where there is one. Nothing for another path.
std::optional<Response> api(const Visit& visit);

}  // namespace warptune::tuner::serve
