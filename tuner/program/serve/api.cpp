// Answers programs with the pages' data as JSON: the documents of `--format json` where a verb has one
// (tuner/results/report/README.md).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "search/error.h"
#include "tuner/program/serve/pages.h"
#include "tuner/results/report/best_report.h"
#include "tuner/results/report/text/document.h"

namespace warptune::tuner::serve {

namespace {

const std::set<std::string> filter_names = {"q",       "kernel", "device", "since", "until",
                                            "outcome", "state",  "sort",   "limit", "offset"};
const std::set<std::string> trial_names = {"after", "before", "limit", "outcome", "order"};

// Refuses parameters that are not known. A misspelt filter would cut nothing off, and a program would take all sessions
// for those that it asked for.
void require_known(const Request& request, const std::set<std::string>& known) {
  const auto unknown = std::ranges::find_if(
      request.query, [&](const auto& one) { return one.first != "token" && !known.contains(one.first); });
  if (unknown == request.query.end()) return;
  const std::string those = known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "));
  throw search::Error(search::ErrorKind::usage,
                      fmt::format("{} has no parameter {}; its parameters: {}", request.path, unknown->first, those));
}

Json history(const Visit& visit) {
  require_known(visit.request, filter_names);
  const SessionList list = list_sessions(visit.stores, filter_of(visit.request));
  return document("history", "sessions", history_table(list.rows, Columns::all));
}

// Returns the winners. Whether a winner's key is today's is not asked here: that starts compilers.
Json best(const Visit& visit) {
  require_known(visit.request, filter_names);
  db::HistoryFilter filter = filter_of(visit.request);
  filter.limit = filter.offset = 0;
  filter.each_question = true;
  std::vector<BestRow> rows;
  for (auto& [found, store] : visit.stores.best(filter)) {
    auto shown = shown_trials(found, visit.stores.store(store));
    rows.push_back({std::move(found), std::move(shown), origin(visit.stores, store), ""});
  }
  return document("best", "winners", best_table(rows, Columns::all));
}

Json drift(const Visit& visit) {
  require_known(visit.request, filter_names);
  return document("serve", "drift", drift_table(find_drifts(visit.stores, filter_of(visit.request)).rows));
}

Json session(const Visit& visit, const Found& found) {
  require_known(visit.request, {});
  const db::Store& store = visit.stores.store(found.store);
  return session_document(found.record, store.trials(found.record.id), store.winner(found.record.id),
                          store.checks(found.record.id));
}

// Returns a page of trials. `next` and `previous` are the queries of the pages beside it, null at the ends.
Json trials(const Visit& visit, const Found& found) {
  require_known(visit.request, trial_names);
  const db::Store& store = visit.stores.store(found.store);
  const db::TrialPage page = store.trial_page(found.record.id, trial_request(visit.request));
  const auto winner = store.winner(found.record.id);
  Request base = visit.request;
  base.query.erase("after");
  base.query.erase("before");
  Json json = document("serve");
  json["session"] = found.record.id;
  json["trials"] = Json::array();
  for (const db::StoredTrial& trial : page.trials) json["trials"].push_back(json_of(trial, winner, found.record));
  json["previous"] = json["next"] = nullptr;
  if (page.trials.empty()) return json;
  if (page.more_before) json["previous"] = with_parameter(base, "before", std::to_string(page.trials.front().id));
  if (page.more_after) json["next"] = with_parameter(base, "after", std::to_string(page.trials.back().id));
  return json;
}

std::optional<Json> answer(const Visit& visit) {
  const std::string& path = visit.request.path;
  if (path == "/api/history") return history(visit);
  if (path == "/api/best") return best(visit);
  if (path == "/api/drift") return drift(visit);
  const std::string prefix = "/api/session/";
  if (!path.starts_with(prefix)) return std::nullopt;
  const std::string rest = path.substr(prefix.size());
  const std::size_t slash = rest.find('/');
  const auto found = find_session(visit.stores, rest.substr(0, slash));
  if (!found) return std::nullopt;
  if (slash == std::string::npos) return session(visit, *found);
  return rest.substr(slash) == "/trials" ? std::optional(trials(visit, *found)) : std::nullopt;
}

}  // namespace

std::optional<Response> api(const Visit& visit) {
  const auto json = answer(visit);
  if (!json) return std::nullopt;
  return Response{200, "application/json; charset=utf-8", text_of(*json)};
}

}  // namespace warptune::tuner::serve
