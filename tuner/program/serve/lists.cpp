// Makes the pages that list sessions (what happened lately, and all of them by filter), winners by size and device, and
// what became of winners since.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "db/objective_value.h"
#include "db/settled.h"
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

namespace {

using Best = db::Located<db::BestRecord>;
// A matrix has named rows, each with the winners by column.
using Matrix = std::vector<std::pair<std::string, std::map<std::string, const Best*>>>;

std::string device_text(const db::DeviceRecord& device) {
  return device.backend == "cuda" ? device.name : fmt::format("{} ({})", device.name, device.backend);
}

std::vector<std::string> devices_of(const std::vector<const Best*>& winners) {
  std::vector<std::string> devices;
  for (const Best* best : winners) devices.push_back(device_text(best->record.session.key.device));
  std::ranges::sort(devices);
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  return devices;
}

// Returns the rows of a kernel's table. Sizes are ordered by their values, not as texts: 512 before 4096. Each
// objective but the time has a row of its own, and each recorded call.
Matrix matrix_of(std::vector<const Best*> winners) {
  std::ranges::stable_sort(winners, {}, [](const Best* best) {
    const db::SessionRecord& session = best->record.session;
    return std::tuple(session.key.problem(), session.objective, session.key.capture);
  });
  Matrix matrix;
  for (const Best* best : winners) {
    const db::SessionKey& key = best->record.session.key;
    const std::string& objective = best->record.session.objective;
    const std::string size = search::to_text(key.problem()) + (objective == "time" ? "" : " by " + objective) +
                             (key.capture.empty() ? "" : " on " + capture_text(best->record.session));
    if (matrix.empty() || matrix.back().first != size) matrix.push_back({size, {}});
    matrix.back().second.emplace(device_text(key.device), best);
  }
  return matrix;
}

Html winner_cell(const Best& best) {
  const db::Winner& winner = best.record.winner;
  const db::SessionRecord& session = best.record.session;
  const std::string time = winner.time_ms ? duration_text(*winner.time_ms)
                                          : fmt::format("{:.4g} {}", db::objective_value(winner.objective, session),
                                                        db::first_objective(session.objective));
  Html cell = link("/session/" + reference_of(best.store, best.record.session.id), time);
  if (const std::string gain = speed_up_cell(winner).for_people(); gain != "-")
    cell += element("span", {{"class", "quiet"}}, " " + gain);
  return cell;
}

Html kernel_section(const std::string& kernel, const std::vector<const Best*>& winners) {
  const std::vector<std::string> devices = devices_of(winners);
  Html head = element("th", {{"scope", "col"}}, "Size"), rows;
  for (const std::string& device : devices) head += element("th", {{"scope", "col"}}, device);
  for (const auto& [size, by_device] : matrix_of(winners)) {
    Html cells = element("th", {{"scope", "row"}}, size.empty() ? "-" : size);
    for (const std::string& device : devices) {
      const auto found = by_device.find(device);
      cells += element("td", found == by_device.end() ? Html("–") : winner_cell(*found->second));
    }
    rows += element("tr", cells);
  }
  return heading(kernel) + scrolling("Winners of " + kernel,
                                     element("table", {{"class", "matrix"}},
                                             element("caption", "Time, and how many times as fast as the default") +
                                                 element("thead", element("tr", head)) + element("tbody", rows)));
}

// Draws the drift of each check, oldest first, about the line of no drift. The figures are in the table and on the
// session's page; this shows the course.
Html course(const DriftRow& row) {
  constexpr double width = 120, height = 28, middle = height / 2, edge = 3, most = 0.25;
  std::string points;
  double x = edge, y = middle;
  const double step = row.checks.size() < 2 ? 0 : (width - 2 * edge) / static_cast<double>(row.checks.size() - 1);
  for (std::size_t i = 0; i < row.checks.size(); ++i) {
    const double drift = std::clamp(drift_of(row.checks[i]).value_or(most), -most, most);
    x = row.checks.size() < 2 ? width / 2 : edge + step * static_cast<double>(i);
    y = middle - drift / most * (middle - edge);
    points += fmt::format("{:.1f},{:.1f} ", x, y);
  }
  const std::string label = fmt::format("Drift over {} checks, up is slower, the edges are 25 %", row.checks.size());
  return element(
      "svg",
      {{"viewBox", fmt::format("0 0 {} {}", width, height)},
       {"class", "course"},
       {"role", "img"},
       {"aria-label", label}},
      element("line",
              {{"x1", "0"},
               {"x2", fmt::format("{}", width)},
               {"y1", fmt::format("{}", middle)},
               {"y2", fmt::format("{}", middle)}},
              {}) +
          element("polyline", {{"points", points}}, {}) +
          element("circle", {{"cx", fmt::format("{:.1f}", x)}, {"cy", fmt::format("{:.1f}", y)}, {"r", "2.5"}}, {}));
}

double badness(const DriftRow& row) {
  const db::TrialCheck& latest = row.checks.back();
  return drift_of(latest).value_or(1e9);
}

}  // namespace

