#include "db/trials.h"

#include "db/json.h"

namespace warptune::db {

namespace {

const std::string trial_columns =
    "session_id, configuration, outcome, objectives, median_ms, relative_error, cut_short, samples_ms, metrics,"
    " compile_ms, verify_ms, measure_ms, framework_ms, registers_per_thread, local_bytes_per_thread,"
    " static_shared_bytes, dynamic_shared_bytes, threads_per_block, occupancy, message, recorded_at, joules, clock_mhz,"
    " power_w, temperature_c, discarded_samples";

const std::string select_trials = "SELECT id, " + trial_columns + " FROM trials";

std::string upsert_sql() {
  return "INSERT INTO trials (" + trial_columns +
         ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
         " ?, ?, ?)"
         " ON CONFLICT (session_id, configuration) DO UPDATE SET outcome = excluded.outcome,"
         " objectives = excluded.objectives, median_ms = excluded.median_ms, relative_error = excluded.relative_error,"
         " cut_short = excluded.cut_short, samples_ms = excluded.samples_ms, metrics = excluded.metrics,"
         " compile_ms = excluded.compile_ms, verify_ms = excluded.verify_ms, measure_ms = excluded.measure_ms,"
         " framework_ms = excluded.framework_ms, registers_per_thread = excluded.registers_per_thread,"
         " local_bytes_per_thread = excluded.local_bytes_per_thread,"
         " static_shared_bytes = excluded.static_shared_bytes, dynamic_shared_bytes = excluded.dynamic_shared_bytes,"
         " threads_per_block = excluded.threads_per_block, occupancy = excluded.occupancy, message = excluded.message,"
         " recorded_at = excluded.recorded_at, joules = excluded.joules, clock_mhz = excluded.clock_mhz,"
         " power_w = excluded.power_w, temperature_c = excluded.temperature_c,"
         " discarded_samples = excluded.discarded_samples, store_id = 1";
}

void bind_measurement(Query& query, const std::optional<Measurement>& measurement) {
  if (!measurement) {
    query.bind_null().bind_null().bind_null().bind_null();
    return;
  }
  query.bind(measurement->median_ms).bind(measurement->relative_error).bind(std::int64_t{measurement->cut_short});
  query.bind_doubles(measurement->samples_ms);
}

void bind_conditions(Query& query, const std::optional<Measurement>& measurement) {
  const Measurement measured = measurement.value_or(Measurement{});
  query.bind(measured.joules).bind(measured.state.clock_mhz).bind(measured.state.power_w);
  query.bind(measured.state.temperature_c).bind(measured.discarded_samples);
}

void bind_resources(Query& query, const std::optional<ResourceUse>& use) {
  if (!use) {
    for (int column = 0; column < 6; ++column) query.bind_null();
    return;
  }
  query.bind(use->registers_per_thread).bind(use->local_bytes_per_thread).bind(use->static_shared_bytes);
  query.bind(use->dynamic_shared_bytes).bind(use->threads_per_block).bind(use->occupancy);
}

// `cut_short` tells whether there is a measurement: the doubles beside it are NULL for NaN too.
std::optional<Measurement> read_measurement(Query& row) {
  const double median_ms = row.real();
  const double relative_error = row.real();
  const auto cut_short = row.optional_integer();
  std::vector<double> samples_ms = row.doubles();
  if (!cut_short) return std::nullopt;
  return Measurement{std::move(samples_ms), median_ms, relative_error, *cut_short != 0};
}

void read_conditions(Query& row, std::optional<Measurement>& measurement) {
  const auto joules = row.optional_real();
  const DeviceState state{row.optional_real(), row.optional_real(), row.optional_real()};
  const std::int64_t discarded = row.integer();
  if (!measurement) return;
  measurement->joules = joules;
  measurement->state = state;
  measurement->discarded_samples = discarded;
}

std::optional<ResourceUse> read_resources(Query& row) {
  const auto registers = row.optional_integer();
  const ResourceUse use{registers.value_or(0), row.integer(), row.integer(), row.integer(), row.integer(), row.real()};
  if (!registers) return std::nullopt;
  return use;
}

StoredTrial read_trial(Query& row) {
  StoredTrial stored;
  Trial& trial = stored.trial;
  stored.id = row.integer();
  stored.session = row.integer();
  stored.values = values_from_json(row.text());
  trial.outcome = outcome_from_string(row.text()).value_or(Outcome::crash);
  trial.objectives = numbers_from_json(row.text());
  trial.measurement = read_measurement(row);
  trial.metrics = number_map_from_json(row.text());
  trial.phases = {row.real(), row.real(), row.real(), row.real()};
  trial.resources = read_resources(row);
  trial.message = row.text();
  stored.recorded_at = row.text();
  read_conditions(row, trial.measurement);
  return stored;
}

std::vector<StoredTrial> read_all(Query& query) {
  std::vector<StoredTrial> trials;
  while (query.step()) trials.push_back(read_trial(query));
  return trials;
}

// Asked for afterwards: RETURNING would build a temporary table for every row, which costs more than this look-up.
TrialId trial_id(Connection& connection, SessionId session, const std::string& configuration) {
  Query select = connection.query("SELECT id FROM trials WHERE session_id = ? AND configuration = ?");
  select.bind(session).bind(configuration).step();
  return select.integer();
}

}  // namespace

TrialId save_trial(Connection& connection, SessionId session, const NamedValues& values, const Trial& trial,
                   const std::string& recorded_at) {
  static const std::string sql = upsert_sql();
  const std::string configuration = to_json(values);
  Query upsert = connection.query(sql);
  upsert.bind(session).bind(configuration).bind(std::string(to_string(trial.outcome)));
  upsert.bind(to_json(trial.objectives));
  bind_measurement(upsert, trial.measurement);
  upsert.bind(to_json(trial.metrics));
  upsert.bind(trial.phases.compile_ms).bind(trial.phases.verify_ms);
  upsert.bind(trial.phases.measure_ms).bind(trial.phases.framework_ms);
  bind_resources(upsert, trial.resources);
  upsert.bind(trial.message).bind(recorded_at);
  bind_conditions(upsert, trial.measurement);
  upsert.run();
  return trial_id(connection, session, configuration);
}

std::vector<StoredTrial> load_trials(Connection& connection, SessionId session) {
  Query select = connection.query(select_trials + " WHERE session_id = ? ORDER BY id");
  select.bind(session);
  return read_all(select);
}

std::vector<StoredTrial> load_best_trials(Connection& connection, SessionId session, std::size_t limit) {
  Query select = connection.query(select_trials +
                                  " WHERE session_id = ? AND outcome = 'correct' AND objective IS NOT NULL"
                                  " ORDER BY objective LIMIT ?");
  select.bind(session).bind(static_cast<std::int64_t>(limit));
  return read_all(select);
}

std::optional<StoredTrial> load_trial(Connection& connection, TrialId id) {
  Query select = connection.query(select_trials + " WHERE id = ?");
  select.bind(id);
  if (!select.step()) return std::nullopt;
  return read_trial(select);
}

}  // namespace warptune::db
