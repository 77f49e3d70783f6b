// Writes the SQL of filtered lists: the conditions of a HistoryFilter, and the order.
#include "db/tables/history.h"

#include <limits>

#include "db/tables/json.h"
#include "db/tables/sessions.h"
#include "db/tables/trials.h"
#include "db/tables/winners.h"

namespace warptune::db {

namespace {

// Collects WHERE conditions with the values that they bind. Only conditions in use are written, so that SQLite's
// planner sees which index serves; the text holds no values, so that there are few texts to prepare.
class Conditions {
 public:
  void add(const std::string& condition, std::vector<search::Value> values) {
    sql_ += (sql_.empty() ? " WHERE " : " AND ") + condition;
    values_.insert(values_.end(), values.begin(), values.end());
  }
  void add_if_set(const std::string& condition, const std::string& value) {
    if (!value.empty()) add(condition, {value});
  }
  const std::string& sql() const { return sql_; }
  void bind(Query& query) const {
    for (const search::Value& value : values_) query.bind(value);
  }

 private:
  std::string sql_;
  std::vector<search::Value> values_;
};

// Adds the condition on a device's name or UUID. A whole name means this device alone, even if it is the beginning of
// another one's ("NVIDIA H200", "NVIDIA H200 NVL").
void add_device(const HistoryFilter& filter, Conditions& conditions) {
  const std::string same = "lower(d.name) = lower(CAST(? AS TEXT))";
  const std::string part =
      "NOT EXISTS (SELECT 1 FROM devices other WHERE lower(other.name) = lower(CAST(? AS TEXT)))"
      " AND instr(lower(d.name), lower(CAST(? AS TEXT))) > 0";
  const std::string uuid = "EXISTS (SELECT 1 FROM session_devices WHERE session_id = s.id AND uuid = ?)";
  const search::Value given = filter.device;
  if (filter.whole_device_name)
    conditions.add("(" + same + " OR " + uuid + ")", {given, given});
  else
    conditions.add("(" + same + " OR " + part + " OR " + uuid + ")", {given, given, given, given});
}

// Returns the conditions of a filter over the tables s, k and d of `select_sessions`.
Conditions conditions_of(const HistoryFilter& filter) {
  Conditions conditions;
  conditions.add_if_set("k.name = ?", filter.kernel);
  conditions.add_if_set("d.backend = ?", filter.backend);
  if (!filter.device.empty()) add_device(filter, conditions);
  conditions.add_if_set("d.driver = ?", filter.driver);
  if (filter.state) conditions.add("s.state = ?", {std::string(to_string(*filter.state))});
  conditions.add_if_set("s.name = ?", filter.name);
  conditions.add_if_set("s.started_at >= ?", filter.since);
  // '~' sorts after everything a time is written with, which makes a prefix include all that begins with it.
  conditions.add_if_set("s.started_at <= CAST(? AS TEXT) || '~'", filter.until);
  for (const auto& [name, value] : filter.problem_size)
    conditions.add("EXISTS (SELECT 1 FROM json_each(s.problem_size) WHERE key = ? AND value = json_extract(?, '$'))",
                   {name, json_value(value)});
  // Variants are compared as text, since json_each gives booleans as numbers, and a user's words are text.
  for (const auto& [name, value] : filter.variants)
    conditions.add(
        "EXISTS (SELECT 1 FROM json_each(s.problem_size)"
        " WHERE key = ? AND CASE WHEN type IN ('true', 'false') THEN type ELSE CAST(atom AS TEXT) END = ?)",
        {name, search::to_text(value)});
  // Both sides are compared in lower case with instr(), since LIKE would take a user's % and _ for patterns.
  if (!filter.text.empty())
    conditions.add(
        "instr(lower(s.name || '\n' || s.note || '\n' || k.name || '\n' || d.name), lower(CAST(? AS TEXT))) > 0",
        {filter.text});
  for (const std::string& manifest : filter.other_manifests) conditions.add("s.manifest <> ?", {manifest});
  if (filter.checked)
    conditions.add("s.id IN (SELECT t.session_id FROM checks c JOIN trials t ON t.id = c.trial_id)", {});
  if (filter.outcome)
    conditions.add("EXISTS (SELECT 1 FROM outcome_counts WHERE session_id = s.id AND outcome = ? AND trials > 0)",
                   {std::string(search::to_string(*filter.outcome))});
  return conditions;
}

std::string order_of(HistorySort sort) {
  const std::string newest = "s.started_at DESC, s.id DESC";
  switch (sort) {
    case HistorySort::oldest:
      return "s.started_at, s.id";
    case HistorySort::updated:
      return "s.updated_at DESC, " + newest;
    case HistorySort::kernel:
      return "k.name, " + newest;
    case HistorySort::device:
      return "d.name, d.architecture, d.memory_gib, d.multiprocessors, " + newest;
    case HistorySort::driver:
      return "d.driver, " + newest;
    case HistorySort::size:
      return "s.problem_size, " + newest;
    case HistorySort::state:
      return "s.state, " + newest;
    case HistorySort::trials:
      return "trial_count DESC, " + newest;
    case HistorySort::newest:
      break;
  }
  return newest;
}

void bind_page(Query& query, const HistoryFilter& filter) {
  query.bind(filter.limit == 0 ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(filter.limit));
  query.bind(static_cast<std::int64_t>(filter.offset));
}

std::vector<std::string> text_column(Connection& connection, const std::string& sql) {
  Query select = connection.query(sql);
  std::vector<std::string> found;
  while (select.step()) found.push_back(select.text());
  return found;
}

}  // namespace

std::vector<SessionRecord> list_sessions(Connection& connection, const HistoryFilter& filter) {
  const Conditions conditions = conditions_of(filter);
  Query select =
      connection.query(select_sessions + conditions.sql() + " ORDER BY " + order_of(filter.sort) + " LIMIT ? OFFSET ?");
  conditions.bind(select);
  bind_page(select, filter);
  std::vector<SessionRecord> sessions;
  while (select.step()) sessions.push_back(read_session(select));
  return sessions;
}

std::vector<BestRecord> list_best(Connection& connection, const HistoryFilter& filter) {
  const Conditions conditions = conditions_of(filter);
  Query select = connection.query(
      "SELECT id FROM (SELECT s.id, k.name AS kernel, row_number() OVER (PARTITION BY k.name, d.backend, d.name,"
      " d.architecture, d.memory_gib, d.multiprocessors, s.problem_size" +
      std::string(filter.each_question ? ", s.objective, s.capture" : "") +
      " ORDER BY w.decided_at DESC, s.started_at DESC, s.id DESC) AS age FROM sessions s"
      " JOIN kernels k ON k.id = s.kernel_id JOIN devices d ON d.id = s.device_id JOIN winners w ON w.session_id = "
      "s.id" +
      conditions.sql() + ") AS aged WHERE age = 1 ORDER BY kernel, id DESC LIMIT ? OFFSET ?");
  conditions.bind(select);
  bind_page(select, filter);
  std::vector<BestRecord> best;
  while (select.step()) {
    const SessionId id = select.integer();
    const Winner winner = load_winner(connection, id).value();
    best.push_back({load_session(connection, id).value(), winner, load_trial(connection, winner.trial).value()});
    if (winner.default_trial) best.back().default_trial = load_trial(connection, *winner.default_trial);
  }
  return best;
}

// Compares sessions whose keys are equal but for the restrictions. Equal kernels and equal devices have equal ids.
std::optional<SessionId> find_faster(Connection& connection, SessionId session) {
  Query select = connection.query(
      "SELECT o.id FROM sessions s JOIN winners own ON own.session_id = s.id"
      " JOIN sessions o ON o.kernel_id = s.kernel_id AND o.device_id = s.device_id AND o.problem_size = s.problem_size"
      " AND o.compiler = s.compiler AND o.options = s.options AND o.policy = s.policy AND o.capture = s.capture"
      " AND o.objective = s.objective JOIN winners w ON w.session_id = o.id "
      "WHERE s.id = ? AND s.objective = 'time' AND w.time_ms < own.time_ms ORDER BY w.time_ms LIMIT 1");
  select.bind(session);
  if (!select.step()) return std::nullopt;
  return select.integer();
}

StoreSummary load_summary(Connection& connection) {
  StoreSummary summary;
  summary.kernels = text_column(connection, "SELECT DISTINCT name FROM kernels ORDER BY name");
  summary.devices = text_column(connection, "SELECT DISTINCT name FROM devices ORDER BY name");
  Query counts = connection.query(
      "SELECT (SELECT count(*) FROM sessions), (SELECT coalesce(sum(trials), 0) FROM outcome_counts),"
      " (SELECT count(*) FROM winners)");
  counts.step();
  summary.sessions = counts.integer();
  summary.trials = counts.integer();
  summary.winners = counts.integer();
  return summary;
}

}  // namespace warptune::db
