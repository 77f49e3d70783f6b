// Implements the engine with SQLiteCpp. It counts the steps of queries, finds out the errno behind an error, and gives
// each error its name, its cause and an advice.
#include "db/engine/sqlite_engine.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <map>

namespace warptune::db {

namespace {

int errno_of(sqlite3_file* file) {
  int number = 0;
  if (file != nullptr && file->pMethods != nullptr)
    file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number);
  return number;
}

// Returns the errno of the last failure, or 0. sqlite3_system_errno() forgets it for write errors, but the open files
// remember it: the log, which commits are written to, and the database, which checkpoints are written to.
int last_errno(sqlite3* database) {
  if (const int number = sqlite3_system_errno(database)) return number;
  for (const int which : {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER}) {
    sqlite3_file* file = nullptr;
    sqlite3_file_control(database, "main", which, &file);
    if (const int number = errno_of(file)) return number;
  }
  return 0;
}

class SqliteStatement : public Statement {
 public:
  SqliteStatement(SQLite::Database& database, const std::string& sql, StatementKind kind)
      : database_(database), statement_(database, sql), kind_(kind) {}

  void bind(int position, const Parameter& value) override {
    if (const auto* number = std::get_if<std::int64_t>(&value))
      statement_.bind(position, *number);
    else if (const auto* real = std::get_if<double>(&value))
      statement_.bind(position, *real);
    else if (const auto* text = std::get_if<std::string_view>(&value))
      statement_.bind(position, std::string(*text));
    else if (const auto* bytes = std::get_if<std::span<const std::byte>>(&value))
      statement_.bind(position, static_cast<const void*>(bytes->data()), static_cast<int>(bytes->size()));
    else
      statement_.bind(position);
  }
  bool step() override { return statement_.executeStep(); }
  // An insert sets the last row's id, an update leaves it. RETURNING would tell as well, but SQLite builds a temporary
  // table for every row, and looking up every id costs a tenth of the insert.
  Changed run() override {
    if (kind_ == StatementKind::upsert) sqlite3_set_last_insert_rowid(database_.getHandle(), 0);
    statement_.executeStep();
    Changed changed{.rows = database_.getChanges()};
    if (kind_ == StatementKind::upsert) changed.id = database_.getLastInsertRowid();
    changed.added = changed.id != 0;
    return changed;
  }
  // A statement that is left half-read would hold its read transaction open and stop checkpoints.
  void reset() noexcept override { statement_.tryReset(); }
  bool is_null(int column) const override { return statement_.isColumnNull(column); }
  std::int64_t integer(int column) const override { return statement_.getColumn(column).getInt64(); }
  double real(int column) const override { return statement_.getColumn(column).getDouble(); }
  std::string text(int column) const override { return statement_.getColumn(column).getString(); }
  std::string bytes(int column) const override {
    const SQLite::Column blob = statement_.getColumn(column);
    const void* data = blob.getBlob();
    return data ? std::string(static_cast<const char*>(data), static_cast<std::size_t>(blob.getBytes()))
                : std::string();
  }

 private:
  SQLite::Database& database_;
  mutable SQLite::Statement statement_;  // the wrapper's functions that read columns are not const
  StatementKind kind_;
};

using Cause = StoreError::Cause;

// A full disk reaches SQLite in several shapes: ENOSPC as SQLITE_FULL, a quota or a file size limit as an I/O error.
bool out_of_space(const SqliteFailure& failure) {
  if ((failure.code & 0xff) == SQLITE_FULL) return true;
  if ((failure.code & 0xff) != SQLITE_IOERR) return false;
  return failure.system_errno == ENOSPC || failure.system_errno == EDQUOT || failure.system_errno == EFBIG;
}

Cause cause_of(const SqliteFailure& failure) {
  if (out_of_space(failure)) return Cause::disk_full;
  switch (failure.code & 0xff) {
    case SQLITE_CANTOPEN:
      return Cause::cannot_open;
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return Cause::read_only;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Cause::corrupt;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Cause::busy;
    default:
      return Cause::other;
  }
}

std::string advice(Cause cause, const std::string& file, int code) {
  switch (cause) {
    case Cause::cannot_open:
      return "check that the path is right and that you may read the file and its folder";
    case Cause::read_only:
      return "get write permission to the file and its folder, or name another store";
    case Cause::corrupt:
      return fmt::format(
          "{}move the file away to start a new store; what is readable of it comes out with: sqlite3 '{}' "
          ".recover | sqlite3 recovered.db",
          (code & 0xff) == SQLITE_NOTADB ? "if it is no store, name another file; if it was one, " : "", file);
    case Cause::disk_full:
      return "free space there, then repeat the command: everything committed so far is kept";
    case Cause::busy:
      return "another process holds the store; wait until it has ended, then repeat the command";
    default:
      break;
  }
  if ((code & 0xff) == SQLITE_CONSTRAINT) return "the session or trial that this belongs to is not in the store";
  return "repeat the command; if it fails again, check the file with: sqlite3 '" + file + "' 'PRAGMA integrity_check'";
}

}  // namespace

