// Runs each operation of the store in an attempt or a transaction of its connection.
#include "db/store.h"

#include "db/engine/connection.h"
#include "db/schema/open.h"
#include "db/tables/checks.h"
#include "db/tables/history.h"
#include "db/tables/roofs.h"
#include "db/tables/sessions.h"
#include "db/tables/trials.h"
#include "db/tables/winners.h"
#include "db/timestamp.h"
#include "db/upkeep/dump.h"
#include "db/upkeep/upkeep.h"

namespace warptune::db {

struct Store::Impl {
  std::unique_ptr<Connection> connection;
  Clock clock;
};

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Store Store::open(const std::filesystem::path& file, OpenMode mode, Clock clock) {
  return Store(std::make_unique<Impl>(Impl{open_connection(file, mode, clock), clock}));
}

const std::string& Store::notice() const {
  return impl_->connection->notice();
}

const std::filesystem::path& Store::file() const {
  return impl_->connection->file();
}

std::optional<SessionRecord> Store::find_session(const SessionKey& key) const {
  Connection& connection = *impl_->connection;
  return connection.attempt("find a session", [&]() -> std::optional<SessionRecord> {
    const auto id = db::find_session(connection, key);
    return id ? load_session(connection, *id) : std::nullopt;
  });
}

SessionId Store::create_session(const SessionRecord& session) {
  Connection& connection = *impl_->connection;
  return connection.transact("start a session", [&] { return insert_session(connection, session); });
}

void Store::set_session_state(SessionId session, SessionState state) {
  Connection& connection = *impl_->connection;
  const KeptState synced(connection, EngineState::synced_commits);
  connection.require_in_place("set a session's state");
  connection.attempt("set a session's state", [&] { update_state(connection, session, state); });
}

void Store::record_expected(SessionId session, const std::string& json) {
  Connection& connection = *impl_->connection;
  connection.require_in_place("note what is expected of the outputs");
  connection.attempt("note what is expected of the outputs", [&] { update_expected(connection, session, json); });
}

void Store::set_maximised(SessionId session, const std::string& objectives) {
  Connection& connection = *impl_->connection;
  connection.require_in_place("set the direction of objectives");
  connection.attempt("set the direction of objectives", [&] { update_maximised(connection, session, objectives); });
}

void Store::label(SessionId session, const SessionLabel& label) {
  Connection& connection = *impl_->connection;
  connection.require_in_place("name a session");
  connection.transact("name a session", [&] {
    label_session(connection, session, label);
    return true;
  });
}

RemovalReport Store::remove(std::span<const SessionId> sessions, Effect effect) {
  Connection& connection = *impl_->connection;
  const KeptState synced(connection, EngineState::synced_commits);
  connection.require_in_place("remove sessions");
  return connection.transact(
      "remove sessions", [&] { return remove_sessions(connection, sessions); }, effect, Isolation::alone);
}

std::optional<SessionRecord> Store::session(SessionId id) const {
  return impl_->connection->attempt("read a session", [&] { return load_session(*impl_->connection, id); });
}

std::vector<SessionRecord> Store::history(const HistoryFilter& filter) const {
  return impl_->connection->attempt("list sessions", [&] { return list_sessions(*impl_->connection, filter); });
}

StoreSummary Store::summary() const {
  return impl_->connection->attempt("look over the store", [&] { return load_summary(*impl_->connection); });
}

TrialId Store::record(SessionId session, const search::NamedValues& values, const search::Trial& trial) {
  Connection& connection = *impl_->connection;
  connection.require_in_place("record a trial");
  return connection.attempt("record a trial",
                            [&] { return save_trial(connection, session, values, trial, connection.now()); });
}

std::vector<TrialId> Store::record_batch(SessionId session, std::span<const StoredTrial> trials) {
  Connection& connection = *impl_->connection;
  return connection.transact("record trials", [&] { return save_trials(connection, session, trials); });
}

void Store::record_counters(TrialId trial, const search::Counters& counters,
                            const std::map<std::string, double>& metrics) {
  Connection& connection = *impl_->connection;
  connection.require_in_place("record counters");
  connection.attempt("record counters", [&] { save_counters(connection, trial, counters, metrics); });
}

std::vector<StoredTrial> Store::trials(SessionId session) const {
  return impl_->connection->attempt("read trials", [&] { return load_trials(*impl_->connection, session); });
}

TrialPage Store::trial_page(SessionId session, const TrialPageRequest& request) const {
  return impl_->connection->attempt("read trials",
                                    [&] { return load_trial_page(*impl_->connection, session, request); });
}

std::map<search::Outcome, std::int64_t> Store::outcome_counts(SessionId session) const {
  return impl_->connection->attempt("count trials", [&] { return load_outcome_counts(*impl_->connection, session); });
}

std::optional<StoredTrial> Store::trial(TrialId id) const {
  return impl_->connection->attempt("read a trial", [&] { return load_trial(*impl_->connection, id); });
}

std::vector<StoredTrial> Store::best_trials(SessionId session, std::size_t limit) const {
  return impl_->connection->attempt("read trials",
                                    [&] { return load_best_trials(*impl_->connection, session, limit); });
}

std::optional<StoredTrial> Store::find_trial(SessionId session, const search::NamedValues& values) const {
  return impl_->connection->attempt("read a trial",
                                    [&] { return db::find_trial(*impl_->connection, session, values); });
}

void Store::record_check(const TrialCheck& check) {
  impl_->connection->attempt("record a check", [&] { save_check(*impl_->connection, check); });
}

std::vector<TrialCheck> Store::checks(SessionId session) const {
  return impl_->connection->attempt("read checks", [&] { return load_checks(*impl_->connection, session); });
}

void Store::record_roofs(const DeviceRecord& device, std::span<const Roof> roofs) {
  Connection& connection = *impl_->connection;
  connection.require_in_place("record a device's roofs");
  connection.transact("record a device's roofs", [&] {
    save_roofs(connection, device, roofs);
    return true;
  });
}

std::vector<Roof> Store::roofs(const DeviceRecord& device) const {
  return impl_->connection->attempt("read a device's roofs", [&] { return load_roofs(*impl_->connection, device); });
}

std::map<SessionId, std::vector<TrialCheck>> Store::checks_by_session(const std::string& since) const {
  return impl_->connection->attempt("read checks", [&] { return load_all_checks(*impl_->connection, since); });
}

bool Store::settle_winner(SessionId session, const Winner& winner) {
  Connection& connection = *impl_->connection;
  const KeptState synced(connection, EngineState::synced_commits);
  connection.require_in_place("settle on a winner");
  return connection.transact("settle on a winner", [&] { return db::settle_winner(connection, session, winner); });
}

void Store::set_winner(SessionId session, const Winner& winner) {
  Connection& connection = *impl_->connection;
  const KeptState synced(connection, EngineState::synced_commits);
  connection.require_in_place("record a winner");
  connection.transact("record a winner", [&] {
    save_winner(connection, session, winner);
    return true;
  });
}

void Store::clear_winner(SessionId session) {
  impl_->connection->attempt("withdraw a winner", [&] { remove_winner(*impl_->connection, session); });
}

std::optional<Winner> Store::winner(SessionId session) const {
  return impl_->connection->attempt("read a winner", [&] { return load_winner(*impl_->connection, session); });
}

std::vector<BestRecord> Store::best(const HistoryFilter& filter) const {
  return impl_->connection->attempt("list winners", [&] { return list_best(*impl_->connection, filter); });
}

std::optional<SessionId> Store::faster_session(SessionId session) const {
  return impl_->connection->attempt("compare winners", [&] { return find_faster(*impl_->connection, session); });
}

MergeReport Store::merge(const std::filesystem::path& other, Effect effect) {
  return merge_store(*impl_->connection, other, effect);
}

SessionDump Store::dump(SessionId session) const {
  return load_dump(*impl_->connection, session);
}

MergeReport Store::merge(std::span<const SessionDump> sessions, const std::string& source, Effect effect) {
  return merge_dumps(*impl_->connection, sessions, source, effect);
}

GcReport Store::gc(std::chrono::seconds idle, Effect effect) {
  return collect_garbage(*impl_->connection, iso8601(impl_->clock() - idle), effect);
}

}  // namespace warptune::db
