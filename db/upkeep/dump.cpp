// Reads sessions as dumps, and fills the tables `other_…` from dumps or from another store.
#include "db/upkeep/dump.h"

#include <fmt/format.h>

#include <set>
#include <stdexcept>

#include "db/tables/checks.h"
#include "db/tables/json.h"
#include "db/tables/sessions.h"
#include "db/tables/trials.h"
#include "db/tables/winners.h"

namespace warptune::db {

namespace {

std::string origin_of_session(Connection& connection, SessionId session) {
  Query select = connection.query("SELECT o.uuid FROM stores o JOIN sessions s ON s.store_id = o.id WHERE s.id = ?");
  select.bind(session).step();
  return select.text();
}

std::map<TrialId, std::string> origins_of_trials(Connection& connection, SessionId session) {
  Query select =
      connection.query("SELECT t.id, o.uuid FROM stores o JOIN trials t ON t.store_id = o.id WHERE t.session_id = ?");
  select.bind(session);
  std::map<TrialId, std::string> origins;
  while (select.step()) {
    const TrialId trial = select.integer();
    origins[trial] = select.text();
  }
  return origins;
}

// Makes empty copies of the tables without their constraints. The constraints of the store's own tables apply when the
// merge inserts the rows there.
void make_tables(Connection& connection) {
  for (const char* table : merged_tables)
    connection.execute(fmt::format("CREATE TEMP TABLE other_{0} AS SELECT * FROM {0} WHERE false", table));
}

// Writes the rows of one import, and numbers them in the order in which they come.
class Filler {
 public:
  Filler(Connection& connection, const std::string& source) : connection_(connection), source_(source) {}

  // Adds the stores that the other store knows, each with the file where it lay. The other store itself gets `source`.
  void name_stores(Connection& other) {
    Query stores = other.query("SELECT id, uuid, file FROM stores ORDER BY id");
    while (stores.step()) {
      const bool itself = stores.integer() == 1;
      const std::string uuid = stores.text(), file = stores.text();
      add_store(uuid, itself ? source_ : file);
    }
  }

