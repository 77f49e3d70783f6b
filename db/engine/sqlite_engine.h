// Implements the store's engine on a file that SQLite opens, and turns SQLite's errors into sentences that say what to
// do.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "db/engine/engine.h"
#include "db/store_access.h"

namespace warptune::db {

class SqliteEngine : public Engine {
 public:
  SqliteEngine(SQLite::Database database, std::filesystem::path file);
  SqliteEngine(const SqliteEngine&) = delete;
  SqliteEngine& operator=(const SqliteEngine&) = delete;
  ~SqliteEngine() override;

  std::unique_ptr<Statement> prepare(const std::string& sql, StatementKind kind) override;
  std::int64_t execute(const std::string& script) override;
  void begin(Isolation isolation) override;
  bool attaches_files() const override { return true; }
  void set(EngineState state, bool on) override;
  void start_work() override { steps_ = 0; }
  // SQLite would go on writing to a file that was moved, which nobody can open again.
  void require_in_place(std::string_view attempted) override;
  bool recovered() override { return false; }
  [[noreturn]] void rethrow(std::string_view attempted) override;

  SQLite::Database& database() { return database_; }

  // Limits work on stores that others wrote. From now on, a piece of work that takes far more of SQLite's steps than
  // the file's size explains, and more than `any_size`, ends as `corrupt`. The engine must stay where it is in memory.
  void limit_queries(std::uint64_t any_size = 1'000'000'000);

 private:
  [[noreturn]] void refuse_endless(std::string_view attempted) const;

  SQLite::Database database_;
  std::filesystem::path file_;
  std::uint64_t steps_ = 0;  // of the work at hand, if they are limited
  std::uint64_t most_steps_ = 0;
};

// Returns the engine of a connection to a file, for what opens files (db/schema/). Throws std::bad_cast for another
// engine.
inline SqliteEngine& sqlite_of(Engine& engine) {
  return dynamic_cast<SqliteEngine&>(engine);
}

// A SqliteFailure is one failure as SQLite reports it.
struct SqliteFailure {
  int code = 0;          // extended result code
  int system_errno = 0;  // of the last failing system call; 0 if none
  std::string message;
};

// Returns the name of a code, such as "SQLITE_FULL". An extended code without a name of its own gets its primary
// code's.
std::string_view error_name(int code);

// Makes a StoreError with advice. `attempted` completes the words "cannot …", as "record a trial" does.
StoreError make_error(std::string_view attempted, const std::filesystem::path& file, const SqliteFailure& failure);

}  // namespace warptune::db