SqliteEngine::SqliteEngine(SQLite::Database database, std::filesystem::path file)
    : database_(std::move(database)), file_(std::move(file)) {}

// Writes the log back into the file. SQLite does this when the last connection closes, but a connection that only reads
// cannot. So whoever wrote leaves one complete file, to be copied or committed, also while others read. The checkpoint
// waits for nobody.
SqliteEngine::~SqliteEngine() {
  if (sqlite3_db_readonly(database_.getHandle(), "main") != 0) return;
  sqlite3_busy_timeout(database_.getHandle(), 0);
  database_.tryExec("PRAGMA wal_checkpoint(TRUNCATE)");
}

std::unique_ptr<Statement> SqliteEngine::prepare(const std::string& sql, StatementKind kind) {
  return std::make_unique<SqliteStatement>(database_, sql, kind);
}

std::int64_t SqliteEngine::execute(const std::string& script) {
  return database_.exec(script);
}

// A writing transaction begins as IMMEDIATE, since a read transaction that turns into a write one cannot wait for
// others. There is one writer at a time.
void SqliteEngine::begin(Isolation isolation) {
  database_.exec(isolation == Isolation::reading ? "BEGIN" : "BEGIN IMMEDIATE");
}

void SqliteEngine::set(EngineState state, bool on) {
  if (state == EngineState::resting_triggers)
    sqlite3_db_config(database_.getHandle(), SQLITE_DBCONFIG_ENABLE_TRIGGER, on ? 0 : 1, nullptr);
  else
    database_.tryExec(on ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
}

void SqliteEngine::rethrow(std::string_view attempted) {
  try {
    throw;
  } catch (const SQLite::Exception& error) {
    if (error.getErrorCode() == SQLITE_INTERRUPT && steps_ > most_steps_) refuse_endless(attempted);
    const bool from_system = error.getErrorCode() == SQLITE_IOERR || error.getErrorCode() == SQLITE_CANTOPEN;
    throw make_error(attempted, file_,
                     {error.getExtendedErrorCode(), from_system ? last_errno(database_.getHandle()) : 0, error.what()});
  } catch (const std::exception& error) {  // the store holds something else than it should
    throw make_error(attempted, file_, {SQLITE_CORRUPT, 0, error.what()});
  }
}

void SqliteEngine::limit_queries(std::uint64_t any_size) {
  std::error_code ignored;
  const std::uintmax_t bytes = std::filesystem::file_size(file_, ignored);
  // Going through all rows several times takes some ten steps a byte; a query in a loop takes any number.
  most_steps_ = any_size + 100 * (ignored ? 0 : bytes);
  constexpr int often = 100'000;
  sqlite3_progress_handler(
      database_.getHandle(), often,
      [](void* self) {
        auto& engine = *static_cast<SqliteEngine*>(self);
        return (engine.steps_ += often) > engine.most_steps_ ? 1 : 0;
      },
      this);
}

void SqliteEngine::refuse_endless(std::string_view attempted) const {
  throw StoreError(
      StoreError::Cause::corrupt,
      fmt::format("cannot {} in the store {}: gave up after {} steps of SQLite, more than its size explains; "
                  "somebody made it so that queries do not end, so do not use it",
                  attempted, file_.string(), steps_));
}

void SqliteEngine::require_in_place(std::string_view attempted) {
  int moved = 0;
  sqlite3_file_control(database_.getHandle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (!moved) return;
  throw StoreError(
      StoreError::Cause::cannot_open,
      fmt::format("cannot {} in the store {}: the file was deleted or moved while it was in use, and what was "
                  "recorded since then is lost with it; start the command again",
                  attempted, file_.string()));
}

std::string_view error_name(int code) {
  static const std::map<int, std::string_view> names = {
      {SQLITE_ERROR, "SQLITE_ERROR"},
      {SQLITE_PERM, "SQLITE_PERM"},
      {SQLITE_BUSY, "SQLITE_BUSY"},
      {SQLITE_LOCKED, "SQLITE_LOCKED"},
      {SQLITE_NOMEM, "SQLITE_NOMEM"},
      {SQLITE_READONLY, "SQLITE_READONLY"},
      {SQLITE_INTERRUPT, "SQLITE_INTERRUPT"},
      {SQLITE_IOERR, "SQLITE_IOERR"},
      {SQLITE_CORRUPT, "SQLITE_CORRUPT"},
      {SQLITE_FULL, "SQLITE_FULL"},
      {SQLITE_CANTOPEN, "SQLITE_CANTOPEN"},
      {SQLITE_PROTOCOL, "SQLITE_PROTOCOL"},
      {SQLITE_SCHEMA, "SQLITE_SCHEMA"},
      {SQLITE_TOOBIG, "SQLITE_TOOBIG"},
      {SQLITE_CONSTRAINT, "SQLITE_CONSTRAINT"},
      {SQLITE_MISMATCH, "SQLITE_MISMATCH"},
      {SQLITE_MISUSE, "SQLITE_MISUSE"},
      {SQLITE_AUTH, "SQLITE_AUTH"},
      {SQLITE_NOTADB, "SQLITE_NOTADB"},
      {SQLITE_IOERR_READ, "SQLITE_IOERR_READ"},
      {SQLITE_IOERR_SHORT_READ, "SQLITE_IOERR_SHORT_READ"},
      {SQLITE_IOERR_WRITE, "SQLITE_IOERR_WRITE"},
      {SQLITE_IOERR_FSYNC, "SQLITE_IOERR_FSYNC"},
      {SQLITE_IOERR_TRUNCATE, "SQLITE_IOERR_TRUNCATE"},
      {SQLITE_IOERR_SHMSIZE, "SQLITE_IOERR_SHMSIZE"},
      {SQLITE_IOERR_SHMMAP, "SQLITE_IOERR_SHMMAP"},
      {SQLITE_IOERR_LOCK, "SQLITE_IOERR_LOCK"},
      {SQLITE_BUSY_SNAPSHOT, "SQLITE_BUSY_SNAPSHOT"},
      {SQLITE_BUSY_RECOVERY, "SQLITE_BUSY_RECOVERY"},
      {SQLITE_CANTOPEN_ISDIR, "SQLITE_CANTOPEN_ISDIR"},
      {SQLITE_READONLY_CANTINIT, "SQLITE_READONLY_CANTINIT"},
      {SQLITE_READONLY_DIRECTORY, "SQLITE_READONLY_DIRECTORY"},
      {SQLITE_CONSTRAINT_FOREIGNKEY, "SQLITE_CONSTRAINT_FOREIGNKEY"},
  };
  if (const auto exact = names.find(code); exact != names.end()) return exact->second;
  const auto primary = names.find(code & 0xff);
  return primary != names.end() ? primary->second : "an unknown SQLite code";
}

StoreError make_error(std::string_view attempted, const std::filesystem::path& file, const SqliteFailure& failure) {
  const Cause cause = cause_of(failure);
  std::string words = failure.message;
  if (failure.system_errno != 0 && cause != Cause::corrupt)
    words += fmt::format("; {}", std::strerror(failure.system_errno));
  return StoreError(cause, fmt::format("cannot {} in the store {}: {} ({}); {}", attempted, file.string(),
                                       error_name(failure.code), words, advice(cause, file.string(), failure.code)));
}

}  // namespace warptune::db
