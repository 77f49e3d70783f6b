// Connects to the server, keeps writers apart by a table lock, and connects again when a connection is lost.
#include "db/postgresql/postgres_engine.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <random>
#include <thread>

#include "db/postgresql/postgres_statement.h"
#include "db/server.h"

namespace warptune::db {

namespace {

using Cause = StoreError::Cause;

// Whoever makes the schema holds this advisory lock, since there is no table to lock yet. The number is "WTdb", as
// SQLite's files are marked.
constexpr int creation_lock = 0x57546462;

bool lacks_tables(const std::string& state) {
  return state == "42P01" || state == "3F000";
}

// With these settings and those of set_up(), both ends find an idle connection dead within some minutes and not hours.
// Settings in the address take precedence, since the address comes last. The names come first, then their values.
constexpr std::array settings = {"keepalives",       "keepalives_idle", "keepalives_interval",      "keepalives_count",
                                 "tcp_user_timeout", "connect_timeout", "fallback_application_name"};
constexpr std::array values_of_settings = {"1", "30", "10", "3", "60000", "10", "warptune"};

bool begins(const std::string& state, std::string_view prefix) {
  return state.starts_with(prefix);
}

Cause cause_of(const PostgresError& error) {
  const std::string& state = error.state();
  if (state.empty() || begins(state, "08") || begins(state, "28") || begins(state, "57P") || state == "3D000" ||
      state == "53300")
    return Cause::cannot_open;
  if (state == "42501" || state == "25006") return Cause::read_only;
  if (state == "53100") return Cause::disk_full;
  if (state == "55P03" || state == "40P01" || state == "40001" || state == "57014") return Cause::busy;
  if (begins(state, "XX") || state == "42P01" || state == "42703") return Cause::corrupt;
  return Cause::other;
}

// Returns whether the state tells that the connection is lost. libpq's own status may still be good: of a query that
// could not be sent it says no more than that it failed.
bool lost_connection(const std::string& state) {
  return state.empty() || begins(state, "08") || begins(state, "57P");
}

std::string_view advice(Cause cause, const std::string& state) {
  switch (cause) {
    case Cause::cannot_open:
      return "check the address, that the server runs and lets you in (~/.pgpass keeps passwords)";
    case Cause::read_only:
      return "let the store's owner run `warptune grant tuner NAME`, or name another store";
    case Cause::disk_full:
      return "free space on the server, then repeat the command: everything committed so far is kept";
    case Cause::busy:
      return "another process holds the store; wait until it has ended, then repeat the command";
    case Cause::corrupt:
      return "tables of the store are damaged or not as warptune makes them: restore a backup";
    default:
      break;
  }
  if (begins(state, "23")) return "the session or trial that this belongs to is not in the store";
  if (state == "22021") return "a text is not valid UTF-8; correct the name or value";
  return "repeat the command; the server's log says more";
}

// Returns libpq's words, which may have several lines, in one line.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool space = c == '\n' || c == '\t' || c == ' ';
    if (!space) line += c;
    if (space && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

// Makes a StoreError with advice. `failed` is "cannot record a trial in the store …".
StoreError explained(const std::string& failed, const PostgresError& error) {
  const Cause cause = cause_of(error);
  const std::string code = error.state().empty() ? "no connection" : "SQLSTATE " + error.state();
  return StoreError(cause,
                    fmt::format("{}: {} ({}); {}", failed, code, one_line(error.what()), advice(cause, error.state())));
}

void ignore_notice(void*, const char*) {}

}  // namespace

PostgresEngine::PostgresEngine(const std::string& address, std::filesystem::path name, OpenMode mode)
    : pq_(postgres_library()), address_(address), name_(std::move(name)), mode_(mode) {
  try {
    connect();
  } catch (const PostgresError& error) {
    pq_.finish(handle_);
    throw explained(fmt::format("cannot reach the store {}", name_.string()), error);
  }
}

PostgresEngine::~PostgresEngine() {
  pq_.finish(handle_);
}

bool PostgresEngine::connected() const {
  return handle_ != nullptr && pq_.status(handle_) == CONNECTION_OK;
}

void PostgresEngine::connect() {
  pq_.finish(handle_);
  handle_ = nullptr;
  std::vector<const char*> names(settings.begin(), settings.end()),
      values(values_of_settings.begin(), values_of_settings.end());
  for (const char* name : {"dbname", "client_encoding"}) names.push_back(name);
  values.push_back(address_.c_str());
  values.push_back("UTF8");
  names.push_back(nullptr);
  values.push_back(nullptr);
  constexpr int with_address_in_dbname = 1;
  handle_ = pq_.connectdbParams(names.data(), values.data(), with_address_in_dbname);
  if (!connected()) throw PostgresError("", handle_ ? pq_.errorMessage(handle_) : "no memory");
  pq_.setNoticeProcessor(handle_, ignore_notice, nullptr);
  ++connections_;
  set_up();
}

// Sets the connection up. A lock that is not given up within a minute is then an error, not a wait without end. The
// server finds dead peers within a minute, too, and frees what they held.
void PostgresEngine::set_up() {
  execute(fmt::format(
      "SET search_path = {}, pg_catalog; SET lock_timeout = '60s'; SET extra_float_digits = 1;"
      " SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3;"
      " SET bytea_output = 'hex'; SET standard_conforming_strings = on; SET default_transaction_read_only = {}",
      postgres_schema, mode_ == OpenMode::read_only ? "on" : "off"));
}

void PostgresEngine::require(const PGresult* result) const {
  const ExecStatusType status = pq_.resultStatus(result);
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY) return;
  const char* state = result ? pq_.resultErrorField(result, PG_DIAG_SQLSTATE) : nullptr;
  const char* words = result ? pq_.resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : nullptr;
  throw PostgresError(state ? state : "", words ? words : pq_.errorMessage(handle_));
}

std::unique_ptr<Statement> PostgresEngine::prepare(const std::string& sql, StatementKind kind) {
  return std::make_unique<PostgresStatement>(*this, sql, kind);
}

std::int64_t PostgresEngine::execute(const std::string& script) {
  const std::unique_ptr<PGresult, decltype(pq_.clear)> result(pq_.exec(handle_, script.c_str()), pq_.clear);
  require(result.get());
  const std::string_view count = pq_.cmdTuples(result.get());
  std::int64_t changes = 0;
  std::from_chars(count.data(), count.data() + count.size(), changes);
  return changes;
}

// Many processes write at once, each its own trials. A process that first looks whether something is used and then
// removes it, or makes a session of rows that others may remove as unused, holds a lock that keeps the two apart. It is
// a table lock: only a role that may change the table can take either of the two modes, and readers hinder neither. An
// advisory lock was rejected, since every login of the database can take one of any number.
void PostgresEngine::begin(Isolation isolation) {
  const bool alone = isolation == Isolation::alone;
  if (isolation == Isolation::reading) {
    execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    return;
  }
  try {
    execute(fmt::format("BEGIN; LOCK TABLE {}.sessions IN {} MODE", postgres_schema,
                        alone ? "SHARE ROW EXCLUSIVE" : "ROW EXCLUSIVE"));
  } catch (const PostgresError& error) {
    if (connected()) execute("ROLLBACK");
    if (!alone || !lacks_tables(error.state())) throw;
    begin_creation();
  }
}

void PostgresEngine::begin_creation() {
  execute("BEGIN");
  try {
    execute(fmt::format("SELECT pg_advisory_xact_lock({})", creation_lock));
  } catch (const PostgresError&) {
    if (connected()) execute("ROLLBACK");
    throw;
  }
}

// The triggers look at this setting; it ends with the transaction.
void PostgresEngine::set(EngineState state, bool on) {
  if (state != EngineState::resting_triggers) return;
  try {
    execute(fmt::format("SELECT set_config('warptune.resting', '{}', true)", on ? "on" : "off"));
  } catch (const PostgresError&) {
    if (on) throw;
  }
}

// A server that restarts is there again in a while, so this waits for it. A deadlock or a conflict between two
// transactions is over at once.
bool PostgresEngine::recovered() {
  using namespace std::chrono_literals;
  try {
    throw;
  } catch (const PostgresError& error) {
    if (error.state() == "40P01" || error.state() == "40001") return true;
    if (connected() && !lost_connection(error.state())) return false;
  } catch (...) {
    return false;
  }
  const auto since = std::chrono::steady_clock::now();
  // All pieces of work that fail one after the other on a lost connection share one wait. After that wait, the engine
  // only looks now and then whether the server came back, and does not wait.
  constexpr auto between_looks = 2s;
  if (gone_since_ && since - *gone_since_ < between_looks) return false;
  // The pauses have random lengths. All workers of a cluster lose their connections at once, and should not come back
  // at once.
  std::minstd_rand generator(std::random_device{}());
  std::uniform_real_distribution<double> share(0.5, 1.5);
  for (auto pause = 100ms;; pause = std::min(2 * pause, std::chrono::milliseconds(2s))) {
    try {
      connect();
      gone_since_.reset();
      return true;
    } catch (const PostgresError&) {
      const auto now = std::chrono::steady_clock::now();
      if (gone_since_ || now - since > reconnecting_limit()) {
        gone_since_ = now;
        return false;
      }
      std::this_thread::sleep_for(share(generator) * pause);
    }
  }
}

void PostgresEngine::rethrow(std::string_view attempted) {
  try {
    throw;
  } catch (const PostgresError& error) {
    throw explained(fmt::format("cannot {} in the store {}", attempted, name_.string()), error);
  } catch (const std::exception& error) {  // the store holds something else than it should
    throw StoreError(Cause::corrupt,
                     fmt::format("cannot {} in the store {}: it holds what warptune does not write ({}); "
                                 "restore a backup",
                                 attempted, name_.string(), error.what()));
  }
}

}  // namespace warptune::db
