// One SQLite connection: prepared statements kept for reuse, errors turned into StoreErrors.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "db/error.h"
#include "db/store.h"

namespace warptune::db {

// A prepared statement in use: parameters are bound, and columns read, from left to right. Resets the statement when it
// goes out of scope, since one left half-read would hold its read transaction open and stop checkpoints.
class Query {
 public:
  explicit Query(SQLite::Statement& statement) : statement_(statement) {}
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  ~Query() { statement_.tryReset(); }

  Query& bind(std::int64_t value);
  Query& bind(double value);
  Query& bind(const std::string& value);
  Query& bind(std::optional<double> value);
  Query& bind(std::optional<std::int64_t> value);
  Query& bind_doubles(std::span<const double> values);
  Query& bind_null();
  Query& bind(const search::Value& value);

  // The next row, or false; columns are read from the first again.
  bool step();
  // Runs a statement that gives no rows.
  void run();

  std::int64_t integer();
  std::optional<std::int64_t> optional_integer();
  std::string text();
  std::optional<double> optional_real();
  // A REAL column: NULL reads as NaN, because SQLite stores NaN as NULL.
  double real();
  std::vector<double> doubles();
  bool is_null() const;  // of the next column to be read

 private:
  SQLite::Statement& statement_;
  int bound_ = 0;
  int read_ = 0;
};

class Connection {
 public:
  Connection(SQLite::Database database, std::filesystem::path file, Clock clock, std::string notice);

  SQLite::Database& database() { return database_; }
  const std::filesystem::path& file() const { return file_; }
  const std::string& notice() const { return notice_; }
  std::string now() const;

  // Prepared once for each text, so `sql` should not contain values. Only one Query of a text may be in use at a time.
  Query query(const std::string& sql);

  // Runs `work`; what goes wrong in SQLite becomes a StoreError "cannot <attempted> …".
  template <class Work>
  auto attempt(std::string_view attempted, Work&& work) -> decltype(work()) {
    steps_ = 0;
    try {
      return work();
    } catch (...) {
      rethrow(attempted);
    }
  }

  // From now on, a piece of work that takes far more of SQLite's steps than the file's size explains, and more than
  // `any_size`, ends as `corrupt`: for stores that others wrote. The connection must stay where it is in memory.
  void limit_queries(std::uint64_t any_size = 1'000'000'000);

  // Throws if the file lies no longer where it was opened: SQLite would go on writing to what nobody can open again.
  void require_in_place(std::string_view attempted);

  // Work in one write transaction. IMMEDIATE: a read transaction that turns into a write one cannot wait for
  // others. A preview is rolled back.
  template <class Work>
  auto transact(std::string_view attempted, Work&& work, Effect effect = Effect::apply) -> decltype(work()) {
    return attempt(attempted, [&] {
      SQLite::Transaction transaction(database_, SQLite::TransactionBehavior::IMMEDIATE);
      auto result = work();
      if (effect == Effect::apply) transaction.commit();
      return result;
    });
  }

 private:
  [[noreturn]] void rethrow(std::string_view attempted);
  [[noreturn]] void refuse_endless(std::string_view attempted) const;

  SQLite::Database database_;
  std::filesystem::path file_;
  Clock clock_;
  std::string notice_;
  std::map<std::string, SQLite::Statement, std::less<>> statements_;
  std::uint64_t steps_ = 0;  // of the work at hand, if they are limited
  std::uint64_t most_steps_ = 0;
};

// While alive, commits reach the disk itself and not only the operating system, together with all commits before.
class SyncedCommits {
 public:
  explicit SyncedCommits(Connection& connection);
  SyncedCommits(const SyncedCommits&) = delete;
  SyncedCommits& operator=(const SyncedCommits&) = delete;
  ~SyncedCommits();

 private:
  Connection& connection_;
};

}  // namespace warptune::db
