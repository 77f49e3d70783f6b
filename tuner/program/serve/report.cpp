// Serves the report of `warptune report` at an address: the same page, made when it is asked for.
#include <fmt/format.h>

#include "tuner/kernel/problem.h"
#include "tuner/program/serve/pages.h"
#include "tuner/results/report/page/page_data.h"

namespace warptune::tuner::serve {

namespace {

PageSession load(const db::StoreSet& stores, const Found& found) {
  const db::Store& store = stores.store(found.store);
  PageSession session;
  session.reference = reference_of(found.store, found.record.id);
  session.session = found.record;
  session.trials = store.trials(found.record.id);
  session.winner = store.winner(found.record.id);
  session.checks = store.checks(found.record.id);
  return session;
}

std::string title_of(std::span<const Found> sessions) {
  const db::SessionKey& key = sessions.front().record.key;
  if (sessions.size() > 1) return fmt::format("{}, {} sessions - Warptune", key.kernel, sessions.size());
  return fmt::format("{} {} on {} - Warptune", key.kernel, search::to_text(key.problem()), key.device.name);
}

}  // namespace

std::optional<std::vector<Found>> find_sessions(const db::StoreSet& stores, const std::string& references) {
  std::vector<Found> sessions;
  for (std::size_t begin = 0; begin <= references.size();) {
    const std::size_t end = std::min(references.find(',', begin), references.size());
    auto found = find_session(stores, references.substr(begin, end - begin));
    if (!found) return std::nullopt;
    sessions.push_back(std::move(*found));
    begin = end + 1;
  }
  return sessions;
}

std::string report_data(const Visit& visit, std::span<const Found> sessions) {
  std::vector<PageSession> loaded;
  for (const Found& found : sessions) loaded.push_back(load(visit.stores, found));
  return page_data_text(loaded);
}

// The page brings its own policy, by which only its own scripts run. Only pages of this site may embed it, as the live
// page does.
Response report_page(const Visit& visit, std::span<const Found> sessions, const ChartLibrary& charts) {
  PageOptions options;
  options.title = title_of(sessions);
  options.charts = charts;
  Response response;
  response.body = page_html(report_data(visit, sessions), options);
  response.headers = {{"Content-Security-Policy", "frame-ancestors 'self'; base-uri 'none'; form-action 'none'"},
                      {"X-Frame-Options", "SAMEORIGIN"}};
  return response;
}

}  // namespace warptune::tuner::serve
