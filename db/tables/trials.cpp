// Binds and reads the columns of trials. A trial of a configuration that is there already is replaced in its row.
#include "db/tables/trials.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "db/tables/json.h"
#include "search/plain_text.h"

namespace warptune::db {

namespace {

// These columns are recorded for a configuration of a session, in the order of `bind_trial` and `read_trial`.
constexpr std::array recorded_columns = {"outcome",
                                         "objectives",
                                         "median_ms",
                                         "relative_error",
                                         "cut_short",
                                         "samples_ms",
                                         "metrics",
                                         "compile_ms",
                                         "verify_ms",
                                         "measure_ms",
                                         "framework_ms",
                                         "registers_per_thread",
                                         "local_bytes_per_thread",
                                         "static_shared_bytes",
                                         "dynamic_shared_bytes",
                                         "threads_per_block",
                                         "occupancy",
                                         "message",
                                         "recorded_at",
                                         "device_uuid",
                                         "joules",
                                         "clock_mhz",
                                         "power_w",
                                         "temperature_c",
                                         "discarded_samples",
                                         "launches",
                                         "flops",
                                         "bytes",
                                         "arithmetic",
                                         "counters",
                                         "data_hash",
                                         "output_hash"};

const std::string trial_columns = "session_id, configuration, " + recorded_trial_columns();
const std::string select_trials = "SELECT id, " + trial_columns + " FROM trials";

// Returns "?, ?, …", with one mark for each name of a list.
std::string parameters_for(const std::string& columns) {
  std::string marks = "?";
  for (const char c : columns)
    if (c == ',') marks += ", ?";
  return marks;
}

std::string upsert_sql() {
  return "INSERT INTO trials (" + trial_columns + ") VALUES (" + parameters_for(trial_columns) +
         ") ON CONFLICT (session_id, configuration) DO UPDATE SET " + trial_replacement() + ", store_id = 1";
}

void bind_measurement(Query& query, const std::optional<search::Measurement>& measurement) {
  if (!measurement) {
    query.bind_null().bind_null().bind_null().bind_null();
    return;
  }
  query.bind(measurement->median_ms).bind(measurement->relative_error).bind(std::int64_t{measurement->cut_short});
  query.bind_doubles(measurement->samples_ms);
}

void bind_conditions(Query& query, const std::optional<search::Measurement>& measurement) {
  const search::Measurement measured = measurement.value_or(search::Measurement{});
  query.bind(measured.joules).bind(measured.state.clock_mhz).bind(measured.state.power_w);
  query.bind(measured.state.temperature_c).bind(measured.discarded_samples);
}

void bind_resources(Query& query, const std::optional<search::ResourceUse>& use) {
  if (!use) {
    for (int column = 0; column < 6; ++column) query.bind_null();
    return;
  }
  query.bind(use->registers_per_thread).bind(use->local_bytes_per_thread).bind(use->static_shared_bytes);
  query.bind(use->dynamic_shared_bytes).bind(use->threads_per_block).bind(use->occupancy);
}

void bind_counters(Query& query, const std::optional<search::Counters>& counters) {
  if (counters)
    query.bind(to_json(*counters));
  else
    query.bind_null();
}

std::optional<search::Counters> read_counters(Query& row) {
  const bool none = row.is_null();
  const std::string text = row.text();
  if (none) return std::nullopt;
  return counters_from_json(text);
}

// Binds a trial's values in the order of `trial_columns`.
void bind_trial(Query& query, SessionId session, const std::string& configuration, const search::Trial& trial,
                const std::string& recorded_at) {
  query.bind(session).bind(configuration).bind(std::string(search::to_string(trial.outcome)));
  query.bind(to_json(trial.objectives));
  bind_measurement(query, trial.measurement);
  query.bind(to_json(trial.metrics));
  query.bind(trial.phases.compile_ms).bind(trial.phases.verify_ms);
  query.bind(trial.phases.measure_ms).bind(trial.phases.framework_ms);
  bind_resources(query, trial.resources);
  query.bind(search::valid_utf8(trial.message)).bind(recorded_at).bind(trial.device_uuid);
  bind_conditions(query, trial.measurement);
  query.bind(launches_to_json(trial.launches));
  query.bind(trial.work.flops).bind(trial.work.bytes).bind(trial.work.arithmetic);
  bind_counters(query, trial.counters);
  const search::OutputBits bits = trial.bits.value_or(search::OutputBits{});
  query.bind(bits.data).bind(bits.outputs);
}

// `cut_short` tells whether there is a measurement: the doubles beside it are NULL for NaN too.
std::optional<search::Measurement> read_measurement(Query& row) {
  const double median_ms = row.real();
  const double relative_error = row.real();
  const auto cut_short = row.optional_integer();
  std::vector<double> samples_ms = row.doubles();
  if (!cut_short) return std::nullopt;
  return search::Measurement{std::move(samples_ms), median_ms, relative_error, *cut_short != 0};
}

void read_conditions(Query& row, std::optional<search::Measurement>& measurement) {
  const auto joules = row.optional_real();
  const search::DeviceState state{row.optional_real(), row.optional_real(), row.optional_real()};
  const std::int64_t discarded = row.integer();
  if (!measurement) return;
  measurement->joules = joules;
  measurement->state = state;
  measurement->discarded_samples = discarded;
}

std::optional<search::ResourceUse> read_resources(Query& row) {
  const auto registers = row.optional_integer();
  const search::ResourceUse use{registers.value_or(0), row.integer(), row.integer(),
                                row.integer(),         row.integer(), row.real()};
  if (!registers) return std::nullopt;
  return use;
}

StoredTrial read_trial(Query& row) {
  StoredTrial stored;
  search::Trial& trial = stored.trial;
  stored.id = row.integer();
  stored.session = row.integer();
  stored.values = values_from_json(row.text());
  trial.outcome = search::outcome_from_string(row.text()).value_or(search::Outcome::crash);
  trial.objectives = numbers_from_json(row.text());
  trial.measurement = read_measurement(row);
  trial.metrics = number_map_from_json(row.text());
  trial.phases = {row.real(), row.real(), row.real(), row.real()};
  trial.resources = read_resources(row);
  trial.message = row.text();
  stored.recorded_at = row.text();
  trial.device_uuid = row.text();
  read_conditions(row, trial.measurement);
  trial.launches = launches_from_json(row.text());
  const auto flops = row.optional_real(), bytes = row.optional_real();
  trial.work = {flops, bytes, row.text()};
  trial.counters = read_counters(row);
  search::OutputBits bits{row.text(), row.text()};
  if (!bits.data.empty()) trial.bits = std::move(bits);
  return stored;
}

std::vector<StoredTrial> read_all(Query& query) {
  std::vector<StoredTrial> trials;
  while (query.step()) trials.push_back(read_trial(query));
  return trials;
}

TrialId trial_id(Connection& connection, SessionId session, const std::string& configuration) {
  Query select = connection.query("SELECT id FROM trials WHERE session_id = ? AND configuration = ?");
  select.bind(session).bind(configuration).step();
  return select.integer();
}

// Inserts or replaces a trial. Returns its id, and whether its configuration is new.
Changed upsert_trial(Connection& connection, SessionId session, const search::NamedValues& values,
                     const search::Trial& trial, const std::string& recorded_at) {
  static const std::string sql = upsert_sql();
  const std::string configuration = to_json(values);
  Query upsert = connection.upsert(sql);
  bind_trial(upsert, session, configuration, trial, recorded_at);
  Changed saved = upsert.upsert();
  if (saved.id == 0) saved.id = trial_id(connection, session, configuration);
  return saved;
}

void count_added(Connection& connection, SessionId session, const std::map<search::Outcome, std::int64_t>& added) {
  for (const auto& [outcome, trials] : added) {
    Query count = connection.query(
        "INSERT INTO outcome_counts VALUES (?, ?, ?) ON CONFLICT (session_id, outcome)"
        " DO UPDATE SET trials = outcome_counts.trials + excluded.trials");
    count.bind(session).bind(std::string(search::to_string(outcome))).bind(trials).run();
  }
}

void count_again(Connection& connection, SessionId session) {
  connection.query("DELETE FROM outcome_counts WHERE session_id = ?").bind(session).run();
  Query count = connection.query(
      "INSERT INTO outcome_counts SELECT session_id, outcome, count(*) FROM trials WHERE session_id = ?"
      " GROUP BY session_id, outcome");
  count.bind(session).run();
}

void note_devices(Connection& connection, SessionId session, const std::set<std::string>& uuids) {
  for (const std::string& uuid : uuids)
    connection.query("INSERT INTO session_devices VALUES (?, ?) ON CONFLICT DO NOTHING").bind(session).bind(uuid).run();
}

void touch_session(Connection& connection, SessionId session, const std::string& latest) {
  Query update = connection.query("UPDATE sessions SET updated_at = ? WHERE id = ? AND updated_at < ?");
  update.bind(latest).bind(session).bind(latest).run();
}

}  // namespace

std::string recorded_trial_columns(const std::string& prefix) {
  std::string text;
  for (const char* column : recorded_columns) text += (text.empty() ? "" : ", ") + prefix + column;
  return text;
}

std::string trial_replacement() {
  std::string text;
  for (const std::string column : recorded_columns)
    text += (text.empty() ? "" : ", ") + column + " = excluded." + column;
  return text;
}

TrialId save_trial(Connection& connection, SessionId session, const search::NamedValues& values,
                   const search::Trial& trial, const std::string& recorded_at) {
  return upsert_trial(connection, session, values, trial, recorded_at).id;
}

std::vector<TrialId> save_trials(Connection& connection, SessionId session, std::span<const StoredTrial> trials) {
  // The triggers that keep outcome_counts and the session's time of change take a quarter of the time of an insert; for
  // many rows at once the same is done in two statements.
  const KeptState resting(connection, EngineState::resting_triggers);
  const std::string now = connection.now();
  std::vector<TrialId> ids;
  std::map<search::Outcome, std::int64_t> added;
  std::string latest;
  std::set<std::string> devices;
  for (const StoredTrial& one : trials) {
    const std::string& recorded_at = one.recorded_at.empty() ? now : one.recorded_at;
    const Changed saved = upsert_trial(connection, session, one.values, one.trial, recorded_at);
    ids.push_back(saved.id);
    if (saved.added) ++added[one.trial.outcome];
    latest = std::max(latest, recorded_at);
    if (!one.trial.device_uuid.empty()) devices.insert(one.trial.device_uuid);
  }
  std::size_t counted = 0;
  for (const auto& [outcome, count] : added) counted += static_cast<std::size_t>(count);
  if (counted == trials.size())
    count_added(connection, session, added);
  else
    count_again(connection, session);  // the outcomes that were replaced are not known any more
  note_devices(connection, session, devices);
  touch_session(connection, session, latest);
  return ids;
}

void save_counters(Connection& connection, TrialId id, const search::Counters& counters,
                   const std::map<std::string, double>& metrics) {
  Query update = connection.query("UPDATE trials SET counters = ?, metrics = ? WHERE id = ?");
  update.bind(to_json(counters)).bind(to_json(metrics)).bind(id).run();
}

void insert_into_other(Connection& connection, TrialId id, SessionId session, const StoredTrial& stored,
                       std::int64_t store) {
  static const std::string columns = trial_columns + ", id, store_id";
  Query insert =
      connection.query("INSERT INTO other_trials (" + columns + ") VALUES (" + parameters_for(columns) + ")");
  bind_trial(insert, session, to_json(stored.values), stored.trial, stored.recorded_at);
  insert.bind(id).bind(store).run();
}

std::optional<StoredTrial> find_trial(Connection& connection, SessionId session, const search::NamedValues& values) {
  Query select = connection.query(select_trials + " WHERE session_id = ? AND configuration = ?");
  select.bind(session).bind(to_json(values));
  if (!select.step()) return std::nullopt;
  return read_trial(select);
}

std::vector<StoredTrial> load_trials(Connection& connection, SessionId session) {
  Query select = connection.query(select_trials + " WHERE session_id = ? ORDER BY id");
  select.bind(session);
  return read_all(select);
}

std::vector<StoredTrial> load_best_trials(Connection& connection, SessionId session, std::size_t limit) {
  // Finalists come before what the finals left out, since they measured faster than it in the search. This does not
  // hold for the default, which takes part however slow it is. What is infinite cannot win. Only the trials' numbers
  // are sorted, not their samples.
  Query select = connection.query(
      "SELECT t.id FROM trials t LEFT JOIN winners w ON w.session_id = t.session_id"
      " LEFT JOIN winner_ties e ON e.session_id = t.session_id AND e.trial_id = t.id"
      " LEFT JOIN winner_finalists f ON f.session_id = t.session_id AND f.trial_id = t.id"
      " AND (e.trial_id IS NOT NULL OR w.default_trial_id IS NULL OR t.id <> w.default_trial_id)"
      " WHERE t.session_id = ? AND t.outcome = 'correct' AND t.objective IS NOT NULL AND t.objective < 1.7e308"
      " ORDER BY CASE WHEN t.id = w.trial_id THEN 0 ELSE 1 END, f.position IS NULL, f.position, t.objective LIMIT ?");
  select.bind(session).bind(static_cast<std::int64_t>(limit));
  std::vector<StoredTrial> trials;
  while (select.step()) trials.push_back(load_trial(connection, select.integer()).value());
  return trials;
}

std::optional<StoredTrial> load_trial(Connection& connection, TrialId id) {
  Query select = connection.query(select_trials + " WHERE id = ?");
  select.bind(id);
  if (!select.step()) return std::nullopt;
  return read_trial(select);
}

}  // namespace warptune::db
