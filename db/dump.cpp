#include "db/dump.h"

#include <fmt/format.h>

#include "db/checks.h"
#include "db/json.h"
#include "db/problem.h"
#include "db/sessions.h"
#include "db/trials.h"
#include "db/winners.h"

namespace warptune::db {

namespace {

std::string origin_store(Connection& connection, const char* table, std::int64_t id) {
  Query select = connection.query(
      fmt::format("SELECT uuid FROM stores JOIN {0} ON {0}.store_id = stores.id WHERE {0}.id = ?", table));
  select.bind(id).step();
  return select.text();
}

// Clones of the tables without their constraints; the merge's own apply when the rows reach the store.
void make_tables(Connection& connection) {
  for (const char* table :
       {"stores", "devices", "kernels", "sessions", "trials", "winners", "winner_ties", "winner_finalists", "checks"})
    connection.database().exec(fmt::format("CREATE TABLE other.{0} AS SELECT * FROM main.{0} WHERE false", table));
}

// Rows of one import, numbered as they come.
class Filler {
 public:
  Filler(Connection& connection, const std::string& source) : connection_(connection), source_(source) {}

  void add(const SessionDump& dump) {
    ++session_;
    add_session(dump);
    std::map<TrialId, TrialId> numbers;
    for (const auto& [stored, store] : dump.trials) numbers[stored.id] = add_trial(stored, store);
    if (dump.winner) add_winner(*dump.winner, numbers);
    for (const TrialCheck& check : dump.checks) add_check(check, numbers);
  }

 private:
  // Number 1 would stand for the attached file itself, which it is not.
  std::int64_t store_id(const std::string& uuid) {
    const auto [known, added] = stores_.emplace(uuid, static_cast<std::int64_t>(stores_.size()) + 2);
    if (added) {
      Query insert = connection_.query("INSERT INTO other.stores (id, uuid, file) VALUES (?, ?, ?)");
      insert.bind(known->second).bind(uuid).bind(source_).run();
    }
    return known->second;
  }

  void add_session(const SessionDump& dump) {
    const SessionRecord& session = dump.session;
    const SessionKey& key = session.key;
    Query device = connection_.query(
        "INSERT INTO other.devices (id, backend, name, architecture, driver, memory_gib, multiprocessors, limits)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    device.bind(session_).bind(key.device.backend).bind(key.device.name).bind(key.device.architecture);
    device.bind(key.device.driver).bind(key.device.memory_gib).bind(key.device.multiprocessors);
    device.bind(to_json(key.device.limits)).run();
    Query kernel =
        connection_.query("INSERT INTO other.kernels (id, name, source_hash, manifest_hash) VALUES (?, ?, ?, ?)");
    kernel.bind(session_).bind(key.kernel).bind(key.source_hash).bind(key.manifest_hash).run();
    Query insert = connection_.query(
        "INSERT INTO other.sessions (id, kernel_id, device_id, problem_size, compiler, options, policy, capture,"
        " restrictions, strategy, seed, objective, space_size, state, tool_version, started_at, updated_at, store_id,"
        " origin, manifest, capture_file, problem_names)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(session_).bind(session_).bind(session_).bind(to_sorted_json(key.problem())).bind(key.compiler);
    insert.bind(key.options).bind(key.policy).bind(key.capture).bind(to_json(key.restrictions));
    insert.bind(session.strategy).bind(std::to_string(session.seed));
    insert.bind(session.objective)
        .bind(session.space_size)
        .bind(std::string(to_string(session.state)))
        .bind(session.tool_version);
    insert.bind(session.started_at).bind(session.updated_at).bind(store_id(dump.store)).bind(session.origin);
    insert.bind(session.manifest).bind(session.capture_file).bind(problem_names(key)).run();
  }

  TrialId add_trial(const StoredTrial& stored, const std::string& store) {
    insert_into_other(connection_, ++trial_, session_, stored, store_id(store));
    return trial_;
  }

  void add_winner(const Winner& winner, const std::map<TrialId, TrialId>& numbers) {
    Query insert = connection_.query("INSERT INTO other.winners (" + winner_columns +
                                     ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    const auto default_trial = winner.default_trial ? std::optional(numbers.at(*winner.default_trial)) : std::nullopt;
    bind_winner(insert, session_, numbers.at(winner.trial), default_trial, winner.decided_at, winner);
    insert.run();
    for (std::size_t i = 0; i < winner.ties.size(); ++i) {
      Query tie = connection_.query("INSERT INTO other.winner_ties (session_id, position, trial_id) VALUES (?, ?, ?)");
      tie.bind(session_).bind(static_cast<std::int64_t>(i)).bind(numbers.at(winner.ties[i])).run();
    }
    for (std::size_t i = 0; i < winner.finalists.size(); ++i) {
      const WinnerFinalist& finalist = winner.finalists[i];
      Query row = connection_.query("INSERT INTO other.winner_finalists (" + finalist_columns +
                                    ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
      bind_finalist(row, session_, i, numbers.at(finalist.trial), finalist);
      row.run();
    }
  }

  void add_check(const TrialCheck& check, const std::map<TrialId, TrialId>& numbers) {
    Query insert = connection_.query(
        "INSERT INTO other.checks (trial_id, checked_at, outcome, objective, relative_error, recorded_objective,"
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

}  // namespace

SessionDump load_dump(Connection& connection, SessionId session) {
  return connection.attempt("read a session", [&] {
    const SQLite::Transaction reading(connection.database());  // one view of the session, whoever writes meanwhile
    const auto record = load_session(connection, session);
    if (!record)
      throw StoreError(StoreError::Cause::other,
                       fmt::format("cannot read session {} of the store {}: there is none of this number", session,
                                   connection.file().string()));
    SessionDump dump{*record,
                     origin_store(connection, "sessions", session),
                     {},
                     load_winner(connection, session),
                     load_checks(connection, session)};
    for (StoredTrial& stored : load_trials(connection, session)) {
      const TrialId id = stored.id;
      dump.trials.push_back({std::move(stored), origin_store(connection, "trials", id)});
    }
    return dump;
  });
}

void fill_attached(Connection& connection, std::span<const SessionDump> sessions, const std::string& source) {
  make_tables(connection);
  Filler filler(connection, source);
  for (const SessionDump& dump : sessions) filler.add(dump);
}

}  // namespace warptune::db
