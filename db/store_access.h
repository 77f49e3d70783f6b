// Declares how a store is accessed: to read or to write, for real or as a preview, by which clock, and what its errors
// are. It is apart from store.h, since whatever the store is made of uses it, too.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "search/error.h"

namespace warptune::db {

// A StoreError says what was attempted, on which store, SQLite's own name for the error or PostgreSQL's SQLSTATE, and
// what to do next.
class StoreError : public search::Error {
 public:
  enum class Cause { cannot_open, read_only, corrupt, newer_schema, disk_full, busy, other };
  StoreError(Cause cause, const std::string& message) : Error(search::ErrorKind::store, message), cause_(cause) {}
  Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

enum class OpenMode {
  read_write,  // creates file and folders, or the schema on a server; migrates an older schema
  read_only,   // needs no write permission; an older schema is an error that says how to migrate it
};

// Says whether an operation that reports what it changes really changes it.
enum class Effect { apply, preview };

// The store takes its times from a Clock; tests inject their own.
using Clock = std::function<std::chrono::system_clock::time_point()>;

}  // namespace warptune::db
