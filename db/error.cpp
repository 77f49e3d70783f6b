// Names SQLite's error codes, and finds the cause and the advice for each.
#include "db/error.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <map>

namespace warptune::db {

namespace {

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
