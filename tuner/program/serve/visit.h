// One look at the stores: what a page is made from.
#pragma once

#include <optional>
#include <string>

#include "db/store_set.h"
#include "tuner/program/serve/html.h"
#include "tuner/program/serve/http.h"
#include "tuner/results/report/history_report.h"

namespace warptune::tuner::serve {

struct Visit {
  const Request& request;
  const db::StoreSet& stores;
  bool live = false;  // a session runs in this program

  Frame frame(std::string title, std::string here) const { return {std::move(title), std::move(here), live}; }
};

// A session as addresses and the command line name it: "3", or "2:3" in the second store.
std::string reference_of(std::size_t store, db::SessionId session);
// Nothing if it names none.
std::optional<db::Located<db::SessionRecord>> find_session(const db::StoreSet& stores, const std::string& reference);

// What rows say of where they come from: nothing if there is only one store.
std::string origin(const db::StoreSet& stores, std::size_t store);

// The sessions that a request asks for, with their winners.
struct SessionList {
  std::vector<HistoryRow> rows;
  std::vector<std::string> references;  // a row each
  bool more = false;                    // behind the filter's limit
};
SessionList list_sessions(const db::StoreSet& stores, db::HistoryFilter filter);

// The query's filter, or search::Error (usage) that names what cannot be read.
db::HistoryFilter filter_of(const Request& request);
// Fields to fill in, with what was asked for; `with` names those that the page heeds.
Html filter_form(const Visit& visit, const std::string& action, const std::vector<std::string>& with);
// The same page with another value of a parameter (taken away if it is empty).
std::string with_parameter(const Request& request, const std::string& name, const std::string& value);

}  // namespace warptune::tuner::serve
