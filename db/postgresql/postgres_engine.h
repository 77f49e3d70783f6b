// Implements the store's engine on a connection to a PostgreSQL server.
#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>

#include "db/engine/engine.h"
#include "db/postgresql/postgres_library.h"
#include "db/store_access.h"

namespace warptune::db {

// A PostgresError holds what the server, or the connection to it, said. `state` is the SQLSTATE, five characters; empty
// if there was no answer.
class PostgresError : public std::runtime_error {
 public:
  PostgresError(std::string state, const std::string& message)
      : std::runtime_error(message), state_(std::move(state)) {}
  const std::string& state() const { return state_; }

 private:
  std::string state_;
};

// The tables lie in this schema, so that a database may hold other things too.
inline constexpr const char* postgres_schema = "warptune";

class PostgresEngine : public Engine {
 public:
  // Connects. `name` is the address without its password. Throws StoreError.
  PostgresEngine(const std::string& address, std::filesystem::path name, OpenMode mode);
  ~PostgresEngine() override;
  PostgresEngine(const PostgresEngine&) = delete;
  PostgresEngine& operator=(const PostgresEngine&) = delete;

  std::unique_ptr<Statement> prepare(const std::string& sql, StatementKind kind) override;
  std::int64_t execute(const std::string& script) override;
  void begin(Isolation isolation) override;
  bool attaches_files() const override { return false; }
  // Sets a state. `synced_commits` changes nothing, since commits are always synced: a commit of a trial waits for the
  // disk of a server, which writes for many at once.
  void set(EngineState state, bool on) override;
  void start_work() override {}
  void require_in_place(std::string_view) override {}
  bool recovered() override;
  [[noreturn]] void rethrow(std::string_view attempted) override;

  // Returns the number of the connection. It is for statements, since prepared ones end with their connection.
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
  // The server is gone if this is set. It is the time when the engine last waited or looked for the server in vain.
  std::optional<std::chrono::steady_clock::time_point> gone_since_;
};

}  // namespace warptune::db
