// Declares the pages over a store. Each is made from one visit, which is one look at the stores. Only Html turns text
// of the store into HTML.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "db/store_set.h"
#include "tuner/program/serve/html.h"
#include "tuner/program/serve/http.h"
#include "tuner/results/report/check_report.h"
#include "tuner/results/report/history_report.h"
#include "tuner/results/report/page/page.h"

namespace warptune::tuner::serve {

struct Visit {
  const Request& request;
  const db::StoreSet& stores;
  bool live = false;  // a session runs in this program

  Frame frame(std::string title, std::string here) const { return {std::move(title), std::move(here), live}; }
};

// Returns the name of a session in addresses and on the command line: "3", or "2:3" in the second store.
std::string reference_of(std::size_t store, db::SessionId session);
// Returns the session that a reference names; nothing if it names none.
std::optional<db::Located<db::SessionRecord>> find_session(const db::StoreSet& stores, const std::string& reference);

// Returns what rows say of where they come from: a store's file, and nothing if there is only one store.
std::string origin(const db::StoreSet& stores, std::size_t store);

// A list holds the sessions that a request asks for, with their winners.
struct SessionList {
  std::vector<HistoryRow> rows;
  std::vector<std::string> references;  // one for each row
  bool more = false;                    // there are more behind the filter's limit
};
SessionList list_sessions(const db::StoreSet& stores, db::HistoryFilter filter);

// Returns the query's filter. Throws search::Error (usage) that names what cannot be read.
db::HistoryFilter filter_of(const Request& request);
// Returns fields to fill in, with what was asked for. `with` names those that the page heeds.
Html filter_form(const Visit& visit, const std::string& action, const std::vector<std::string>& with);
// Returns the address of the same page with another value of a parameter (taken away if it is empty).
std::string with_parameter(const Request& request, const std::string& name, const std::string& value);

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