  void add_roofs(Connection& other) {
    Query roofs = other.query(
        "SELECT backend, device, architecture, memory_gib, multiprocessors, name, value, method, driver, device_uuid,"
        " measured_at, tool_version FROM roofs");
    while (roofs.step()) {
      Query insert = connection_.query(
          "INSERT INTO other_roofs (backend, device, architecture, memory_gib, multiprocessors, name, value, method,"
          " driver, device_uuid, measured_at, tool_version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
      for (int text = 0; text < 3; ++text) insert.bind(roofs.text());
      for (int number = 0; number < 2; ++number) insert.bind(roofs.integer());
      insert.bind(roofs.text()).bind(roofs.real());
      for (int text = 0; text < 5; ++text) insert.bind(roofs.text());
      insert.run();
    }
  }

  void add(const SessionDump& dump) {
    ++session_;
    add_session(dump);
    std::map<TrialId, TrialId> numbers;
    for (const auto& [stored, store] : dump.trials) numbers[stored.id] = add_trial(stored, store);
    if (dump.winner) add_winner(*dump.winner, numbers);
    for (const TrialCheck& check : dump.checks) add_check(check, numbers);
  }

 private:
  // Adds a store and returns its number. Numbers begin at 2, since number 1 would stand for the attached file itself.
  std::int64_t add_store(const std::string& uuid, const std::string& file) {
    const std::int64_t number = static_cast<std::int64_t>(stores_.size()) + 2;
    stores_[uuid] = number;
    Query insert = connection_.query("INSERT INTO other_stores (id, uuid, file) VALUES (?, ?, ?)");
    insert.bind(number).bind(uuid).bind(file).run();
    return number;
  }

  std::int64_t store_id(const std::string& uuid) {
    const auto known = stores_.find(uuid);
    return known != stores_.end() ? known->second : add_store(uuid, source_);
  }

  void add_session(const SessionDump& dump) {
    const SessionRecord& session = dump.session;
    const SessionKey& key = session.key;
    Query device = connection_.query(
        "INSERT INTO other_devices (id, backend, name, architecture, driver, memory_gib, multiprocessors, limits)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    device.bind(session_).bind(key.device.backend).bind(key.device.name).bind(key.device.architecture);
    device.bind(key.device.driver).bind(key.device.memory_gib).bind(key.device.multiprocessors);
    device.bind(to_json(key.device.limits)).run();
    Query kernel =
        connection_.query("INSERT INTO other_kernels (id, name, source_hash, manifest_hash) VALUES (?, ?, ?, ?)");
    kernel.bind(session_).bind(key.kernel).bind(key.source_hash).bind(key.manifest_hash).run();
    Query insert = connection_.query(
        "INSERT INTO other_sessions (id, kernel_id, device_id, problem_size, compiler, options, policy, capture,"
        " restrictions, strategy, seed, objective, space_size, state, tool_version, started_at, updated_at, store_id,"
        " origin, manifest, capture_file, problem_names, name, note, labelled_at, expected, maximised)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(session_).bind(session_).bind(session_).bind(to_sorted_json(key.problem())).bind(key.compiler);
    insert.bind(key.options).bind(key.policy).bind(key.capture).bind(to_json(key.restrictions));
    insert.bind(session.strategy).bind(std::to_string(session.seed));
    insert.bind(session.objective)
        .bind(session.space_size)
        .bind(std::string(to_string(session.state)))
        .bind(session.tool_version);
    insert.bind(session.started_at).bind(session.updated_at).bind(store_id(dump.store)).bind(session.origin);
    insert.bind(session.manifest).bind(session.capture_file).bind(problem_names(key));
    insert.bind(session.name)
        .bind(session.note)
        .bind(session.labelled_at)
        .bind(session.expected)
        .bind(session.maximised)
        .run();
  }

  TrialId add_trial(const StoredTrial& stored, const std::string& store) {
    insert_into_other(connection_, ++trial_, session_, stored, store_id(store));
    return trial_;
  }

  void add_winner(const Winner& winner, const std::map<TrialId, TrialId>& numbers) {
    Query insert = connection_.query("INSERT INTO other_winners (" + winner_columns +
                                     ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    const auto default_trial = winner.default_trial ? std::optional(numbers.at(*winner.default_trial)) : std::nullopt;
    bind_winner(insert, session_, numbers.at(winner.trial), default_trial, winner.decided_at, winner);
    insert.run();
    for (std::size_t i = 0; i < winner.ties.size(); ++i) {
      Query tie = connection_.query("INSERT INTO other_winner_ties (session_id, position, trial_id) VALUES (?, ?, ?)");
      tie.bind(session_).bind(static_cast<std::int64_t>(i)).bind(numbers.at(winner.ties[i])).run();
    }
    for (std::size_t i = 0; i < winner.finalists.size(); ++i) {
      const WinnerFinalist& finalist = winner.finalists[i];
      Query row = connection_.query("INSERT INTO other_winner_finalists (" + finalist_columns +
                                    ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
      bind_finalist(row, session_, i, numbers.at(finalist.trial), finalist);
      row.run();
    }
  }

  void add_check(const TrialCheck& check, const std::map<TrialId, TrialId>& numbers) {
    Query insert = connection_.query(
        "INSERT INTO other_checks (trial_id, checked_at, outcome, objective, relative_error, recorded_objective,"
        " differs, message) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(numbers.at(check.trial)).bind(check.checked_at).bind(std::string(search::to_string(check.outcome)));
    insert.bind(check.objective).bind(check.relative_error).bind(check.recorded_objective);
    insert.bind(check.differs).bind(check.message).run();
  }

  Connection& connection_;
  const std::string& source_;
  std::map<std::string, std::int64_t> stores_;
  SessionId session_ = 0;
  TrialId trial_ = 0;
};

// Throws std::runtime_error if the dump refers to a trial that it does not hold. Trials are numbered anew wherever a
// dump goes, so a trial of another session, or one that does not exist, has no number there.
void require_own_trials(const SessionDump& dump) {
  std::set<TrialId> own;
  for (const auto& [stored, store] : dump.trials) own.insert(stored.id);
  const auto require = [&](const char* whose, TrialId id) {
    if (!own.contains(id))
      throw std::runtime_error(fmt::format("{} of session {} is trial {}, which it lacks", whose, dump.session.id, id));
  };
  for (const TrialCheck& check : dump.checks) require("what was checked", check.trial);
  if (!dump.winner) return;
  require("the winner", dump.winner->trial);
  if (dump.winner->default_trial) require("the winner's default", *dump.winner->default_trial);
  for (const TrialId tie : dump.winner->ties) require("a tie of the winner", tie);
  for (const WinnerFinalist& finalist : dump.winner->finalists) require("a finalist", finalist.trial);
}

SessionDump read_dump(Connection& connection, SessionId session) {
  const auto record = load_session(connection, session);
  if (!record)
    throw StoreError(StoreError::Cause::other,
                     fmt::format("cannot read session {} of the store {}: there is none of this number", session,
                                 connection.file().string()));
  SessionDump dump{*record,
                   origin_of_session(connection, session),
                   {},
                   load_winner(connection, session),
                   load_checks(connection, session)};
  const std::map<TrialId, std::string> origins = origins_of_trials(connection, session);
  for (StoredTrial& stored : load_trials(connection, session)) {
    const TrialId id = stored.id;
    dump.trials.push_back({std::move(stored), origins.at(id)});
  }
  require_own_trials(dump);
  return dump;
}

std::vector<SessionId> all_sessions(Connection& connection) {
  Query select = connection.query("SELECT id FROM sessions ORDER BY id");
  std::vector<SessionId> ids;
  while (select.step()) ids.push_back(select.integer());
  return ids;
}

}  // namespace

SessionDump load_dump(Connection& connection, SessionId session) {
  return connection.look("read a session", [&] { return read_dump(connection, session); });
}

void fill_from_dumps(Connection& connection, std::span<const SessionDump> sessions, const std::string& source) {
  make_tables(connection);
  Filler filler(connection, source);
  for (const SessionDump& dump : sessions) filler.add(dump);
}

void fill_from_store(Connection& connection, Connection& other, const std::string& source) {
  make_tables(connection);
  Filler filler(connection, source);
  other.look("read all of it", [&] {
    filler.name_stores(other);
    for (const SessionId session : all_sessions(other)) filler.add(read_dump(other, session));
    filler.add_roofs(other);
    return true;
  });
}

void drop_filled(Connection& connection) {
  for (const char* table : merged_tables) connection.execute(fmt::format("DROP TABLE other_{}", table));
}

}  // namespace warptune::db
