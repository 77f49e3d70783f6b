// Inserts, updates, reads and deletes the rows of sessions, devices and kernels.
#include "db/tables/sessions.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "db/tables/json.h"

namespace warptune::db {

namespace {

std::optional<std::int64_t> first_integer(Query& query) {
  if (!query.step()) return std::nullopt;
  return query.integer();
}

void bind_device(Query& query, const DeviceRecord& device) {
  query.bind(device.backend).bind(device.name).bind(device.architecture).bind(device.driver);
  query.bind(device.memory_gib).bind(device.multiprocessors);
}

// Binds the parts of a key that are columns of its session.
void bind_key(Query& query, const SessionKey& key) {
  query.bind(to_sorted_json(key.problem())).bind(key.compiler).bind(key.options).bind(key.policy);
  query.bind(key.capture).bind(to_json(key.restrictions));
}

// Returns the id of a device, which is inserted unless it is there. Limits are no part of the key, so a second session
// on the device brings its newer ones.
std::int64_t device_id(Connection& connection, const DeviceRecord& device) {
  Query query = connection.query(
      "INSERT INTO devices (backend, name, architecture, driver, memory_gib, multiprocessors, limits)"
      " VALUES (?, ?, ?, ?, ?, ?, ?)"
      " ON CONFLICT (backend, name, architecture, driver, memory_gib, multiprocessors)"
      " DO UPDATE SET limits = excluded.limits RETURNING id");
  bind_device(query, device);
  query.bind(to_json(device.limits));
  return first_integer(query).value();
}

std::int64_t kernel_id(Connection& connection, const SessionKey& key) {
  Query insert = connection.query(
      "INSERT INTO kernels (name, source_hash, manifest_hash) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
  insert.bind(key.kernel).bind(key.source_hash).bind(key.manifest_hash).run();
  Query select = connection.query("SELECT id FROM kernels WHERE name = ? AND source_hash = ? AND manifest_hash = ?");
  select.bind(key.kernel).bind(key.source_hash).bind(key.manifest_hash);
  return first_integer(select).value();
}

void insert_row(Connection& connection, const SessionRecord& session) {
  const SessionKey& key = session.key;
  const std::string now = connection.now();
  Query insert = connection.query(
      "INSERT INTO sessions (device_id, kernel_id, problem_size, compiler, options, policy, capture, restrictions,"
      " strategy, seed, objective, space_size, state, tool_version, started_at, updated_at, origin, manifest,"
      " capture_file, problem_names, name, note, labelled_at, maximised)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
  insert.bind(device_id(connection, key.device)).bind(kernel_id(connection, key));
  bind_key(insert, key);
  insert.bind(session.strategy).bind(std::to_string(session.seed)).bind(session.objective).bind(session.space_size);
  insert.bind(std::string(to_string(session.state))).bind(session.tool_version);
  insert.bind(now).bind(now).bind(session.origin).bind(session.manifest).bind(session.capture_file);
  const bool labelled = !session.name.empty() || !session.note.empty();
  insert.bind(problem_names(key)).bind(session.name).bind(session.note).bind(labelled ? now : std::string());
  insert.bind(session.maximised).run();
}

using OrderedJson = nlohmann::ordered_json;

OrderedJson names_in(const search::NamedValues& values) {
  OrderedJson names = OrderedJson::array();
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

// Moves the sizes that are no integers to the variants. Sizes are integers, of which the nearest may serve. What else
// was recorded as one, as imports of other tools' files once did, is a choice.
void move_choices(SessionKey& key) {
  const auto choices = std::stable_partition(key.problem_size.begin(), key.problem_size.end(), [](const auto& size) {
    return std::holds_alternative<std::int64_t>(size.second);
  });
  key.variants.insert(key.variants.end(), choices, key.problem_size.end());
  key.problem_size.erase(choices, key.problem_size.end());
}

// Moves the values that `names` lists out of `from`, in the order of `names`.
search::NamedValues take(search::NamedValues& from, const OrderedJson& names) {
  search::NamedValues taken;
  for (const OrderedJson& name : names) {
    const auto found =
        std::ranges::find(from, name.get_ref<const std::string&>(), &search::NamedValues::value_type::first);
    if (found == from.end()) continue;
    taken.push_back(std::move(*found));
    from.erase(found);
  }
  return taken;
}

std::int64_t count(Connection& connection, const std::string& table, SessionId session) {
  Query select = connection.query("SELECT count(*) FROM " + table + " WHERE session_id = ?");
  select.bind(session).step();
  return select.integer();
}

void require_session(Connection& connection, SessionId session) {
  Query select = connection.query("SELECT 1 FROM sessions WHERE id = ?");
  if (!select.bind(session).step())
    throw StoreError(StoreError::Cause::other,
                     fmt::format("there is no session {} in the store {}", session, connection.file().string()));
}

// Deletes a session. The rows of its winner go first, since they refer to trials and are not removed with these.
void remove_one(Connection& connection, SessionId session) {
  for (const char* table : {"winner_ties", "winner_finalists", "winners"})
    connection.query(fmt::format("DELETE FROM {} WHERE session_id = ?", table)).bind(session).run();
  connection.query("DELETE FROM trials WHERE session_id = ?").bind(session).run();  // checks go with them
  connection.query("DELETE FROM sessions WHERE id = ?").bind(session).run();
}

}  // namespace

const std::string select_sessions =
    "SELECT s.id, k.name, d.backend, d.name, d.architecture, d.driver, d.limits, d.memory_gib, d.multiprocessors,"
    " s.compiler, k.source_hash, k.manifest_hash, s.options, s.problem_size, s.policy, s.capture, s.restrictions,"
    " s.strategy, s.seed, s.objective, s.space_size, s.started_at,"
    " s.updated_at, s.state, s.tool_version,"
    " (SELECT coalesce(sum(trials), 0) FROM outcome_counts WHERE session_id = s.id) AS trial_count,"
    " (SELECT coalesce(sum(trials), 0) FROM outcome_counts WHERE session_id = s.id AND outcome = 'correct'),"
    " s.origin, s.manifest, s.problem_names, s.capture_file,"
    " (SELECT json_group_array(uuid) FROM session_devices WHERE session_id = s.id), s.name, s.note, s.labelled_at,"
    " s.expected, (SELECT file FROM stores WHERE id = s.store_id), s.maximised FROM sessions s JOIN kernels k ON"
    " k.id = s.kernel_id JOIN devices d ON d.id = s.device_id";

SessionRecord read_session(Query& row) {
  SessionRecord session;
  session.id = row.integer();
  SessionKey& key = session.key;
  key.kernel = row.text();
  key.device = {row.text(),    row.text(),   row.text(), row.text(), values_from_json(row.text()),
                row.integer(), row.integer()};
  key.compiler = row.text();
  key.source_hash = row.text();
  key.manifest_hash = row.text();
  key.options = row.text();
  const search::NamedValues problem = values_from_json(row.text());
  key.policy = row.text();
  key.capture = row.text();
  key.restrictions = texts_from_json(row.text());
  session.strategy = row.text();
  session.seed = std::stoull(row.text());
  session.objective = row.text();
  session.space_size = row.text();
  session.started_at = row.text();
  session.updated_at = row.text();
  session.state = session_state_from_string(row.text()).value_or(SessionState::interrupted);
  session.tool_version = row.text();
  session.trials = row.integer();
  session.correct_trials = row.integer();
  session.origin = row.text();
  session.manifest = row.text();
  name_problem(problem, row.text(), key);
  session.capture_file = row.text();
  session.device_uuids = texts_from_json(row.text());
  session.name = row.text();
  session.note = row.text();
  session.labelled_at = row.text();
  session.expected = row.text();
  session.merged_from = row.text();
  session.maximised = row.text();
  return session;
}

std::optional<SessionId> find_session(Connection& connection, const SessionKey& key) {
  Query select = connection.query(
      "SELECT s.id FROM sessions s JOIN devices d ON d.id = s.device_id JOIN kernels k ON k.id = s.kernel_id"
      " WHERE d.backend = ? AND d.name = ? AND d.architecture = ? AND d.driver = ? AND d.memory_gib = ?"
      " AND d.multiprocessors = ? AND k.name = ? AND k.source_hash = ? AND k.manifest_hash = ?"
      " AND s.problem_size = ? AND s.compiler = ? AND s.options = ? AND s.policy = ? AND s.capture = ?"
      " AND s.restrictions = ?");
  bind_device(select, key.device);
  select.bind(key.kernel).bind(key.source_hash).bind(key.manifest_hash);
  bind_key(select, key);
  return first_integer(select);
}

SessionId insert_session(Connection& connection, const SessionRecord& session) {
  // The session is looked up in the write transaction that inserts it, so that of two processes the second finds the
  // first one's session. PostgreSQL may let it see that session only behind its own insert.
  if (const auto existing = find_session(connection, session.key)) return *existing;
  insert_row(connection, session);
  return find_session(connection, session.key).value();
}

void update_state(Connection& connection, SessionId session, SessionState state) {
  Query update = connection.query("UPDATE sessions SET state = ?, updated_at = ? WHERE id = ?");
  update.bind(std::string(to_string(state))).bind(connection.now()).bind(session).run();
}

void update_expected(Connection& connection, SessionId session, const std::string& json) {
  connection.query("UPDATE sessions SET expected = ? WHERE id = ?").bind(json).bind(session).run();
}

void update_maximised(Connection& connection, SessionId session, const std::string& maximised) {
  connection.query("UPDATE sessions SET maximised = ? WHERE id = ?").bind(maximised).bind(session).run();
}

std::optional<SessionRecord> load_session(Connection& connection, SessionId id) {
  Query select = connection.query(select_sessions + " WHERE s.id = ?");
  select.bind(id);
  if (!select.step()) return std::nullopt;
  return read_session(select);
}

std::string problem_names(const SessionKey& key) {
  return OrderedJson{{"sizes", names_in(key.problem_size)}, {"variants", names_in(key.variants)}}.dump();
}

void name_problem(const search::NamedValues& problem, const std::string& names, SessionKey& key) {
  search::NamedValues rest = problem;
  if (!names.empty()) {
    const OrderedJson json = OrderedJson::parse(names);
    key.problem_size = take(rest, json.at("sizes"));
    key.variants = take(rest, json.at("variants"));
  }
  key.problem_size.insert(key.problem_size.end(), rest.begin(), rest.end());
  move_choices(key);
}

void label_session(Connection& connection, SessionId session, const SessionLabel& label) {
  require_session(connection, session);
  Query update = connection.query(
      "UPDATE sessions SET name = CASE WHEN CAST(? AS BIGINT) <> 0 THEN ? ELSE name END,"
      " note = CASE WHEN CAST(? AS BIGINT) <> 0 THEN ? ELSE note END, labelled_at = ? WHERE id = ?");
  update.bind(std::int64_t{label.name.has_value()}).bind(label.name.value_or(""));
  update.bind(std::int64_t{label.note.has_value()}).bind(label.note.value_or(""));
  update.bind(connection.now()).bind(session).run();
}

RemovalReport remove_sessions(Connection& connection, std::span<const SessionId> sessions) {
  RemovalReport report;
  for (const SessionId session : sessions) {
    require_session(connection, session);
    ++report.sessions;
    report.trials += count(connection, "trials", session);
    report.winners += count(connection, "winners", session);
    remove_one(connection, session);
  }
  connection.query("DELETE FROM devices WHERE id NOT IN (SELECT device_id FROM sessions)").run();
  connection.query("DELETE FROM kernels WHERE id NOT IN (SELECT kernel_id FROM sessions)").run();
  return report;
}

}  // namespace warptune::db
