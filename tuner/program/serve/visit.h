// Declares a visit, which is one look at the stores that a page is made from, and what pages need of it.
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

}  // namespace warptune::tuner::serve
