// Opens SQLite files: it inspects a file before it changes anything, and refuses what it does not know.
#include "db/schema/open.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>
#include <thread>

#include "db/engine/sqlite_engine.h"
#include "db/schema/migrations.h"
#include "db/store_address.h"
#include "search/plain_text.h"

namespace warptune::db {

namespace {

using Cause = StoreError::Cause;
using std::filesystem::path;

constexpr int busy_timeout_ms = 10'000;
constexpr char in_memory[] = ":memory:";  // SQLite's own name for it

std::unique_ptr<Connection> connect(const std::string& name, int flags, const path& file, Clock clock,
                                    std::string notice, int patience_ms = busy_timeout_ms) {
  try {
    SQLite::Database database(name, flags | SQLite::OPEN_URI | SQLite::OPEN_NOMUTEX, patience_ms);
    return std::make_unique<Connection>(std::make_unique<SqliteEngine>(std::move(database), file), file,
                                        std::move(clock), std::move(notice));
  } catch (const SQLite::Exception& error) {
    throw make_error("open a database", file, {error.getExtendedErrorCode(), 0, error.what()});
  }
}

// Returns whether this SQLite takes the JSON functions, which a table of ours computes a column by, for harmless. Older
// versions (3.40) refuse the whole schema where it is not trusted. There it must be enough to know the schema to the
// letter (refuse_planted() below).
bool schema_needs_no_trust() {
  static const bool harmless = [] {
    SQLite::Database trial(in_memory, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    return trial.tryExec(
               "PRAGMA trusted_schema = OFF;"
               "CREATE TABLE t (a TEXT, b REAL GENERATED ALWAYS AS (json_extract(a, '$[0]')) VIRTUAL)") == SQLITE_OK;
  }();
  return harmless;
}

// Everything that is wrong with a file shows up here, when its first page is read.
SchemaState inspect(Connection& connection) {
  connection.attempt("set up the connection", [&] {
    connection.execute("PRAGMA cell_size_check = ON");
    if (schema_needs_no_trust()) connection.execute("PRAGMA trusted_schema = OFF");
  });
  return connection.attempt("read the schema", [&] { return schema_state(connection); });
}

// Refuses a schema with objects that this program did not make. Queries expand views, and writing runs triggers, so
// such an object could do anything, or never end.
void refuse_planted(Connection& connection) {
  const std::string object = connection.attempt("read the schema", [&] { return unknown_object(connection); });
  if (object.empty()) return;
  throw StoreError(
      Cause::corrupt,
      fmt::format("cannot open the store {}: it has the {}, which warptune does not make; if it is your own, "
                  "drop it and keep it in a database of its own, which attaches the store",
                  connection.file().string(), search::printable(object, search::Lines::escape)));
}

void refuse_unknown(SchemaState state, const path& file) {
  if (state == SchemaState::newer)
    throw StoreError(Cause::newer_schema,
                     fmt::format("cannot open the store {}: its schema is newer than this program knows (version {}); "
                                 "update warptune, or name another store",
                                 file.string(), migrations().size()));
  if (state == SchemaState::foreign)
    throw StoreError(Cause::other, fmt::format("cannot open the store {}: it is a SQLite database of another program; "
                                               "name another file",
                                               file.string()));
}

// Setting WAL mode needs the file for itself for a moment. SQLite's busy timeout does not wait for that.
void enter_wal_mode(Connection& connection) {
  constexpr int pause_ms = 5;
  for (int waited_ms = 0; waited_ms < busy_timeout_ms; waited_ms += pause_ms) {
    if (sqlite_of(connection.engine()).database().tryExec("PRAGMA journal_mode = WAL") != SQLITE_BUSY) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
  }
}

void refuse_unwritable(Connection& connection) {
  if (sqlite3_db_readonly(sqlite_of(connection.engine()).database().getHandle(), "main") != 1) return;
  throw make_error("open a database for writing", connection.file(),
                   {SQLITE_READONLY, 0, "no permission to write the file"});
}

void create_folder(const path& file) {
  if (file == in_memory) return;
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (!error) return;
  throw StoreError(Cause::cannot_open, fmt::format("cannot create the folder {} of the store: {}; name another file or "
                                                   "create the folder yourself",
                                                   file.parent_path().string(), error.message()));
}

std::unique_ptr<Connection> open_read_write(const path& file, Clock clock) {
  create_folder(file);
  auto connection = connect(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, file, std::move(clock), "");
  refuse_unwritable(*connection);
  SchemaState state = inspect(*connection);
  refuse_unknown(state, file);
  refuse_planted(*connection);
  enter_wal_mode(*connection);
  connection->attempt("set up the connection", [&] {
    // With NORMAL, a commit survives the process and its SIGKILL, but may be lost with the power (db/README.md says
    // why). A checkpoint syncs both files. One for each 32 MiB of log (8,192 pages) instead of 4 MiB makes that rare.
    connection->execute(
        "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -16384;"
        "PRAGMA wal_autocheckpoint = 8192; PRAGMA journal_size_limit = 33554432");
  });
  // Foreign keys are off until the migrations have run. A migration that rebuilds a table drops the old one, and with
  // foreign keys its rows' trials would go with it.
  if (state != SchemaState::current) migrate(*connection);
  connection->attempt("set up the connection", [&] { connection->execute("PRAGMA foreign_keys = ON"); });
  return connection;
}

bool unreadable_wal(Cause cause) {
  return cause == Cause::cannot_open || cause == Cause::read_only || cause == Cause::other;
}

// A WAL database needs its -shm file beside it even for reading. Where that cannot be created, the file alone can be
// read, as long as no commits are waiting in a -wal file.
std::unique_ptr<Connection> open_snapshot(const path& file, Clock clock) {
  std::error_code ignored;
  const path wal = file.string() + "-wal";
  if (std::filesystem::exists(wal, ignored) && std::filesystem::file_size(wal, ignored) > 0)
    throw StoreError(Cause::read_only,
                     fmt::format("cannot read the store {}: its latest trials are still in {}, which "
                                 "needs write permission to the folder; copy both files to a folder of "
                                 "your own and open the copy",
                                 file.string(), wal.string()));
  return connect(
      file_uri(file, "immutable=1"), SQLite::OPEN_READONLY, file, std::move(clock),
      fmt::format("{} is read as a snapshot: its folder cannot be written, so trials that others record from "
                  "now on are not seen",
                  file.string()));
}

std::unique_ptr<Connection> open_read_only(const path& file, Clock clock) {
  if (!may_exist(file))
    throw StoreError(Cause::cannot_open, fmt::format("cannot read the store {}: there is no such file; tune a kernel "
                                                     "first, or name another store",
                                                     file.string()));
  auto connection = connect(file_uri(file, "mode=ro"), SQLite::OPEN_READONLY, file, clock, "");
  SchemaState state{};
  try {
    state = inspect(*connection);
  } catch (const StoreError& error) {
    if (!unreadable_wal(error.cause())) throw;
    connection = open_snapshot(file, clock);
    state = inspect(*connection);
  }
  refuse_unknown(state, file);
  if (state == SchemaState::current) {
    refuse_planted(*connection);
    sqlite_of(connection->engine()).limit_queries();
    return connection;
  }
  if (state == SchemaState::empty)
    throw StoreError(Cause::cannot_open,
                     fmt::format("cannot read the store {}: it is empty; tune a kernel first, or name another store",
                                 file.string()));
  throw StoreError(Cause::read_only, fmt::format("cannot read the store {}: its schema is of an older version; "
                                                 "`warptune gc` with write permission brings it up to date",
                                                 file.string()));
}

// Refuses a folder, and a pipe, a socket or a device. Opening a pipe waits for somebody at its other end. SQLite opens
// what lies beside a store, too.
void refuse_no_file(const path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw StoreError(Cause::cannot_open,
                     fmt::format("cannot open the store {}: it is a folder; name a file in it", file.string()));
  for (const char* suffix : {"", "-journal", "-wal", "-shm"})
    if (const path each = file.string() + suffix; std::filesystem::is_other(each, ignored))
      throw StoreError(Cause::cannot_open,
                       fmt::format("cannot open the store {}: {} is a pipe, a socket or a device and no file; name "
                                   "another file",
                                   file.string(), each == file ? "it" : each.string()));
}

}  // namespace

std::unique_ptr<Connection> open_connection(const path& file, OpenMode mode, Clock clock) {
  if (is_address(file)) return open_postgres(file.string(), mode, std::move(clock));
  const path absolute = file == in_memory ? file : std::filesystem::absolute(file);
  refuse_no_file(absolute);
  return mode == OpenMode::read_write ? open_read_write(absolute, std::move(clock))
                                      : open_read_only(absolute, std::move(clock));
}

std::unique_ptr<Connection> open_untouched(const path& file, int patience_ms) {
  const path absolute = std::filesystem::absolute(file);
  refuse_no_file(absolute);
  auto connection =
      connect(absolute.string(), SQLite::OPEN_READWRITE, absolute, std::chrono::system_clock::now, "", patience_ms);
  refuse_unwritable(*connection);
  const SchemaState state = inspect(*connection);
  refuse_unknown(state, absolute);
  refuse_planted(*connection);
  return connection;
}

std::string file_uri(const path& file, std::string_view parameters) {
  std::string uri = "file:";
  for (const char c : file.string()) {
    if (c == '%' || c == '?' || c == '#')
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      uri += c;
  }
  return uri + "?" + std::string(parameters);
}

}  // namespace warptune::db
