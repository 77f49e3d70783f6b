// Makes the pages that list sessions: what happened lately, and all of them by filter.
#include <fmt/format.h>

#include <algorithm>

#include "tuner/kernel/problem.h"
#include "tuner/program/serve/pages.h"
#include "tuner/results/report/text/figures.h"

namespace warptune::tuner::serve {

namespace {

Html store_facts(const db::StoreSet& stores) {
  Html content;
  for (std::size_t i = 0; i < stores.size(); ++i) {
    const db::StoreSummary summary = stores.store(i).summary();
    const std::string holds =
        fmt::format("{}, {}, {}, {}", counted(summary.sessions, "session"), counted(summary.trials, "trial"),
                    counted(std::ssize(summary.kernels), "kernel"), counted(std::ssize(summary.devices), "device"));
    content +=
        facts({{"Store", stores.store(i).file().string()}, {"Holds", holds}, {"Note", stores.store(i).notice()}});
  }
  return content;
}

Html pages_of(const Visit& visit, const db::HistoryFilter& filter, bool more) {
  Html links;
  const auto page_at = [&](std::size_t offset) {
    return with_parameter(visit.request, "offset", offset == 0 ? "" : std::to_string(offset));
  };
  if (filter.offset > 0)
    links += element("a", {{"rel", "prev"}, {"href", page_at(filter.offset - std::min(filter.offset, filter.limit))}},
                     "Previous");
  if (more) links += element("a", {{"rel", "next"}, {"href", page_at(filter.offset + filter.limit)}}, "Next");
  return links.empty() ? Html() : element("nav", {{"class", "pages"}, {"aria-label", "Further sessions"}}, links);
}

Html choice_of(const std::string& reference) {
  return element("label", element("input", {{"type", "checkbox"}, {"name", "sessions"}, {"value", reference}}, {}) +
                              element("span", {{"class", "unseen"}}, "Compare session " + reference));
}

// Lists the winners that got worse, or says that none did.
Html warnings(const Visit& visit) {
  Drifts drifts = find_drifts(visit.stores, {}), worse;
  for (std::size_t i = 0; i < drifts.rows.size(); ++i) {
    if (!is_worse(drifts.rows[i].checks.back(), drifts.rows[i].winner)) continue;
    worse.rows.push_back(drifts.rows[i]);
    worse.references.push_back(drifts.references[i]);
  }
  if (!worse.rows.empty()) return heading("Winners that do not hold") + drift_section(worse, "By their latest check");
  return paragraph(drifts.rows.empty()
                       ? Html("No winner has been measured again yet: ") + element("code", "warptune check") + " does."
                       : Html("All " + counted(std::ssize(drifts.rows), "checked winner") + " held at the latest ") +
                             link("/checks", "check") + ".");
}

}  // namespace

Html session_table(const SessionList& list, const std::string& caption) {
  Table table = history_table(list.rows);
  table.only_for_programs({"correct", "strategy"}).heading("speed_up", "SPEED-UP");
  const auto linked = [&](std::size_t row, const std::string& column) {
    return column == "session" ? "/session/" + list.references[row] : std::string();
  };
  if (list.rows.size() < 2) return html_table(table, caption, linked);
  const ExtraColumn chosen{"", [&](std::size_t row) { return choice_of(list.references[row]); }, true};
  return element(
      "form", {{"action", "/report"}, {"class", "compare"}},
      html_table(table, caption, linked, chosen) +
          paragraph(element("button", {{"type", "submit"}, {"class", "second"}}, "Compare the chosen in a report")));
}

std::string overview_page(const Visit& visit) {
  db::HistoryFilter latest;
  latest.limit = 10;
  latest.sort = db::HistorySort::updated;
  const SessionList list = list_sessions(visit.stores, latest);
  const Html sessions =
      list.rows.empty() ? paragraph(Html("Nothing has been tuned yet: ") + element("code", "warptune tune") + " does.")
                        : session_table(list, "The ten sessions with the latest trials") +
                              paragraph(link("/sessions", "All sessions"));
  return page(visit.frame("Overview", "Overview"),
              store_facts(visit.stores) + warnings(visit) + heading("Latest sessions") + sessions);
}

std::string sessions_page(const Visit& visit) {
  const db::HistoryFilter filter = filter_of(visit.request);
  const SessionList list = list_sessions(visit.stores, filter);
  const std::string caption =
      list.rows.empty() ? "" : fmt::format("Sessions {} to {}", filter.offset + 1, filter.offset + list.rows.size());
  const Html found = list.rows.empty() ? element("p", {{"role", "status"}}, "No session matches.")
                                       : session_table(list, caption) + pages_of(visit, filter, list.more);
  return page(
      visit.frame("Sessions", "Sessions"),
      filter_form(visit, "/sessions", {"q", "kernel", "device", "since", "until", "outcome", "state", "sort"}) + found);
}

}  // namespace warptune::tuner::serve