std::string winners_page(const Visit& visit) {
  db::HistoryFilter filter = filter_of(visit.request);
  filter.limit = filter.offset = 0;
  filter.each_question = true;
  const std::vector<Best> winners = visit.stores.best(filter);
  std::map<std::string, std::vector<const Best*>> by_kernel;
  for (const Best& best : winners) by_kernel[best.record.session.key.kernel].push_back(&best);
  Html sections;
  for (const auto& [kernel, of_kernel] : by_kernel) sections += kernel_section(kernel, of_kernel);
  if (sections.empty()) sections = element("p", {{"role", "status"}}, "No winner matches.");
  return page(visit.frame("Winners", "Winners"),
              filter_form(visit, "/winners", {"q", "kernel", "device", "since", "until"}) + sections);
}

Drifts find_drifts(const db::StoreSet& stores, db::HistoryFilter filter) {
  filter.checked = true;
  filter.limit = filter.offset = 0;
  std::vector<std::map<db::SessionId, std::vector<db::TrialCheck>>> checks;
  for (std::size_t i = 0; i < stores.size(); ++i) checks.push_back(stores.store(i).checks_by_session());
  std::vector<std::pair<DriftRow, std::string>> found;
  for (auto& [session, store] : stores.history(filter)) {
    const auto winner = stores.store(store).winner(session.id);
    const std::string reference = reference_of(store, session.id);
    auto its = winners_checks(checks[store][session.id], winner);
    // Somebody may have removed them between the two queries.
    if (!its.empty()) found.push_back({{std::move(session), winner, std::move(its), origin(stores, store)}, reference});
  }
  std::ranges::stable_sort(found, std::greater(), [](const auto& one) { return badness(one.first); });
  Drifts drifts;
  for (auto& [row, reference] : found) {
    drifts.rows.push_back(std::move(row));
    drifts.references.push_back(std::move(reference));
  }
  return drifts;
}

Html drift_section(const Drifts& drifts, const std::string& caption) {
  const auto linked = [&](std::size_t row, const std::string& column) {
    return column == "session" ? "/session/" + drifts.references[row] + "#checks" : std::string();
  };
  return html_table(drift_table(drifts.rows), caption, linked,
                    {"Course", [&](std::size_t row) { return course(drifts.rows[row]); }});
}

std::string checks_page(const Visit& visit) {
  const Drifts drifts = find_drifts(visit.stores, filter_of(visit.request));
  const Html found = drifts.rows.empty()
                         ? element("p", {{"role", "status"}},
                                   Html("No session that matches has been measured again; ") +
                                       element("code", "warptune check") + " does.")
                         : drift_section(drifts, "Winners that were measured again, the worst drift first");
  return page(visit.frame("Checks", "Checks"),
              filter_form(visit, "/checks", {"q", "kernel", "device", "since", "until"}) + found);
}

}  // namespace warptune::tuner::serve
