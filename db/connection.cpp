#include "db/connection.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "db/timestamp.h"

namespace warptune::db {

namespace {

int errno_of(sqlite3_file* file) {
  int number = 0;
  if (file != nullptr && file->pMethods != nullptr)
    file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number);
  return number;
}

// sqlite3_system_errno() forgets it for write errors, but the open files remember: the log, which commits are written
// to, and the database, which checkpoints are.
int last_errno(sqlite3* database) {
  if (const int number = sqlite3_system_errno(database)) return number;
  for (const int which : {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER}) {
    sqlite3_file* file = nullptr;
    sqlite3_file_control(database, "main", which, &file);
    if (const int number = errno_of(file)) return number;
  }
  return 0;
}

}  // namespace

static_assert(std::endian::native == std::endian::little, "samples are stored as little-endian doubles");

Query& Query::bind(std::int64_t value) {
  statement_.bind(++bound_, value);
  return *this;
}

Query& Query::bind(double value) {
  statement_.bind(++bound_, value);
  return *this;
}

Query& Query::bind(const std::string& value) {
  statement_.bind(++bound_, value);
  return *this;
}

Query& Query::bind(std::optional<double> value) {
  return value ? bind(*value) : bind_null();
}

Query& Query::bind(std::optional<std::int64_t> value) {
  return value ? bind(*value) : bind_null();
}

Query& Query::bind_doubles(std::span<const double> values) {
  statement_.bind(++bound_, static_cast<const void*>(values.data()), static_cast<int>(values.size_bytes()));
  return *this;
}

Query& Query::bind_null() {
  statement_.bind(++bound_);
  return *this;
}

Query& Query::bind(const search::Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return bind(std::int64_t{*flag});
  if (const auto* number = std::get_if<std::int64_t>(&value)) return bind(*number);
  if (const double* number = std::get_if<double>(&value)) return bind(*number);
  return bind(std::get<std::string>(value));
}

bool Query::step() {
  read_ = 0;
  return statement_.executeStep();
}

void Query::run() {
  statement_.exec();
}

std::int64_t Query::integer() {
  return statement_.getColumn(read_++).getInt64();
}

std::optional<std::int64_t> Query::optional_integer() {
  if (!is_null()) return integer();
  ++read_;
  return std::nullopt;
}

std::string Query::text() {
  return statement_.getColumn(read_++).getString();
}

std::optional<double> Query::optional_real() {
  if (!is_null()) return statement_.getColumn(read_++).getDouble();
  ++read_;
  return std::nullopt;
}

double Query::real() {
  return optional_real().value_or(std::numeric_limits<double>::quiet_NaN());
}

std::vector<double> Query::doubles() {
  const SQLite::Column column = statement_.getColumn(read_++);
  const void* bytes = column.getBlob();
  std::vector<double> values(static_cast<std::size_t>(column.getBytes()) / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), bytes, values.size() * sizeof(double));
  return values;
}

bool Query::is_null() const {
  return statement_.isColumnNull(read_);
}

Connection::Connection(SQLite::Database database, std::filesystem::path file, Clock clock, std::string notice)
    : database_(std::move(database)), file_(std::move(file)), clock_(std::move(clock)), notice_(std::move(notice)) {}

std::string Connection::now() const {
  return iso8601(clock_());
}

Query Connection::query(const std::string& sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) found = statements_.emplace(sql, SQLite::Statement(database_, sql)).first;
  return Query(found->second);
}

void Connection::rethrow(std::string_view attempted) {
  try {
    throw;
  } catch (const search::Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const SQLite::Exception& error) {
    if (error.getErrorCode() == SQLITE_INTERRUPT && steps_ > most_steps_) refuse_endless(attempted);
    const bool from_system = error.getErrorCode() == SQLITE_IOERR || error.getErrorCode() == SQLITE_CANTOPEN;
    throw make_error(attempted, file_,
                     {error.getExtendedErrorCode(), from_system ? last_errno(database_.getHandle()) : 0, error.what()});
  } catch (const nlohmann::json::type_error& error) {
    constexpr int invalid_utf8 = 316;  // the library's number for it
    if (error.id != invalid_utf8) throw make_error(attempted, file_, {SQLITE_CORRUPT, 0, error.what()});
    throw StoreError(StoreError::Cause::other,
                     fmt::format("cannot {} in the store {}: a text is not valid UTF-8 ({}); correct the name or value",
                                 attempted, file_.string(), error.what()));
  } catch (const std::exception& error) {  // what a store holds in place of what it should
    throw make_error(attempted, file_, {SQLITE_CORRUPT, 0, error.what()});
  }
}

void Connection::limit_queries(std::uint64_t any_size) {
  std::error_code ignored;
  const std::uintmax_t bytes = std::filesystem::file_size(file_, ignored);
  // Going through all rows several times takes some ten steps a byte; a query in a loop takes any number.
  most_steps_ = any_size + 100 * (ignored ? 0 : bytes);
  constexpr int often = 100'000;
  sqlite3_progress_handler(
      database_.getHandle(), often,
      [](void* self) {
        auto& connection = *static_cast<Connection*>(self);
        return (connection.steps_ += often) > connection.most_steps_ ? 1 : 0;
      },
      this);
}

void Connection::refuse_endless(std::string_view attempted) const {
  throw StoreError(
      StoreError::Cause::corrupt,
      fmt::format("cannot {} in the store {}: gave up after {} steps of SQLite, more than its size explains; "
                  "somebody made it so that queries do not end, so do not use it",
                  attempted, file_.string(), steps_));
}

void Connection::require_in_place(std::string_view attempted) {
  int moved = 0;
  sqlite3_file_control(database_.getHandle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (!moved) return;
  throw StoreError(
      StoreError::Cause::cannot_open,
      fmt::format("cannot {} in the store {}: the file was deleted or moved while it was in use, and what was "
                  "recorded since then is lost with it; start the command again",
                  attempted, file_.string()));
}

SyncedCommits::SyncedCommits(Connection& connection) : connection_(connection) {
  connection_.database().tryExec("PRAGMA synchronous = FULL");
}

SyncedCommits::~SyncedCommits() {
  connection_.database().tryExec("PRAGMA synchronous = NORMAL");
}

}  // namespace warptune::db
