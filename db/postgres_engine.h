// A connection to a PostgreSQL server as the store's engine.
#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>

#include "db/engine.h"
#include "db/postgres_library.h"
#include "db/store.h"

namespace warptune::db {

// What the server or the way to it said. `state` is the SQLSTATE, five characters; empty if there was no answer.
class PostgresError : public std::runtime_error {
 public:
  PostgresError(std::string state, const std::string& message)
      : std::runtime_error(message), state_(std::move(state)) {}
  const std::string& state() const { return state_; }

 private:
  std::string state_;
};

// Where the tables lie, so that a database may hold other things too.
inline constexpr const char* postgres_schema = "warptune";

class PostgresEngine : public Engine {
 public:
  // Connects. `name` is the address without its password. Throws StoreError.
  PostgresEngine(const std::string& address, std::filesystem::path name, OpenMode mode);
  ~PostgresEngine() override;
  PostgresEngine(const PostgresEngine&) = delete;
  PostgresEngine& operator=(const PostgresEngine&) = delete;

  std::unique_ptr<Statement> prepare(const std::string& sql) override;
  std::int64_t execute(const std::string& script) override;
  void begin(Isolation isolation) override;
  // Commits are always synced: a commit of a trial waits for the disk of a server, which writes for many at once.
  void set(EngineState state, bool on) override;
  void start_work() override {}
  void require_in_place(std::string_view) override {}
  bool recovered() override;
  [[noreturn]] void rethrow(std::string_view attempted) override;

  // For statements: which connection this is, since prepared ones end with it.
  int connection_number() const { return connections_; }
  std::string new_statement_name() { return "w" + std::to_string(++statements_); }
  PGconn* handle() { return handle_; }
  // Throws PostgresError unless the command succeeded.
  void require(const PGresult* result) const;

 private:
  void connect();
  void set_up();
  void begin_creation();
  bool connected() const;

  const PostgresLibrary& pq_;
  std::string address_;
  std::filesystem::path name_;
  OpenMode mode_;
  PGconn* handle_ = nullptr;
  int connections_ = 0;
  int statements_ = 0;
  // Since it was waited for in vain, or last looked for.
  std::optional<std::chrono::steady_clock::time_point> gone_since_;
};

}  // namespace warptune::db
