// Builds the list's columns, and groups sessions by fields of their records.
#include "tuner/results/report/history_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>

#include "db/objective_value.h"
#include "db/settled.h"
#include "tuner/results/report/text/figures.h"

namespace warptune::tuner {

namespace {

using Field = std::string (*)(const db::SessionRecord&);

const std::vector<std::pair<std::string, Field>>& fields() {
  using Session = db::SessionRecord;
  static const std::vector<std::pair<std::string, Field>> all = {
      {"kernel", [](const Session& session) { return session.key.kernel; }},
      {"device", [](const Session& session) { return session.key.device.name; }},
      {"driver", [](const Session& session) { return session.key.device.driver; }},
      {"size", [](const Session& session) { return search::to_text(session.key.problem()); }},
      {"state", [](const Session& session) { return std::string(to_string(session.state)); }},
      {"strategy", [](const Session& session) { return session.strategy; }},
      {"name", [](const Session& session) { return session.name; }},
      {"kind", [](const Session& session) { return std::string(to_string(db::kind_of(session))); }},
      {"month", [](const Session& session) { return moment_text(session.started_at).substr(0, 7); }},
      {"day", [](const Session& session) { return moment_text(session.started_at).substr(0, 10); }},
  };
  return all;
}

Field field(const std::string& name) {
  for (const auto& [known, read] : fields())
    if (known == name) return read;
  throw std::invalid_argument(
      fmt::format("cannot group by '{}'; expected one of {}", name, fmt::join(history_groups(), ", ")));
}

struct Group {
  std::vector<std::string> values;
  std::int64_t sessions = 0, trials = 0, correct = 0;
  std::optional<double> best_speed_up;
  std::string first, last;

  void add(const HistoryRow& row) {
    ++sessions;
    trials += row.session.trials;
    correct += row.session.correct_trials;
    const bool is_told = row.winner && db::separable_from_default(*row.winner);
    const auto gain = is_told ? db::speed_up(*row.winner) : std::nullopt;
    if (gain && (!best_speed_up || *gain > *best_speed_up)) best_speed_up = gain;
    if (first.empty() || row.session.started_at < first) first = row.session.started_at;
    last = std::max(last, row.session.started_at);
  }
};

Cell ratio_cell(const std::optional<double>& ratio) {
  return ratio ? Cell(ratio_text(*ratio), *ratio) : Cell();
}

constexpr std::size_t to_the_minute = 16;  // of "2026-11-22 14:05+01:00"

// Returns the zone of a row's start as people read it: "+01:00".
std::string zone_of(const HistoryRow& row) {
  const std::string shown = moment_text(row.session.started_at);
  return shown.size() < to_the_minute ? std::string() : shown.substr(to_the_minute);
}

// Returns the zone of all rows, which the heading then says once; it is empty where clocks were changed between them.
std::string common_zone(const std::vector<HistoryRow>& rows) {
  const std::string first = rows.empty() ? std::string() : zone_of(rows.front());
  const bool common = std::ranges::all_of(rows, [&](const HistoryRow& row) { return zone_of(row) == first; });
  return common ? first : std::string();
}

}  // namespace

HistoryRow history_row(db::SessionRecord session, const db::Store& store, std::string origin) {
  const auto winner = store.winner(session.id);
  HistoryRow row{std::move(session), winner, {}, std::move(origin)};
  if (row.winner) row.value = db::objective_value(row.winner->objective, row.session);
  return row;
}

Table history_table(const std::vector<HistoryRow>& rows, Columns wanted) {
  const auto any = [&](auto says_something) {
    return wanted == Columns::all || std::ranges::any_of(rows, says_something);
  };
  const bool stores = std::ranges::any_of(rows, [](const HistoryRow& row) { return !row.store.empty(); });
  const bool names = any([](const HistoryRow& row) { return !row.session.name.empty(); });
  const bool notes = any([](const HistoryRow& row) { return !row.session.note.empty(); });
  const bool captures = any([](const HistoryRow& row) { return !row.session.key.capture.empty(); });
  const bool kinds = any([](const HistoryRow& row) { return kind_of(row.session) != db::SessionKind::measured; });
  std::vector<std::string> columns{"session", "kernel", "device",    "problem_size", "state",    "trials",    "correct",
                                   "time_ms", "best",   "objective", "speed_up",     "strategy", "started_at"};
  if (names) columns.push_back("name");
  if (kinds) columns.push_back("kind");
  if (captures) columns.push_back("capture");
  if (notes) columns.push_back("note");
  if (stores) columns.push_back("store");
  Table table(columns);
  const std::string zone = common_zone(rows);
  const std::string started = zone.empty() ? "STARTED" : fmt::format("STARTED ({})", zone == "Z" ? "UTC" : zone);
  table.heading("problem_size", "SIZE").heading("time_ms", "TIME").heading("started_at", started);
  if (std::ranges::all_of(rows, [](const HistoryRow& row) { return row.session.objective == "time"; }))
    table.only_for_programs({"best", "objective"});
  table.less_important({"strategy", "correct", "objective", "state", "device", "started_at", "trials"});
  const auto text = [](const std::string& one) { return one.empty() ? Cell() : Cell(one); };
  for (const auto& [session, winner, value, store] : rows) {
    std::vector<Cell> cells{session.id,
                            session.key.kernel,
                            session.key.device.name,
                            session.key.problem(),
                            state_cell(session),
                            session.trials,
                            session.correct_trials,
                            time_cell(winner ? winner->time_ms : std::nullopt),
                            objective_cell(session.objective, value),
                            session.objective,
                            winner ? speed_up_cell(*winner) : Cell(),
                            session.strategy,
                            zone.empty()
                                ? moment_cell(session.started_at)
                                : Cell(moment_text(session.started_at).substr(0, to_the_minute), session.started_at)};
    if (names) cells.push_back(text(session.name));
    if (kinds) cells.emplace_back(std::string(to_string(kind_of(session))));
    if (captures) cells.push_back(capture_cell(session));
    if (notes) cells.push_back(text(session.note));
    if (stores) cells.emplace_back(store);
    table.add(std::move(cells));
  }
  return table;
}

const std::vector<std::string>& history_groups() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, read] : fields()) all.push_back(name);
    return all;
  }();
  return names;
}

Table grouped_history(const std::vector<HistoryRow>& rows, const std::vector<std::string>& group_by) {
  std::vector<Field> read;
  for (const std::string& name : group_by) read.push_back(field(name));
  std::vector<Group> groups;
  std::map<std::vector<std::string>, std::size_t> known;
  for (const HistoryRow& row : rows) {
    std::vector<std::string> values;
    for (const Field& one : read) values.push_back(one(row.session));
    const auto [found, added] = known.emplace(values, groups.size());
    if (added) groups.push_back({values});
    groups[found->second].add(row);
  }
  std::vector<std::string> columns = group_by;
  columns.insert(columns.end(), {"sessions", "trials", "correct", "best_speed_up", "first", "last"});
  Table table(columns);
  for (const Group& group : groups) {
    std::vector<Cell> cells(group.values.begin(), group.values.end());
    cells.insert(cells.end(), {group.sessions, group.trials, group.correct, ratio_cell(group.best_speed_up),
                               moment_cell(group.first), moment_cell(group.last)});
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace warptune::tuner
